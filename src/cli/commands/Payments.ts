/** `corridor payments` */
import { Args, Command, Options } from "@effect/cli"
import { flows } from "../../domain/Corridor.ts"
import { paymentStatuses } from "../../domain/PaymentStatus.ts"
import { choice, option, optional } from "../shared/CommandInput.ts"
import { json } from "../shared/CommandResult.ts"
import { onEither } from "../shared/CommandTarget.ts"

const work = onEither(() => import("../actions/PaymentActions.ts"))

const id = Args.text({ name: "ID" }).pipe(Args.withDescription("The payment's id."))

const eitherId = Args.text({ name: "ID" }).pipe(
  Args.withDescription("The payment's id or its transaction's, the beginning of either, or its client_reference.")
)

const show = Command.make("show", { id: eitherId, json }, (input) => work((payments) => payments.show(input))).pipe(
  Command.withDescription("Show a payment and everything that happened to it.")
)

const list = Command.make(
  "list",
  {
    status: Options.optional(choice("status", paymentStatuses, "Only those in this state.")),
    direction: Options.optional(choice("direction", flows, "Only payins, only payouts or only ramps.")),
    reference: optional("reference", "TEXT", "A client_reference, or the beginning of an id."),
    org: optional("org", "ORG", "Only this organisation's."),
    limit: option("limit", "N", "How many at most: 1 to 100, 20 by default.").pipe(Options.withDefault("20")),
    json
  },
  (input) => work((payments) => payments.list(input))
).pipe(Command.withDescription("List payments, newest first."))

const resolve = Command.make(
  "resolve",
  {
    id,
    as: Options.optional(
      choice("as", ["completed", "failed"], "The decision; without it the decisions are listed, each with its command.")
    ),
    reason: optional("reason", "TEXT", "How you know; saved with the payment, in its history and in the audit log."),
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
  (input) => work((payments) => payments.resolve(input))
).pipe(
  Command.withDescription(
    "Settle by hand an outcome that stayed unknown, a payment on the manual rail, or money that waits; without --as say what can be decided, and what follows from it. Audited; look it up at the provider first."
  )
)

const refund = Command.make(
  "refund",
  {
    id,
    reason: option("reason", "TEXT", "Why it goes back; it stands on the record and in the audit log."),
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
  (input) => work((payments) => payments.refund(input))
).pipe(
  Command.withDescription(
    "Give money that waits back to its payer through the provider that took it. Audited; repeating it never sends it twice."
  )
)

export const payments = Command.make("payments").pipe(
  Command.withDescription("Payments, and those whose outcome only a person can find out."),
  Command.withSubcommands([list, show, resolve, refund])
)
