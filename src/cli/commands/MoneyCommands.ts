/** `corridor rates`, `fees`, `reserves` and `ledger`. */
import { flows, paymentMethods } from "../../domain/Corridor.ts"
import { argument, choice, databaseCommand, eitherCommand, option, optional } from "../shared/Command.ts"

const moneyActions = () => import("../actions/MoneyActions.ts")
const ledgerActions = () => import("../database/LocalMoney.ts")

export const moneyCommands = [
  eitherCommand(
    "rates set",
    "Set a base rate. Each direction of a pair has a rate of its own. One that moves by more than 10 percent is proposed, and set when another person sends the same.",
    {
      examples: ["corridor rates set USD KES 129.35"],
      takes: {
        from: argument("FROM", "The currency or crypto asset that is given, such as USD."),
        to: argument("TO", "The one that is received for it, such as KES."),
        rate: argument("RATE", "Units of TO for one of FROM, such as 129.35: at most 12 significant digits.")
      },
      run: (input) => moneyActions().then(({ set }) => set(input))
    }
  ),
  eitherCommand("rates list", "List all base rates with their sources, and those that wait for a person.", {
    examples: ["corridor rates list"],
    takes: {},
    run: (input) => moneyActions().then(({ rates }) => rates(input))
  }),
  databaseCommand("fees set", "Set what new payments are charged, as a whole; nothing (--bps 0) removes the rule.", {
    examples: [
      "corridor fees set --org ORG --method mobile_money --direction inbound --bps 150 --fixed 10 --currency KES"
    ],
    takes: {
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
      )
    },
    run: (input) => ledgerActions().then(({ set }) => set(input))
  }),
  eitherCommand("fees list", "List the fees that organisations are charged.", {
    examples: ["corridor fees list --org ORG"],
    takes: { org: optional("org", "ORG", "Id of an organisation; all of them by default.") },
    run: (input) => moneyActions().then(({ fees }) => fees(input))
  }),
  eitherCommand(
    "reserves set",
    "Set the reserve and payout delay of new payins, as a whole; nothing (--bps 0) removes the rule.",
    {
      examples: ["corridor reserves set --org ORG --method card --bps 1000 --days 180 --delay 2"],
      takes: {
        org: option("org", "ORG", "Id of the organisation."),
        method: choice("method", paymentMethods, "Payment method of the payins."),
        bps: optional("bps", "N", "Share of each payin in the reserve, in basis points: 0 to 10000."),
        days: optional("days", "N", "Days until that share is released: up to 365."),
        delay: optional("delay", "N", "Days until the rest can be spent: up to 90."),
        minimum: optional(
          "minimum",
          "AMOUNT",
          "Amount that stays in the reserve: a release that would leave less waits."
        ),
        currency: optional("currency", "CUR", "Currency of AMOUNT.")
      },
      run: (input) => moneyActions().then(({ setReserve }) => setReserve(input))
    }
  ),
  eitherCommand("reserves list", "List reserves and payout delays.", {
    examples: ["corridor reserves list --org ORG"],
    takes: { org: optional("org", "ORG", "Id of an organisation, needed by API; all of them by default.") },
    run: (input) => moneyActions().then(({ reserves }) => reserves(input))
  }),
  databaseCommand(
    "ledger check",
    "Compare every balance with its postings, every entry and every currency with zero, every balance with its floor, every provider account with its movements (in a sandbox also with what the simulated providers hold), every reserve with its open releases, what every exchange gave with its rate. Exit code 1: something is wrong.",
    {
      examples: ["corridor ledger check"],
      takes: {},
      run: (input) => ledgerActions().then(({ check }) => check(input))
    }
  ),
  databaseCommand(
    "ledger balances",
    "List what each provider holds, what waits in clearing, what organisations owe, fees and fx; with --org an organisation's own accounts.",
    {
      examples: ["corridor ledger balances", "corridor ledger balances --org ORG"],
      takes: { org: optional("org", "ORG", "Id of an organisation: its own accounts, and how far each may fall.") },
      run: (input) => ledgerActions().then(({ balances }) => balances(input))
    }
  ),
  databaseCommand(
    "ledger limit",
    "Set how far below zero a settlement account may go. By default that is not at all, and without end in a sandbox.",
    {
      examples: ["corridor ledger limit --org ORG --currency KES --amount 50000"],
      takes: {
        org: option("org", "ORG", "Id of the organisation."),
        currency: option("currency", "CUR", "Currency of its settlement account."),
        amount: option("amount", "N", "How much it may owe there; none goes back to what holds by default.")
      },
      run: (input) => ledgerActions().then(({ limit }) => limit(input))
    }
  )
]
