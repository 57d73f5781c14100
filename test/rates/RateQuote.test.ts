import { expect, layer } from "@effect/vitest"
import { BigDecimal, Effect, Exit, Layer, Option, Schema, TestClock } from "effect"
import * as fc from "fast-check"
import { AuditLog } from "../../src/audit/AuditLog.ts"
import { operatorPermit } from "../../src/domain/Access.ts"
import { AnyCurrencyCode } from "../../src/domain/CryptoAsset.ts"
import { toPlainText } from "../../src/domain/Decimal.ts"
import { Ids } from "../../src/domain/Ids.ts"
import { cross, Rate } from "../../src/domain/Rate.ts"
import { RateQuote, StaleRate } from "../../src/rates/RateQuote.ts"
import { Rates } from "../../src/rates/Rates.ts"
import { RateStore } from "../../src/rates/RateStore.ts"
import { newOrganization } from "../stores/Fixtures.ts"
import { type Backend, backends, storesOn } from "../support/Stores.ts"
import { testSettings, type Variables } from "../support/TestSettings.ts"

const servicesOn = (backend: Backend, variables: Variables) =>
  Rates.layer.pipe(
    Layer.provideMerge(RateQuote.layer),
    Layer.provideMerge(AuditLog.layer),
    Layer.provideMerge(storesOn(backend)),
    Layer.provideMerge(Ids.layer),
    Layer.provide(testSettings(variables))
  )

const live = { CORRIDOR_MODE: "live", CORRIDOR_MASTER_KEY: "0".repeat(64), KYB_WEBHOOK_SECRET: "whisper" }
const HOUR = 3_600_000

const code = Schema.decodeUnknownSync(AnyCurrencyCode)
const [USD, KES, NGN, ETH, JPY] = ["USD", "KES", "NGN", "ETH", "JPY"].map((text) => code(text)) as [
  AnyCurrencyCode,
  AnyCurrencyCode,
  AnyCurrencyCode,
  AnyCurrencyCode,
  AnyCurrencyCode
]
const rate = (text: string) => Rate.make(BigDecimal.unsafeFromString(text))

const setRates = (...all: ReadonlyArray<readonly [from: string, to: string, rate: string]>) =>
  Effect.flatMap(RateStore, (store) =>
    store.set(all.map(([from_currency, to_currency, one]) => ({ from_currency, to_currency, rate: one })))
  )

const text = (quoted: Option.Option<Rate>) => Option.getOrNull(Option.map(quoted, toPlainText))

const liveRate = (orgId: string, from: AnyCurrencyCode, to: AnyCurrencyCode) =>
  Effect.map(
    Effect.flatMap(RateQuote, (quote) => quote.live(orgId, from, to)),
    text
  )

/** When a pair was last set, by the clock of its store. */
const setAt = (from: string, to: string) =>
  Effect.flatMap(RateStore, (store) =>
    Effect.map(Effect.flatten(store.findForUpdate(from, to)), ({ updated_at }) => updated_at.getTime())
  )

