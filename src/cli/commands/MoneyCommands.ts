/** `corridor rates`, `fees`, `reserves` and `ledger`. */
import { BigDecimal, Effect } from "effect"
import { flows, paymentMethods } from "../../domain/Corridor.ts"
import { type Answer, call } from "../shared/ApiClient.ts"
import { argument, choice, commandOn, databaseCommand, option, optional } from "../shared/Command.ts"
import { decodeInput, refuse, wireNumber } from "../shared/CommandInput.ts"
import { framed, minute, plainText, printable, tableOf } from "../shared/Table.ts"

const command = commandOn("records")
const reserveCommand = commandOn("reserves")

/** Loaded when they run. */
const moneyActions = Effect.promise(() => import("../actions/MoneyActions.ts"))
const ledgerActions = () => import("../database/LocalMoney.ts")

type BaseRates = Answer<"rates", "list">["data"]

const stateOf = ({ failures, fetched_at, last_error, source }: BaseRates["sources"][number]): string => {
  const last = fetched_at === null ? "not fetched yet" : `last fetched ${minute(fetched_at)}`
  return printable(`Source ${source}: ${last}${failures === 0 ? "" : `, ${failures} failures since: ${last_error}`}`)
}

type Rate =
  | (BaseRates["rates"][number] & { readonly status: "set" })
  | (BaseRates["proposals"][number] & { readonly status: "proposed"; readonly confirm_with: string })

const rateTable = tableOf<Rate>(
  {
    FROM: "from_currency",
    TO: "to_currency",
    RATE: (one) => plainText(one.rate),
    SOURCE: "source",
    PUBLISHED: (one) => (one.status === "set" && one.published_at !== null ? minute(one.published_at) : null),
    SET: (one) => minute(one.status === "set" ? one.updated_at : one.proposed_at),
    STATUS: (one) => (one.status === "set" ? "set" : `waits for a person: ${one.confirm_with}`)
  },
  'No rates yet: "corridor rates set FROM TO RATE" sets one, RATE_SOURCE fetches them.',
  ["SET", "SOURCE", "PUBLISHED"]
)

export const moneyCommands = [
  command(
    "rates set",
    "Set a base rate. Each direction of a pair has a rate of its own. One that moves by more than 10 percent is proposed, and set when another person sends the same.",
    {
      examples: ["corridor rates set USD KES 129.35"],
      takes: {
        from: argument("FROM", "The currency or crypto asset that is given, such as USD."),
        to: argument("TO", "The one that is received for it, such as KES."),
        rate: argument("RATE", "Units of TO for one of FROM, such as 129.35: at most 12 significant digits.")
      },
      check: (input) =>
        Effect.gen(function* () {
          const { WantedRate } = yield* Effect.promise(() => import("../../money/rates/Rates.ts"))
          const wanted = yield* decodeInput(WantedRate, input, { from: "FROM", to: "TO", rate: "RATE" })
          return wanted.from === wanted.to ? yield* refuse("FROM and TO are the same currency: name two.") : wanted
        }),
      *run(_, { from, rate, to }) {
        const { data, message } = yield* call("rates", "set", {
          payload: { from_currency: from, to_currency: to, rate: wireNumber(BigDecimal.normalize(rate)) }
        })
        const is = `1 ${data.from_currency} = ${plainText(data.rate)} ${data.to_currency}`
        const before = data.previous_rate === null ? "there was none before" : `it was ${plainText(data.previous_rate)}`
        return { data, text: data.status === "set" ? `${is} (${before}).` : `${is}. ${message}.` }
      }
    }
  ),
  command("rates list", "List all base rates with their sources, and those that wait for a person.", {
    examples: ["corridor rates list"],
    takes: {},
    *run() {
      const { proposals, rates, sources } = (yield* call("rates", "list", {})).data
      const set = rates.map((one) => ({ ...one, status: "set" as const }))
      const waiting = proposals.map((one) => ({
        ...one,
        status: "proposed" as const,
        confirm_with: `corridor rates set ${one.from_currency} ${one.to_currency} ${plainText(one.rate)}`
      }))
      const data = [...set, ...waiting]
      return { data, ...framed("", rateTable(data), sources.map((one) => `\n${stateOf(one)}`).join("")) }
    }
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
  command("fees list", "List the fees that organisations are charged.", {
    examples: ["corridor fees list --org ORG"],
    takes: { org: optional("org", "ORG", "Id of an organisation; all of them by default.") },
    *run(input) {
      return yield* (yield* moneyActions).listFees(input)
    }
  }),
  reserveCommand(
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
      check: (input) => Effect.flatMap(moneyActions, ({ wantedReserve }) => wantedReserve(input)),
      *run({ org }, rule) {
        return yield* (yield* moneyActions).putReserve({ org, rule })
      }
    }
  ),
  reserveCommand("reserves list", "List reserves and payout delays.", {
    examples: ["corridor reserves list --org ORG"],
    takes: { org: optional("org", "ORG", "Id of an organisation, needed by API; all of them by default.") },
    *run(input) {
      return yield* (yield* moneyActions).listReserves(input)
    }
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
