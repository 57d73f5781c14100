/** Balances in the books: of an organisation, and of the platform. */
import { HttpApiEndpoint } from "@effect/platform"
import { Schema } from "effect"
import { AnyCurrencyCode } from "../../domain/CryptoAsset.ts"
import { WireDecimal } from "../../domain/Decimal.ts"
import { keptKinds, platformKinds } from "../../domain/Ledger.ts"
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
import { examples, operation, apiGroup } from "./Operation.ts"

const orgPath = Schema.Struct({ org_id: Schema.String })

export const Balance = Schema.Struct({
  account: Schema.String.annotations({ description: "Its name in the books" }),
  kind: Schema.Literal(...keptKinds).annotations({
    description:
      "`settlement`: what can be paid out, or is owed; `held`: given out of hand and received by nobody yet; `receivable`: below zero, what the organisation owes since it could not bear a chargeback, to be paid by its next credits before anything else; `clearing`: money of a payment that waits for an operator's decision, above zero if it came, below zero if it is gone; `own`: at a provider, through an account of the organisation's own; `virtual`, `escrow`, `party` and `ramp`: what lies there"
  }),
  currency: AnyCurrencyCode,
  balance: WireDecimal,
  floor: Schema.NullOr(WireDecimal).annotations({ description: "How far it may fall; null: without end" })
}).annotations({ identifier: "Balance" })

export const PlatformBalance = Schema.Struct({
  kind: Schema.Literal(...platformKinds).annotations({
    description:
      "`provider`: what a provider holds for the platform, above zero; `clearing`: money of payments that waits for an operator's decision; `receivable`: below zero, what organisations owe since they could not bear a chargeback; `fees`: fees that were charged; `fx`: what exchanges took in less what they gave out; `suspense`: money without a payment, of earlier versions"
  }),
  account: Schema.String.annotations({
    description: "Its name in the books; of `clearing` and `receivable`, which are sums, the kind and the currency"
  }),
  provider: Schema.NullOr(Schema.String),
  config_id: Schema.NullOr(Schema.String).annotations({
    description: "The configuration whose account at the provider it is; null: the platform's"
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
        description: "At the end of that day, in each currency; of today, now"
      })
    })
  ).annotations({ description: "Every day of the range that has begun, oldest first" })
}).annotations({ identifier: "BalanceTrends" })

export const BalancesApi = apiGroup(
  "balances",
  "Balances",
  "What an organisation, and the platform, have in the books."
)
  .add(
    operation({
      endpoint: HttpApiEndpoint.get("list", "/organizations/:org_id/balances")
        .setPath(orgPath)
        .setUrlParams(Schema.Struct({ ...CamelPageParams, limit: PageSizeIfAny }))
        .addSuccess(
          Schema.Struct({
            status: Schema.Literal("success"),
            message: Schema.String,
            data: Schema.Array(Balance),
            count: Schema.Int.annotations({ description: "Accounts in this answer" }),
            ...pageFieldsIfAny("lastEvaluatedKey")
          })
        ),
      access: "operations",
      summary: "List balances",
      description:
        "Extension. Every account that the organisation has in the double-entry books, by name: all of them, or pages with `limit`. Of lists without `limit` that are longer than 100 one at a time is answered for an organisation; a second is 429 with `Retry-After`.",
      response: examples({
        "What was taken in and not paid out": {
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
    })
  )
  .add(
    operation({
      endpoint: HttpApiEndpoint.get("trends", "/organizations/:org_id/balances/trends")
        .setPath(orgPath)
        .setUrlParams(Schema.Struct(DateParams))
        .addSuccess(reportOf(BalanceTrends)),
      access: "operations",
      lists: true,
      summary: "Balances by day",
      description:
        "Extension. What could be paid out, or was owed, at the end of each day: the `settlement` balances of the list, of which today has the same. Days that have not begun are left out. From 365 days ago at the earliest; amounts are exact.",
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
    })
  )
  .add(
    operation({
      endpoint: HttpApiEndpoint.get("platform", "/ledger/balances").addSuccess(envelope(Schema.Array(PlatformBalance))),
      access: "platform",
      lists: true,
      summary: "Balances of the platform",
      description:
        "Extension. What each provider account holds in each currency, to be compared with the provider's own statement; what waits in clearing and what organisations owe, summed by currency; fees and fx. It reads every posting of these accounts, so it takes seconds on a large ledger.",
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
  )
