/** `corridor queue`, `payments`, `accounts` and `providers`. */
import { flows, paymentMethods, providerNames } from "../../domain/Corridor.ts"
import { paymentStatuses } from "../../domain/PaymentStatus.ts"
import {
  argument,
  choice,
  databaseCommand,
  eitherCommand,
  flag,
  maybe,
  oneOf,
  option,
  optional,
  repeated,
  withDefault
} from "../shared/Command.ts"

const accountId = argument("ACCOUNT", 'Id of the virtual account, as "corridor accounts list" shows it.')
const moneyActions = () => import("../actions/MoneyActions.ts")
const paymentActions = () => import("../actions/PaymentActions.ts")
const providerActions = () => import("../actions/ProviderActions.ts")
const credentialActions = () => import("../database/LocalProviders.ts")

const paymentId = argument("ID", "The payment's id.")

const anyProvider = argument("PROVIDER", "A provider's name, for all its configurations, or the id of one.")

export const paymentFilters = {
  status: maybe(choice("status", paymentStatuses, "Only those in this state.")),
  direction: maybe(choice("direction", flows, "Only payins, only payouts or only ramps.")),
  reference: optional("reference", "TEXT", "A client_reference, or the beginning of an id."),
  search: optional(
    "search",
    "TEXT",
    "An amount, a name, a card's last four digits, part of a reference, an id, an e-mail address or a phone number."
  ),
  org: optional("org", "ORG", "Only this organisation's."),
  limit: withDefault("20", option("limit", "N", "How many at most: 1 to 100, 20 by default."))
}

export const paymentDecision = {
  id: paymentId,
  as: maybe(
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
  )
}

export const paymentRefund = {
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
  )
}

export const transferOutcome = {
  id: argument("TRANSFER", 'Id of the transfer, as "corridor queue" shows it.'),
  as: choice(
    "as",
    ["credited", "returned"],
    "credited: it belongs to --account or --org, or is borne by it; returned: the provider undid it."
  ),
  reason: option("reason", "TEXT", "The evidence; saved with the transfer and in the audit log."),
  account: optional("account", "ACCOUNT", "With credited: the virtual account that gets or bears it."),
  org: optional("org", "ORG", "Instead of --account: the organisation whose settlement balance gets or bears it."),
  movement: optional("movement", "ID", "With returned: the provider's own id of the return, if it is known.")
}

export const newConfig = {
  provider: oneOf(providerNames, argument("PROVIDER", "Provider that serves the corridor.")),
  country: option("country", "CC", "Of the corridor, as an ISO 3166-1 code such as KE."),
  method: choice("method", paymentMethods, "Payment method."),
  direction: choice("direction", flows, "Payins, payouts or ramps."),
  priority: optional("priority", "N", "The lowest number is tried first; 100 by default."),
  min: optional("min", "AMOUNT", "Smallest amount of a payment routed to it."),
  max: optional("max", "AMOUNT", "Largest amount of a payment routed to it."),
  org: optional("org", "ORG", "The organisation it is for; all organisations by default."),
  description: optional("description", "TEXT", "Shown in the list."),
  off: flag("off", "Add it switched off.")
}

export const newCredentials = {
  which: argument("CONFIG_ID", "The configuration whose own account they open."),
  field: repeated(
    option(
      "field",
      "NAME=VALUE",
      "A field of the provider, such as secret_key. NAME=@VARIABLE reads it from the environment, which other users of this machine cannot see."
    )
  ),
  stdin: flag("stdin", "Read all fields from standard input, as one JSON object."),
  forgetReplaced: flag(
    "forget-replaced",
    "Refuse at once what is signed with secrets that were replaced, which is otherwise accepted for 24 hours."
  )
}

