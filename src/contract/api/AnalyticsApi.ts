/** Analytics: users by country, payments by day, provider health. */
import { Schema } from "effect"
import { AnyCurrencyCode } from "../../domain/Currency.ts"
import { providerNames } from "../../domain/Corridor.ts"
import { WireDecimal } from "../../domain/Decimal.ts"
import { get, operation, apiGroup } from "./Operation.ts"
import { OrgParam, DateParams, reportOf, report } from "./Envelope.ts"

const share = (description: string) =>
  Schema.Number.annotations({ description, jsonSchema: { type: "number", minimum: 0, maximum: 1 } })

export const GeographicDistribution = Schema.Struct({
  total_users: Schema.Int,
  countries: Schema.Array(
    Schema.Struct({
      country: Schema.NullOr(Schema.String).annotations({ description: "null: those whose country is not known" }),
      users: Schema.Int,
      share: share("Of all users, from 0 to 1")
    })
  ).annotations({ description: "Most users first" })
}).annotations({ identifier: "GeographicDistribution" })

const trend = {
  count: Schema.Int.annotations({ description: "Payments that were initiated" }),
  completed: Schema.Int.annotations({ description: "Of them, those that completed, later refunds included" }),
  failed: Schema.Int.annotations({ description: "Of them, those that failed or were rejected" }),
  success_rate: Schema.NullOr(share("`completed` in proportion to `completed` and `failed` together")).annotations({
    description: "null when none completed or failed"
  }),
  volume: Schema.Array(Schema.Struct({ currency: AnyCurrencyCode, amount: WireDecimal })).annotations({
    description: "Sum of the completed payments by currency"
  })
}

export const Trends = Schema.Struct({
  date_from: Schema.String,
  date_to: Schema.String,
  days: Schema.Array(
    Schema.Struct({ date: Schema.String.annotations({ description: "A UTC day, by initiation" }), ...trend })
  ).annotations({ description: "Every day of the range, oldest first" }),
  totals: Schema.Struct(trend)
}).annotations({ identifier: "Trends" })

export const ProviderState = Schema.Struct({
  provider: Schema.Literal(...providerNames),
  circuit: Schema.Literal("closed", "open", "half-open").annotations({
    description:
      "State of the circuit breaker on this instance, for the platform's account. `open`: no payments are sent for 30 seconds; `half-open`: the next payment tests the provider"
  }),
  accepted: Schema.Int,
  declined: Schema.Int,
  unknown: Schema.Int.annotations({ description: "Calls without a definite answer" }),
  unanswered: Schema.Int.annotations({ description: "Being asked at this moment" })
}).annotations({ identifier: "ProviderState" })

const day = {
  count: 3,
  completed: 2,
  failed: 1,
  success_rate: 0.6666666666666666,
  volume: [{ currency: "KES", amount: 3000.5 }]
}

const trendsExample = report({
  date_from: "2026-03-01",
  date_to: "2026-03-02",
  days: [
    { date: "2026-03-01", count: 0, completed: 0, failed: 0, success_rate: null, volume: [] },
    { date: "2026-03-02", ...day }
  ],
  totals: day
})

export const AnalyticsApi = apiGroup(
  "analytics",
  "Analytics",
  "Who uses the service where, and what moves through it day by day.",
  [
    operation({
      endpoint: get("geographicDistribution", "/users/analytics/geographic-distribution", OrgParam).addSuccess(
        reportOf(GeographicDistribution)
      ),
      access: "reports",
      lists: true,
      summary: "Users by country",
      description: "The members of the organisation; for a platform admin who names none, all users.",
      response: report({
        total_users: 4,
        countries: [
          { country: "KE", users: 3, share: 0.75 },
          { country: null, users: 1, share: 0.25 }
        ]
      })
    }),
    operation({
      endpoint: get("trends", "/transactions/analytics/trends", {
        ...DateParams,
        org_id: Schema.optional(
          Schema.String.annotations({
            description: "Extension. One organisation; when absent all of them, for a member their own"
          })
        )
      }).addSuccess(reportOf(Trends)),
      access: "trends",
      lists: true,
      summary: "Payments by day",
      description: "At most 366 days. Amounts are exact, in the currency of the payment (`currency`).",
      response: trendsExample
    }),
    operation({
      endpoint: get("organizationTrends", "/organizations/:org_id/trends", DateParams).addSuccess(reportOf(Trends)),
      access: "reports",
      lists: true,
      summary: "An organisation's payments by day",
      description: "Extension. The same of one's own organisation.",
      response: trendsExample
    }),
    operation({
      endpoint: get("providerHealth", "/payments/provider-health").addSuccess(reportOf(Schema.Array(ProviderState))),
      access: "platform",
      summary: "How providers answer",
      description: "Extension. Every provider, and what it answered to the payments of the last hour.",
      response: report([{ provider: "fiat", circuit: "closed", accepted: 12, declined: 1, unknown: 0, unanswered: 0 }])
    })
  ]
)
