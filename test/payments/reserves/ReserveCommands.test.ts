/** `corridor reserves` over the service, and its parsing of options. */
import { expect } from "@effect/vitest"
import { Effect, Layer, Option } from "effect"
import { listReserves, putReserve, wantedReserve } from "../../../src/cli/actions/MoneyActions.ts"
import { clientOf } from "../../../src/cli/client/InProcessClient.ts"
import { Target, targetOf } from "../../../src/cli/shared/CommandTarget.ts"
import { ReservesApi } from "../../../src/contract/api/ReservesApi.ts"
import { stringifyWire } from "../../../src/domain/Decimal.ts"
import { reservesHandlers } from "../../../src/payments/reserves/Reserves.ts"
import { Organizations } from "../../../src/people/organizations/Organizations.ts"
import { AuditLog } from "../../../src/platform/audit/AuditLog.ts"
import { EventPublisher } from "../../../src/webhooks/EventPublisher.ts"
import { nilId } from "../../support/AnyId.ts"
import { newOrganization } from "../../support/StoreFixtures.ts"
import { onBothStores } from "../../support/OnBothStores.ts"
import { testSettings } from "../../support/TestSettings.ts"

const services = Effect.provide(
  Organizations.layer.pipe(
    Layer.provide(EventPublisher.layer),
    Layer.provideMerge(AuditLog.layer),
    Layer.provide(testSettings())
  )
)

const typed = ({ method = "card", ...options }: Readonly<Record<string, string>>) =>
  wantedReserve({
    method,
    bps: Option.fromNullable(options["bps"]),
    days: Option.fromNullable(options["days"]),
    delay: Option.fromNullable(options["delay"]),
    minimum: Option.fromNullable(options["minimum"]),
    currency: Option.fromNullable(options["currency"])
  })

const handlers = Effect.provide(clientOf({ reserves: [ReservesApi, reservesHandlers] }))

const set = (org: string, options: Readonly<Record<string, string>>) =>
  Effect.flatMap(typed(options), (rule) => handlers(putReserve({ org, rule })))

const listAll = (org: Option.Option<string>) =>
  handlers(listReserves({ org, json: false })).pipe(Effect.provideService(Target, targetOf({}, {})))

onBothStores("corridor reserves", (it) => {
  it.effect("sets a rule as a whole, lists it, and removes it", () =>
    Effect.gen(function* () {
      const { org_id } = yield* newOrganization()
      const first = yield* set(org_id, {
        ...{ bps: "1000", days: "180", delay: "2", minimum: "5000", currency: "EUR" }
      })
      expect(first.text).toBe(
        "card payins: 1000 basis points for 180 days, the rest after 2 days, at least 5000.00 EUR in reserve (before: nothing held back)."
      )
      expect(stringifyWire(first.data)).toContain('"minimum_amount":5000.00')
      const second = yield* set(org_id, { delay: "7" })
      expect(second.data.rule).toMatchObject({ basis_points: 0, delay_days: 7, minimum_amount: null })
      yield* set(org_id, { method: "mobile_money", delay: "1" })
      expect((yield* listAll(Option.some(org_id))).data).toMatchObject([
        { org_id, payment_method: "card", delay_days: 7 },
        { org_id, payment_method: "mobile_money", delay_days: 1 }
      ])
      expect((yield* listAll(Option.none())).data.map((rule) => rule.org_id)).toContain(org_id)
      expect((yield* set(org_id, { bps: "0" })).text).toBe(
        "card payins: nothing held back (before: the rest after 7 days)."
      )
      yield* set(org_id, { method: "mobile_money", bps: "0" })
      expect((yield* listAll(Option.some(org_id))).text).toBe('No reserves here: "corridor reserves set" sets one.')
      expect((yield* Effect.flip(set(nilId, { delay: "7" }))).message).toContain("--org")
    }).pipe(services)
  )

  it.effect("refuses what means nothing, and names the option", () =>
    Effect.gen(function* () {
      for (const [options, words] of [
        [{}, "--bps"],
        [{ bps: "10" }, "--days is needed with --bps"],
        [{ bps: "0", days: "3" }, "--bps is needed with --days"],
        [{ bps: "10001", days: "3" }, "0 to 10000"],
        [{ delay: "91" }, "0 to 90"],
        [{ delay: "1", minimum: "10" }, "--currency is needed with --minimum"],
        [{ delay: "1", minimum: "0.001", currency: "EUR" }, "--minimum"]
      ] as const) {
        expect((yield* Effect.flip(typed(options))).message).toContain(words)
      }
    })
  )
})