for (const backend of backends) {
  layer(servicesOn(backend, {}), { timeout: "60 seconds" })(`RateQuote on ${backend}`, (it) => {
    it.effect("takes the pair's own rate, crosses through USD without one, and knows when there is neither", () =>
      Effect.gen(function* () {
        const { org_id } = yield* newOrganization()
        yield* setRates(["KES", "USD", "0.00773096250483"], ["USD", "NGN", "1550.5"], ["USD", "KES", "129.35"])
        expect(yield* liveRate(org_id, USD, KES)).toBe("129.35")
        expect(yield* liveRate(org_id, KES, NGN)).toBe("11.9868573637")
        expect(yield* liveRate(org_id, NGN, KES)).toBeNull()
        expect(yield* liveRate(org_id, NGN, USD)).toBeNull()
        expect(yield* liveRate(org_id, KES, JPY)).toBeNull()
        expect(yield* liveRate(org_id, USD, JPY)).toBeNull()
        yield* setRates(["KES", "NGN", "12"])
        expect(yield* liveRate(org_id, KES, NGN)).toBe("12")
      })
    )

    it.effect("lowers the rate by the organisation's own spread, after crossing, and no one else's", () =>
      Effect.gen(function* () {
        const [spread, plain] = yield* Effect.all([newOrganization(), newOrganization()])
        const store = yield* RateStore
        yield* setRates(["ETH", "USD", "3520"], ["USD", "JPY", "149.876543211"])
        yield* store.setSpread(spread.org_id, 125)
        expect(yield* liveRate(spread.org_id, ETH, USD)).toBe("3476")
        // 3520 × 149.876543211 = 527565.43210272, of which 98.75 percent, to 12 digits downwards.
        expect(yield* liveRate(plain.org_id, ETH, JPY)).toBe("527565.432103")
        expect(yield* liveRate(spread.org_id, ETH, JPY)).toBe("520970.864201")
        const base = yield* Effect.flatMap(RateQuote, (quote) => quote.base(ETH, JPY))
        expect(text(base)).toBe("527565.432103")
      })
    )

    it.effect("says that a currency is worth itself, whatever the spread", () =>
      Effect.gen(function* () {
        const { org_id } = yield* newOrganization()
        yield* Effect.flatMap(RateStore, (store) => store.setSpread(org_id, 500))
        yield* setRates(["KES", "USD", "0.0077"], ["USD", "KES", "129"])
        expect(yield* liveRate(org_id, KES, KES)).toBe("1")
      })
    )

    it.effect("never serves an old rate late in sandbox mode", () =>
      Effect.gen(function* () {
        const { org_id } = yield* newOrganization()
        yield* setRates(["USD", "ETH", "0.0003"])
        yield* TestClock.setTime((yield* setAt("USD", "ETH")) + 10_000 * HOUR)
        expect(yield* liveRate(org_id, USD, ETH)).toBe("0.0003")
      })
    )

    it.effect("locks a rate for 15 minutes for the organisation that looked it up, even when the rate changes", () =>
      Effect.gen(function* () {
        const quote = yield* RateQuote
        const rates = yield* Rates
        const [mine, theirs] = yield* Effect.all([newOrganization(), newOrganization()])
        yield* setRates(["JPY", "KES", "0.861"])
        yield* TestClock.setTime(Date.parse("2026-03-02T09:15:00.250Z"))
        const permit = operatorPermit("any", "test", Option.some(mine.org_id))
        const found = yield* rates.lookUp(permit, { from: JPY, to: KES, amount: Option.none() })
        yield* setRates(["JPY", "KES", "0.9"])
        expect(found).toMatchObject({ amount: Option.none(), target: Option.none() })
        expect(yield* quote.locked(mine.org_id, found.orgRateId)).toEqual(
          Option.some({ from: "JPY", to: "KES", rate: rate("0.861"), expiresAt: new Date("2026-03-02T09:30:00.250Z") })
        )
        expect(yield* quote.locked(mine.org_id, found.orgRateId.toUpperCase())).toEqual(
          yield* quote.locked(mine.org_id, found.orgRateId)
        )
        expect(yield* quote.locked(theirs.org_id, found.orgRateId)).toEqual(Option.none())
        expect(yield* quote.locked(mine.org_id, "no such thing")).toEqual(Option.none())
      })
    )

    it.effect("never serves more than the crossed rate, and less by at least the spread", () =>
      Effect.gen(function* () {
        const { org_id } = yield* newOrganization()
        const store = yield* RateStore
        const quote = yield* RateQuote
        const runtime = yield* Effect.runtime<RateStore>()
        const someRate = fc
          .tuple(fc.bigInt(1n, 10n ** 12n - 1n), fc.integer({ min: 0, max: 14 }))
          .map(([value, scale]) => Rate.make(BigDecimal.normalize(BigDecimal.make(value, scale))))
        const spreads = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 9_999 }))
        const served = fc.asyncProperty(someRate, someRate, spreads, (first, second, spread) =>
          Effect.gen(function* () {
            yield* setRates(["CHF", "USD", toPlainText(first)], ["USD", "SEK", toPlainText(second)])
            yield* store.setSpread(org_id, spread)
            const got = Option.getOrThrow(yield* quote.live(org_id, code("CHF"), code("SEK")))
            const kept = BigDecimal.multiply(cross(first, second), BigDecimal.make(10_000n - BigInt(spread), 4))
            expect(BigDecimal.lessThanOrEqualTo(got, kept)).toBe(true)
            expect(BigDecimal.greaterThan(got, BigDecimal.multiply(kept, rate("0.99999999998")))).toBe(true)
          }).pipe(Effect.provide(runtime), Effect.runPromise)
        )
        yield* Effect.promise(() => fc.assert(served, { numRuns: backend === "memory" ? 300 : 30 }))
      })
    )
  })

  const limits: ReadonlyArray<readonly [string, Variables, number]> = [
    ["a day in live mode", live, 24 * HOUR],
    ["RATE_MAX_AGE", { RATE_MAX_AGE: "10 minutes" }, HOUR / 6]
  ]
  for (const [name, variables, maxAge] of limits) {
    layer(servicesOn(backend, variables), { timeout: "60 seconds" })(`Stale rates on ${backend}: ${name}`, (it) => {
      it.effect("serves a rate up to that age and not a millisecond longer", () =>
        Effect.gen(function* () {
          const { org_id } = yield* newOrganization()
          yield* setRates(["USD", "KES", "129.35"])
          const at = yield* setAt("USD", "KES")
          yield* TestClock.setTime(at + maxAge)
          expect(yield* liveRate(org_id, USD, KES)).toBe("129.35")
          yield* TestClock.setTime(at + maxAge + 1)
          expect(yield* Effect.exit(liveRate(org_id, USD, KES))).toEqual(
            Exit.fail(new StaleRate({ from: USD, to: KES, updatedAt: new Date(at) }))
          )
        })
      )

      it.effect("does not cross around a stale rate of the pair's own", () =>
        Effect.gen(function* () {
          const { org_id } = yield* newOrganization()
          const rates = yield* Rates
          const permit = operatorPermit("any", "test", Option.some(org_id))
          const lookUp = rates.lookUp(permit, { from: KES, to: NGN, amount: Option.none() })
          yield* setRates(["KES", "NGN", "12"], ["KES", "USD", "0.0077"], ["USD", "NGN", "1550"])
          const newest = Math.max(yield* setAt("KES", "NGN"), yield* setAt("USD", "NGN"))
          yield* TestClock.setTime(newest + maxAge + 1)
          expect(yield* Effect.flip(lookUp)).toMatchObject({
            code: "NOT_FOUND",
            message: expect.stringMatching(/^The rate from KES to NGN is stale: it was last set at \d{4}-.*Z\.$/)
          })
          expect(yield* Effect.flip(liveRate(org_id, USD, NGN))).toBeInstanceOf(StaleRate)
        })
      )

      it.effect("does not cross when only one leg is fresh", () =>
        Effect.gen(function* () {
          const { org_id } = yield* newOrganization()
          for (const [old, fresh] of [
            [["JPY", "USD", "0.0067"] as const, ["USD", "ETH", "0.0003"] as const],
            [["USD", "ETH", "0.0003"] as const, ["JPY", "USD", "0.0067"] as const]
          ] as const) {
            yield* setRates(old)
            const at = yield* setAt(old[0], old[1])
            const later = Effect.zipRight(
              Effect.zipRight(TestClock.adjust(1), setRates(fresh)),
              setAt(fresh[0], fresh[1])
            )
            yield* Effect.repeat(later, { until: (time) => time > at })
            yield* TestClock.setTime(at + maxAge)
            expect(yield* liveRate(org_id, JPY, ETH)).toBe("0.00000201")
            yield* TestClock.setTime(at + maxAge + 1)
            expect(yield* Effect.flip(liveRate(org_id, JPY, ETH))).toMatchObject({ updatedAt: new Date(at) })
            yield* TestClock.setTime(at)
          }
        })
      )
    })
  }
}
