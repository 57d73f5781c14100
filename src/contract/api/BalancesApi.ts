/** Balances in the books: of an organisation, and of the platform. */
import { Schema } from "effect"
import { AnyCurrencyCode } from "../../domain/Currency.ts"
import { WireDecimal } from "../../domain/Decimal.ts"
import { keptKinds, platformKinds } from "../../domain/Ledger.ts"
import { get, examples, operation, apiGroup } from "./Operation.ts"
import {
  CamelPageParams,
  envelope,
  pageFieldsIfAny,
  PageSizeIfAny,
  DateParams,
  reportOf,
  success,
  report
} from "./Envelope.ts"

export const Balance = Schema.Struct({
  account: Schema.String.annotations({ description: "Name of the account in the ledger" }),
  kind: Schema.Literal(...keptKinds).annotations({
    description:
      "`settlement`: available for payouts; `held`: payouts in progress; `reserve`: parts of payins that are released later; `receivable`: below zero, owed by the organisation after a chargeback and deducted from its next credits; `clearing`: money that needs an operator's decision, above zero if it arrived, below zero if it was taken back; `own`: at the organisation's own provider account; `virtual`, `escrow`, `party` and `ramp`: balances of these accounts"
  }),
  currency: AnyCurrencyCode,
  balance: WireDecimal,
  floor: Schema.NullOr(WireDecimal).annotations({ description: "Minimum; null: none" })
}).annotations({ identifier: "Balance" })

export const PlatformBalance = Schema.Struct({
  kind: Schema.Literal(...platformKinds).annotations({
    description:
      "`provider`: held by a provider for the platform, above zero; `clearing`: money that needs an operator's decision; `receivable`: below zero, owed by organisations after chargebacks; `fees`: fees charged; `fx`: exchange position, received less paid; `suspense`: transfers to virtual accounts that need an operator's decision"
  }),
  account: Schema.String.annotations({ description: "Name in the ledger; for sums, kind and currency" }),
  provider: Schema.NullOr(Schema.String),
  config_id: Schema.NullOr(Schema.String).annotations({
    description: "Configuration of the account; null: the platform's"
  }),
  currency: AnyCurrencyCode,
  balance: WireDecimal,
  accounts: Schema.Int.annotations({ description: "Accounts in the sum; a sum of zero may hide some that differ" })
}).annotations({ identifier: "PlatformBalance" })

export const BalanceTrends = Schema.Struct({
  date_from: Schema.String,
  date_to: Schema.String,
  days: Schema.Array(
    Schema.Struct({
      date: Schema.String.annotations({ description: "A UTC day" }),
      balances: Schema.Array(Schema.Struct({ currency: AnyCurrencyCode, balance: WireDecimal })).annotations({
        description: "At the end of the day; today: now"
      })
    })
  ).annotations({ description: "Every day of the range that has begun, oldest first" })
}).annotations({ identifier: "BalanceTrends" })

export const BalancesApi = apiGroup("balances", "Balances", "Ledger balances of an organisation and of the platform.", [
  operation({
    endpoint: get("list", "/organizations/:org_id/balances", { ...CamelPageParams, limit: PageSizeIfAny }).addSuccess(
      Schema.Struct({
        status: Schema.Literal("success"),
        message: Schema.String,
        data: Schema.Array(Balance),
        count: Schema.Int.annotations({ description: "Accounts in this answer" }),
        ...pageFieldsIfAny("lastEvaluatedKey")
      })
    ),
    access: "reports",
    summary: "List balances",
    description:
      "Extension. Ledger accounts of the organisation, by name: all, or pages with `limit`. Lists of more than 100 without `limit` are served one at a time for each organisation; a second is 429 with `Retry-After`.",
    response: examples({
      "Money collected and not paid out": {
        status: "success",
        message: "Balances",
        data: [
          {
            account: "settlement/0199c2a4-7b10-7e0b-8a11-6a0b6c1d2e3f/KES",
            kind: "settlement",
            currency: "KES",
            balance: 1500.5,
            floor: 0
          }
        ],
        count: 1
      },
      "Card money with a rolling reserve": {
        status: "success",
        message: "Balances",
        data: [
          {
            account: "reserve/0199c2a4-7b10-7e0b-8a11-6a0b6c1d2e3f/EUR",
            kind: "reserve",
            currency: "EUR",
            balance: 10,
            floor: 0
          },
          {
            account: "settlement/0199c2a4-7b10-7e0b-8a11-6a0b6c1d2e3f/EUR",
            kind: "settlement",
            currency: "EUR",
            balance: 88.5,
            floor: 0
          }
        ],
        count: 2
      },
      "A chargeback that the organisation could not bear": {
        status: "success",
        message: "Balances",
        data: [
          {
            account: "receivable/0199c2a4-7b10-7e0b-8a11-6a0b6c1d2e3f/EUR",
            kind: "receivable",
            currency: "EUR",
            balance: -50.17,
            floor: null
          },
          {
            account: "settlement/0199c2a4-7b10-7e0b-8a11-6a0b6c1d2e3f/EUR",
            kind: "settlement",
            currency: "EUR",
            balance: 0,
            floor: 0
          }
        ],
        count: 2
      },
      "Nothing has moved yet": { status: "success", message: "Balances", data: [], count: 0 }
    })
  }),
  operation({
    endpoint: get("trends", "/organizations/:org_id/balances/trends", DateParams).addSuccess(reportOf(BalanceTrends)),
    access: "reports",
    lists: true,
    summary: "Balances by day",
    description:
      "Extension. `settlement` balances at the end of each day; today: now. Future days are left out. At most 365 days back. Amounts are exact.",
    response: examples({
      "A payin on the second day": report({
        date_from: "2026-03-01",
        date_to: "2026-03-02",
        days: [
          { date: "2026-03-01", balances: [{ currency: "KES", balance: 0 }] },
          { date: "2026-03-02", balances: [{ currency: "KES", balance: 1500.5 }] }
        ]
      }),
      "Nothing has moved yet": report({
        date_from: "2026-03-02",
        date_to: "2026-03-02",
        days: [{ date: "2026-03-02", balances: [] }]
      })
    })
  }),
  operation({
    endpoint: get("platform", "/ledger/balances").addSuccess(envelope(Schema.Array(PlatformBalance))),
    access: "platform",
    lists: true,
    summary: "Balances of the platform",
    description:
      "Extension. Balance of each provider account and currency, to compare with the provider's statement; clearing and receivables summed by currency; fees and fx. Reads every posting of these accounts, so it takes seconds on a large ledger.",
    response: examples({
      "One provider, with an undecided chargeback": success("Balances", [
        {
          kind: "provider",
          account: "provider/stripe/EUR",
          provider: "stripe",
          config_id: null,
          currency: "EUR",
          balance: 1949.83,
          accounts: 1
        },
        {
          kind: "clearing",
          account: "clearing/EUR",
          provider: null,
          config_id: null,
          currency: "EUR",
          balance: -50.17,
          accounts: 1
        },
        {
          kind: "fees",
          account: "fees/EUR",
          provider: null,
          config_id: null,
          currency: "EUR",
          balance: 29,
          accounts: 1
        }
      ]),
      "Nothing has moved yet": success("Balances", [])
    })
  })
])