export const paymentCommands = [
  eitherCommand(
    "queue",
    "List items that need a decision: unknown outcomes, money in suspense, reviews, dead letters, disabled endpoints, blocked escrow payouts.",
    {
      examples: ["corridor queue", "corridor queue --org ORG --json"],
      takes: { org: optional("org", "ORG", "Only this organisation's.") },
      run: (input) => paymentActions().then(({ queue }) => queue(input))
    }
  ),
  eitherCommand("payments list", "List payments, newest first.", {
    examples: ["corridor payments list --status pending", 'corridor payments list --search "1,500.00 KES"'],
    takes: paymentFilters,
    run: (input) => paymentActions().then(({ list }) => list(input))
  }),
  eitherCommand("payments show", "Show a payment and everything that happened to it.", {
    examples: ["corridor payments show order-1042"],
    takes: {
      id: argument("ID", "The payment's id or its transaction's, the beginning of either, or its client_reference.")
    },
    run: (input) => paymentActions().then(({ show }) => show(input))
  }),
  eitherCommand(
    "payments resolve",
    "Resolve by hand an unknown outcome, a payment of the manual simulator, or money in suspense; without --as list the possible decisions and their effects. Audited; look it up at the provider first.",
    {
      examples: [
        'corridor payments resolve PAYMENT_ID --as completed --reason "Seen on the statement of 3 March"',
        "corridor payments resolve PAYMENT_ID"
      ],
      takes: paymentDecision,
      run: (input) => paymentActions().then(({ resolve }) => resolve(input))
    }
  ),
  eitherCommand(
    "payments refund",
    "Return money in suspense to its payer through the provider that took it. Audited; repeating it never sends it twice.",
    {
      examples: [
        'corridor payments refund PAYMENT_ID --reason "Paid twice by mistake"',
        'corridor payments refund PAYMENT_ID --amount 500.00 --reason "One cup was broken" --url URL --token JWT'
      ],
      takes: paymentRefund,
      run: (input) => paymentActions().then(({ refund }) => refund(input))
    }
  ),
  eitherCommand("accounts list", "List virtual accounts with their balances, newest first.", {
    examples: ["corridor accounts list --org ORG"],
    takes: { org: optional("org", "ORG", "Only this organisation's.") },
    run: (input) => moneyActions().then(({ list }) => list(input))
  }),
  eitherCommand("accounts freeze", "Freeze a virtual account: it can receive money, but not send any.", {
    examples: ['corridor accounts freeze ACCOUNT_ID --reason "Suspicious activity"'],
    takes: {
      id: accountId,
      reason: optional("reason", "TEXT", "Why; it goes into the audit log and to the organisation.")
    },
    run: (input) => moneyActions().then(({ freeze }) => freeze(input))
  }),
  eitherCommand("accounts unfreeze", "Unfreeze a virtual account: it can send money again.", {
    examples: ["corridor accounts unfreeze ACCOUNT_ID"],
    takes: { id: accountId },
    run: (input) => moneyActions().then(({ unfreeze }) => unfreeze(input))
  }),
  eitherCommand(
    "accounts resolve",
    "Resolve by hand a transfer to virtual accounts that waits in suspense. Audited; look it up at the provider first.",
    {
      examples: [
        'corridor accounts resolve TRANSFER_ID --as credited --account ACCOUNT_ID --reason "The sender confirmed it"',
        'corridor accounts resolve TRANSFER_ID --as returned --reason "Sent back in the dashboard"'
      ],
      takes: transferOutcome,
      run: (input) => moneyActions().then(({ resolve }) => resolve(input))
    }
  ),
  eitherCommand(
    "providers list",
    "List which provider serves which corridor, through whose account, and how each has answered in the last hour.",
    {
      examples: ["corridor providers list"],
      takes: {},
      run: (input) => providerActions().then(({ list }) => list(input))
    }
  ),
  eitherCommand("providers add", "Add a provider to a corridor; payments are routed by it from then on.", {
    examples: ["corridor providers add pawapay --country KE --method mobile_money --direction inbound --priority 10"],
    takes: newConfig,
    run: (input) => providerActions().then(({ add }) => add(input))
  }),
  eitherCommand("providers enable", "Route new payments to a provider again.", {
    examples: ["corridor providers enable stripe"],
    takes: { which: anyProvider },
    run: (input) => providerActions().then(({ enable }) => enable(input))
  }),
  eitherCommand("providers disable", "Route no new payments to a provider; payments in progress go on.", {
    examples: ["corridor providers disable stripe"],
    takes: { which: anyProvider },
    run: (input) => providerActions().then(({ disable }) => disable(input))
  }),
  eitherCommand("providers credentials set", "Give a configuration credentials of its own, and test them at once.", {
    examples: [
      "corridor providers credentials set CONFIG_ID --field secret_key=@STRIPE_KEY",
      "corridor providers credentials set CONFIG_ID --stdin < credentials.json"
    ],
    takes: newCredentials,
    run: (input) => providerActions().then(({ setCredentials }) => setCredentials(input))
  }),
  databaseCommand(
    "providers setup",
    "Show which keys, rights, callback address and events a provider's account needs. Where the provider has an API for it, register the address and store its secret encrypted. Audited; repeating it registers nothing twice.",
    {
      examples: ["corridor providers setup stripe", "corridor providers setup adyen --dry-run"],
      takes: {
        which: argument("PROVIDER", "A third party's name, such as stripe."),
        dryRun: flag("dry-run", "Only read at the provider, and show what would be done.")
      },
      run: (input) => credentialActions().then(({ setup }) => setup(input))
    }
  ),
  databaseCommand(
    "providers test",
    "Ask providers, by calls that move nothing, whether they take our credentials, and for name, mode, balances and rights of the account. Credentials of a configuration that pass are in use from then on.",
    {
      examples: ["corridor providers test", "corridor providers test stripe"],
      takes: {
        which: maybe(
          argument("PROVIDER", "A provider's name, or the id of a configuration with credentials; all by default.")
        )
      },
      run: (input) => credentialActions().then(({ test }) => test(input))
    }
  )
]
