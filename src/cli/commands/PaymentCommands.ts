/** `corridor payments` */
import { Args, Command, Options } from "@effect/cli"
import { flows, paymentMethods, providerNames } from "../../domain/Corridor.ts"
import { paymentStatuses } from "../../domain/PaymentStatus.ts"
import { choice, option, optional, chosen } from "../shared/CommandInput.ts"
import { json } from "../shared/CommandResult.ts"
import { onEither, byDatabase } from "../shared/CommandTarget.ts"

const runPaymentAction = onEither(() => import("../actions/PaymentActions.ts"))

const paymentId = Args.text({ name: "ID" }).pipe(Args.withDescription("The payment's id."))

const paymentEitherId = Args.text({ name: "ID" }).pipe(
  Args.withDescription("The payment's id or its transaction's, the beginning of either, or its client_reference.")
)

const showPayment = Command.make("show", { id: paymentEitherId, json }, (input) =>
  runPaymentAction((payments) => payments.show(input))
).pipe(Command.withDescription("Show a payment and everything that happened to it."))

const listPayment = Command.make(
  "list",
  {
    status: Options.optional(choice("status", paymentStatuses, "Only those in this state.")),
    direction: Options.optional(choice("direction", flows, "Only payins, only payouts or only ramps.")),
    reference: optional("reference", "TEXT", "A client_reference, or the beginning of an id."),
    org: optional("org", "ORG", "Only this organisation's."),
    limit: option("limit", "N", "How many at most: 1 to 100, 20 by default.").pipe(Options.withDefault("20")),
    json
  },
  (input) => runPaymentAction((payments) => payments.list(input))
).pipe(Command.withDescription("List payments, newest first."))

const resolvePayment = Command.make(
  "resolve",
  {
    id: paymentId,
    as: Options.optional(
      choice("as", ["completed", "failed"], "The decision; without it the decisions are listed, each with its command.")
    ),
    reason: optional("reason", "TEXT", "The evidence; saved with the payment, in its history and in the audit log."),
    item: optional(
      "item",
      "ITEM",
      "Which item of the payment it is about, as `queue --json` has it; needed where several wait that differ."
    ),
    amount: optional("amount", "AMOUNT", "How much of money that waits it is about; all of it by default."),
    movement: optional(
      "movement",
      "ID",
      "The provider's own id of the transfer that you state, as its dashboard shows it."
    ),
    json
  },
  (input) => runPaymentAction((payments) => payments.resolve(input))
).pipe(
  Command.withDescription(
    "Resolve by hand an unknown outcome, a payment on the manual rail, or money in suspense; without --as list the possible decisions and their effects. Audited; look it up at the provider first."
  )
)

const refundPayment = Command.make(
  "refund",
  {
    id: paymentId,
    reason: option("reason", "TEXT", "Why it goes back; saved with the payment and in the audit log."),
    amount: optional(
      "amount",
      "AMOUNT",
      "By API only: so much of a completed payin goes back to its payer, in your own name; all for what is left of it."
    ),
    item: optional(
      "item",
      "ITEM",
      "Which item of the payment goes back, as `queue --json` has it; needed where money of several waits."
    ),
    json
  },
  (input) => runPaymentAction((payments) => payments.refund(input))
).pipe(
  Command.withDescription(
    "Give money in suspense back to its payer through the provider that took it. Audited; repeating it never sends it twice."
  )
)

export const payments = Command.make("payments").pipe(
  Command.withDescription("Payments: list, show, resolve by hand, give back."),
  Command.withSubcommands([listPayment, showPayment, resolvePayment, refundPayment])
)

/** `corridor providers` */
const runProviderAction = onEither(() => import("../actions/ProviderActions.ts"))

const listProvider = Command.make("list", { json }, (input) =>
  runProviderAction((providers) => providers.list(input))
).pipe(
  Command.withDescription(
    "List which provider serves which corridor, through whose account, and how each has answered in the last hour."
  )
)

const addProvider = Command.make(
  "add",
  {
    provider: chosen("PROVIDER", providerNames, "Provider that serves the corridor."),
    country: option("country", "CC", "Of the corridor, as an ISO 3166-1 code such as KE."),
    method: choice("method", paymentMethods, "Payment method."),
    direction: choice("direction", flows, "Payins, payouts or ramps."),
    priority: optional("priority", "N", "The lowest number is tried first; 100 by default."),
    min: optional("min", "AMOUNT", "Smallest amount of a payment routed to it."),
    max: optional("max", "AMOUNT", "Largest amount of a payment routed to it."),
    org: optional("org", "ORG", "The organisation it is for; all organisations by default."),
    description: optional("description", "TEXT", "Shown in the list."),
    off: Options.boolean("off").pipe(Options.withDescription("Add it switched off.")),
    json
  },
  (input) => runProviderAction((providers) => providers.add(input))
).pipe(Command.withDescription("Add a provider to a corridor; payments are routed by it from then on."))

const providerWhich = Args.text({ name: "PROVIDER" }).pipe(
  Args.withDescription("A provider's name, for all its configurations, or the id of one.")
)

const enableProvider = Command.make("enable", { which: providerWhich, json }, (input) =>
  runProviderAction((providers) => providers.enable(input))
).pipe(Command.withDescription("Route new payments to a provider again."))

const disableProvider = Command.make("disable", { which: providerWhich, json }, (input) =>
  runProviderAction((providers) => providers.disable(input))
).pipe(Command.withDescription("Route no new payments to a provider; payments in progress go on."))

const setProvider = Command.make(
  "set",
  {
    which: Args.text({ name: "CONFIG_ID" }).pipe(
      Args.withDescription("The configuration whose own account they open.")
    ),
    field: Options.text("field").pipe(
      Options.withPseudoName("NAME=VALUE"),
      Options.withDescription(
        "A field of the provider, such as secret_key. NAME=@VARIABLE reads it from the environment, which other users of this machine cannot see."
      ),
      Options.repeated
    ),
    stdin: Options.boolean("stdin").pipe(
      Options.withDescription("Read all fields from standard input, as one JSON object.")
    ),
    forgetReplaced: Options.boolean("forget-replaced").pipe(
      Options.withDescription(
        "Refuse at once what is signed with secrets that were replaced, which is otherwise believed for 24 hours."
      )
    ),
    json
  },
  (input) => byDatabase(() => import("../database/LocalProviders.ts"))((credentials) => credentials.set(input))
).pipe(Command.withDescription("Give a configuration credentials of its own, and test them at once."))

export const credentials = Command.make("credentials").pipe(
  Command.withDescription("The credentials that open a configuration's own account at its provider."),
  Command.withSubcommands([setProvider])
)

const testProvider = Command.make(
  "test",
  {
    which: Args.text({ name: "PROVIDER" }).pipe(
      Args.withDescription("A provider's name, or the id of a configuration with credentials; all by default."),
      Args.optional
    ),
    json
  },
  (input) => byDatabase(() => import("../database/LocalProviders.ts"))((credentials) => credentials.test(input))
).pipe(
  Command.withDescription(
    "Ask providers, by a harmless call, whether they take our credentials; those of a configuration that pass are in use from then on."
  )
)

export const providers = Command.make("providers").pipe(
  Command.withDescription("Which provider serves which corridor, and through whose account."),
  Command.withSubcommands([listProvider, addProvider, enableProvider, disableProvider, credentials, testProvider])
)
