/** `corridor rates` */
import { Args, Command } from "@effect/cli"
import { json } from "../shared/CommandResult.ts"
import { byDatabase, onEither } from "../shared/CommandTarget.ts"
import { flows, paymentMethods } from "../../domain/Corridor.ts"
import { choice, option, optional } from "../shared/CommandInput.ts"

const setRate = Command.make(
  "set",
  {
    from: Args.text({ name: "FROM" }).pipe(
      Args.withDescription("The currency or crypto asset that is given, such as USD.")
    ),
    to: Args.text({ name: "TO" }).pipe(Args.withDescription("The one that is received for it, such as KES.")),
    rate: Args.text({ name: "RATE" }).pipe(
      Args.withDescription("How much of TO one unit of FROM is worth, such as 129.35: at most 12 significant digits.")
    ),
    json
  },
  (input) => onEither(() => import("../actions/RateActions.ts"))((rates) => rates.set(input))
).pipe(
  Command.withDescription(
    "Set a base rate. Each direction of a pair has a rate of its own. One that moves by more than 10 percent is proposed, and set when another person sends the same."
  )
)

const listRate = Command.make("list", { json }, (input) =>
  byDatabase(() => import("../database/LocalFees.ts"))((rates) => rates.listRates(input))
).pipe(Command.withDescription("List all base rates."))

export const rates = Command.make("rates").pipe(
  Command.withDescription("Base exchange rates, from which what an organisation is quoted follows."),
  Command.withSubcommands([setRate, listRate])
)

/** `corridor fees` */
const runFeeAction = byDatabase(() => import("../database/LocalFees.ts"))

const setFee = Command.make(
  "set",
  {
    org: option("org", "ORG", "Id of the organisation that is charged."),
    method: choice("method", paymentMethods, "Payment method."),
    direction: choice(
      "direction",
      flows,
      "Payins (inbound) or payouts (outbound); ramps (external) are charged no fee."
    ),
    bps: optional("bps", "N", "Share of the payment in basis points, hundredths of a percent: 0 to 10000."),
    fixed: optional("fixed", "AMOUNT", "Amount added to every payment, such as 10.50."),
    currency: optional(
      "currency",
      "CUR",
      "Currency of AMOUNT, which is left out of payments that are charged in another one."
    ),
    json
  },
  (input) => runFeeAction((fees) => fees.set(input))
).pipe(Command.withDescription("Set what new payments are charged, as a whole; nothing (--bps 0) removes the rule."))

const listFee = Command.make(
  "list",
  { org: optional("org", "ORG", "Id of an organisation; all of them by default."), json },
  (input) => runFeeAction((fees) => fees.list(input))
).pipe(Command.withDescription("List the fees that organisations are charged."))

export const fees = Command.make("fees").pipe(
  Command.withDescription("What organisations are charged for their payments: nothing, unless a rule says so."),
  Command.withSubcommands([setFee, listFee])
)

/** `corridor ledger` */
const runLedgerAction = byDatabase(() => import("../database/LocalLedger.ts"))

const checkLedger = Command.make("check", { json }, (input) => runLedgerAction((ledger) => ledger.check(input))).pipe(
  Command.withDescription(
    "Compare every balance with its postings, every entry and every currency with zero, every balance with its floor, every provider account with its movements (in a sandbox also with what the simulated providers hold), what every exchange gave with its rate. Exit code 1: something is wrong."
  )
)

const balancesLedger = Command.make(
  "balances",
  { org: optional("org", "ORG", "Id of an organisation: its own accounts, and how far each may fall."), json },
  (input) => runLedgerAction((ledger) => ledger.balances(input))
).pipe(
  Command.withDescription(
    "List what each provider holds, what waits in clearing, what organisations owe, fees and fx; with --org an organisation's own accounts."
  )
)

const limitLedger = Command.make(
  "limit",
  {
    org: option("org", "ORG", "Id of the organisation."),
    currency: option("currency", "CUR", "Currency of its settlement account."),
    amount: option("amount", "N", "How much it may owe there; none goes back to what holds by default."),
    json
  },
  (input) => runLedgerAction((ledger) => ledger.limit(input))
).pipe(
  Command.withDescription(
    "Set how far below zero a settlement account may go. By default that is not at all, and without end in a sandbox."
  )
)

export const ledger = Command.make("ledger").pipe(
  Command.withDescription("The double-entry ledger behind every payment and account."),
  Command.withSubcommands([checkLedger, balancesLedger, limitLedger])
)

/** `corridor accounts` */
const runAccountAction = onEither(() => import("../actions/AccountActions.ts"))

const accountId = Args.text({ name: "ACCOUNT" }).pipe(
  Args.withDescription('Id of the virtual account, as "corridor accounts list" shows it.')
)

const listAccount = Command.make("list", { org: optional("org", "ORG", "Only this organisation's."), json }, (input) =>
  runAccountAction((accounts) => accounts.list(input))
).pipe(Command.withDescription("List virtual accounts with their balances, newest first."))

const freezeAccount = Command.make(
  "freeze",
  {
    id: accountId,
    reason: optional("reason", "TEXT", "Why; it goes into the audit log and to the organisation."),
    json
  },
  (input) => runAccountAction((accounts) => accounts.freeze(input))
).pipe(Command.withDescription("Freeze a virtual account: it can receive money, but not send any."))

const unfreezeAccount = Command.make("unfreeze", { id: accountId, json }, (input) =>
  runAccountAction((accounts) => accounts.unfreeze(input))
).pipe(Command.withDescription("Unfreeze a virtual account: it can send money again."))

export const accounts = Command.make("accounts").pipe(
  Command.withDescription("Virtual accounts: list, freeze, unfreeze."),
  Command.withSubcommands([listAccount, freezeAccount, unfreezeAccount])
)
