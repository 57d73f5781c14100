import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { BigDecimal, Context, Effect, Either, Exit, Layer, Option, Schema, TestClock } from "effect"
import { type OrgId, Ids } from "../../../src/domain/Ids.ts"
import * as fc from "fast-check"
import { StoresLive } from "../../../src/app/Stores.ts"
import { AuditLog } from "../../../src/platform/audit/AuditLog.ts"
import { operatorPermit } from "../../../src/domain/Access.ts"
import { AnyCurrencyCode } from "../../../src/domain/Currency.ts"
import { toPlainText } from "../../../src/domain/Decimal.ts"
import { checkLocked } from "../../../src/domain/LockedRate.ts"
import { cross, invert, Rate } from "../../../src/domain/Exchange.ts"
import { RateQuote, StaleRate } from "../../../src/money/rates/RateQuote.ts"
import { Rates } from "../../../src/money/rates/Rates.ts"
import { RateStore } from "../../../src/money/rates/RateStore.ts"
import type { OrganizationStore } from "../../../src/people/organizations/OrganizationStore.ts"
import { newOrganization, setSpread } from "../../support/StoreFixtures.ts"
import { type Backend, backends, storesOn } from "../../support/OnBothStores.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { testSettings, type Variables } from "../../support/TestSettings.ts"

/** Makes rates older: by the clock of the memory stores, or in the database, which has a clock of its own. */
class Ageing extends Context.Tag("test/Ageing")<Ageing, (millis: number) => Effect.Effect<void>>() {}

const AgeingDatabase = Layer.effect(
  Ageing,
  Effect.map(
    SqlClient.SqlClient,
    (sql) => (millis: number) =>
      Effect.orDie(
        Effect.asVoid(sql`update rates set updated_at = updated_at - make_interval(secs => ${millis / 1000})`)
      )
  )
)

const agedStoresOn = (backend: Backend) =>
  backend === "memory"
    ? Layer.merge(
        storesOn(backend),
        Layer.succeed(Ageing, (millis) => TestClock.adjust(millis))
      )
    : Layer.merge(StoresLive, AgeingDatabase).pipe(Layer.provide(TestDatabase))

const servicesOn = (backend: Backend, variables: Variables) =>
  Rates.layer.pipe(
    Layer.provideMerge(RateQuote.layer),
    Layer.provideMerge(AuditLog.layer),
    Layer.provideMerge(agedStoresOn(backend)),
    Layer.provideMerge(Ids.layer),
    Layer.provide(testSettings(variables))
  )

const live = { CORRIDOR_MODE: "live", CORRIDOR_MASTER_KEY: "0".repeat(64), KYB_WEBHOOK_SECRET: "a secret of the test" }
const HOUR = 3_600_000
/** Time that a slow machine may take between two statements, as the database's clock goes on during a test. */
const slack = 60_000

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

const liveRate = (orgId: OrgId, from: AnyCurrencyCode, to: AnyCurrencyCode) =>
  Effect.map(
    Effect.flatMap(RateQuote, (quote) => quote.live(orgId, from, to)),
    text
  )

/** Time when a pair was last set, by the clock of its store. */
const setAt = (from: string, to: string) =>
  Effect.flatMap(RateStore, (store) =>
    Effect.map(Effect.flatten(store.findForUpdate(from, to)), ({ updated_at }) => updated_at.getTime())
  )

for (const backend of backends) {
  layer(servicesOn(backend, {}), { timeout: "60 seconds" })(`RateQuote on ${backend}`, (it) => {
    it.effect("crosses through USD, takes the pair's own rate where that is worse, and knows when there is none", () =>
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
        expect(yield* liveRate(org_id, KES, NGN)).toBe("11.9868573637")
        yield* setRates(["KES", "NGN", "11.9"])
        expect(yield* liveRate(org_id, KES, NGN)).toBe("11.9")
        // Without a value in USD a currency has no quotes, whatever rows it has with others.
        yield* setRates(["KES", "JPY", "1.16"], ["JPY", "KES", "0.861"])
        expect(yield* liveRate(org_id, KES, JPY)).toBeNull()
        expect(yield* liveRate(org_id, JPY, KES)).toBeNull()
      })
    )

    it.effect("lowers the rate by the organisation's own spread, after crossing, and no one else's", () =>
      Effect.gen(function* () {
        const [spread, plain] = yield* Effect.all([newOrganization(), newOrganization()])
        yield* setRates(["ETH", "USD", "3520"], ["USD", "JPY", "149.876543211"])
        yield* setSpread(spread.org_id, 125)
        expect(yield* liveRate(spread.org_id, ETH, USD)).toBe("3476")
        // 3520 × 149.876543211 = 527565.43210272, of which 98.75 percent, each to 12 digits downwards.
        expect(yield* liveRate(plain.org_id, ETH, JPY)).toBe("527565.432102")
        expect(yield* liveRate(spread.org_id, ETH, JPY)).toBe("520970.8642")
        const base = yield* Effect.flatMap(RateQuote, (quote) => quote.base(ETH, JPY))
        expect(text(base)).toBe("527565.432102")
      })
    )

    it.effect("says that a currency is worth itself, whatever the spread", () =>
      Effect.gen(function* () {
        const { org_id } = yield* newOrganization()
        yield* setSpread(org_id, 500)
        yield* setRates(["KES", "USD", "0.0077"], ["USD", "KES", "129"])
        expect(yield* liveRate(org_id, KES, KES)).toBe("1")
      })
    )

    it.effect("never serves an old rate late in sandbox mode", () =>
      Effect.gen(function* () {
        const { org_id } = yield* newOrganization()
        const older = yield* Ageing
        yield* older(1)
        yield* setRates(["USD", "ETH", "0.0003"])
        yield* older(10_000 * HOUR)
        expect(yield* liveRate(org_id, USD, ETH)).toBe("0.0003")
      })
    )

    it.effect("serves what was set last, and the way back no better than its inverse", () =>
      Effect.gen(function* () {
        const { org_id } = yield* newOrganization()
        const older = yield* Ageing
        yield* setRates(["ZAR", "USD", "0.055"])
        yield* older(1_000)
        yield* setRates(["USD", "ZAR", "18.5"])
        // There and back would be 1.0175.
        expect(yield* liveRate(org_id, USD, code("ZAR"))).toBe("18.5")
        expect(yield* liveRate(org_id, code("ZAR"), USD)).toBe(toPlainText(invert(rate("18.5"))))
        yield* older(1_000)
        yield* setRates(["ZAR", "USD", "0.056"])
        expect(yield* liveRate(org_id, code("ZAR"), USD)).toBe("0.056")
        expect(yield* liveRate(org_id, USD, code("ZAR"))).toBe(toPlainText(invert(rate("0.056"))))
        yield* older(1_000)
        yield* setRates(["ZAR", "USD", "0.05"])
        expect(yield* liveRate(org_id, code("ZAR"), USD)).toBe("0.05")
        expect(yield* liveRate(org_id, USD, code("ZAR"))).toBe("18.5")
      })
    )

    it.effect("leaves a quote alone when the way back gets a row of its own", () =>
      Effect.gen(function* () {
        const { org_id } = yield* newOrganization()
        yield* setRates(["GHS", "USD", "0.0645"], ["USD", "EUR", "0.92"])
        expect(yield* liveRate(org_id, code("GHS"), code("EUR"))).toBe("0.05934")
        yield* setRates(["EUR", "GHS", "20"])
        expect(yield* liveRate(org_id, code("GHS"), code("EUR"))).toBe("0.05934")
      })
    )

    it.effect("never lets anyone gain by going there and back, however the rates were set", () =>
      Effect.gen(function* () {
        const { org_id } = yield* newOrganization()
        const older = yield* Ageing
        const quote = yield* RateQuote
        const runtime = yield* Effect.runtime<RateStore>()
        const codes = ["DKK", "NOK", "USD"]
        const pairs = codes.flatMap((from) => codes.filter((to) => to !== from).map((to) => [from, to] as const))
        const someRate = fc
          .tuple(fc.bigInt(1n, 10n ** 12n - 1n), fc.integer({ min: 10, max: 13 }))
          .map(([value, scale]) => toPlainText(BigDecimal.normalize(BigDecimal.make(value, scale))))
        const settings = fc.array(fc.tuple(fc.constantFrom(...pairs), someRate, fc.boolean()), { maxLength: 4 })
        const served = fc.asyncProperty(settings, fc.constantFrom(...pairs), (all, [from, to]) =>
          Effect.gen(function* () {
            for (const [[a, b], one, later] of all) {
              if (later) yield* older(1)
              yield* setRates([a, b, one])
            }
            const there = yield* quote.live(org_id, code(from), code(to))
            const back = yield* quote.live(org_id, code(to), code(from))
            if (Option.isNone(there) || Option.isNone(back)) return
            const round = BigDecimal.multiply(there.value, back.value)
            expect(BigDecimal.lessThanOrEqualTo(round, BigDecimal.make(1n, 0))).toBe(true)
          }).pipe(Effect.provide(runtime), Effect.runPromise)
        )
        yield* Effect.promise(() => fc.assert(served, { numRuns: backend === "memory" ? 300 : 30 }))
      })
    )

    it.effect("locks a rate for 15 minutes for the organisation that looked it up, even when the rate changes", () =>
      Effect.gen(function* () {
        const quote = yield* RateQuote
        const rates = yield* Rates
        const [mine, theirs] = yield* Effect.all([newOrganization(), newOrganization()])
        yield* setRates(["JPY", "USD", "0.0066"], ["USD", "KES", "129"], ["JPY", "KES", "0.841"])
        const permit = operatorPermit("any", "test", Option.some(mine.org_id))
        const found = yield* rates.lookUp(permit, { from: JPY, to: KES, amount: Option.none() })
        yield* setRates(["JPY", "KES", "0.8"])
        expect(found).toMatchObject({ amount: Option.none(), target: Option.none() })
        expect(found.expiresAt.getTime() - found.createdAt.getTime()).toBe(HOUR / 4)
        const { expiresAt } = found
        expect(yield* quote.locked(mine.org_id, found.orgRateId)).toEqual(
          Option.some({
            orgRateId: found.orgRateId,
            from: "JPY",
            to: "KES",
            rate: rate("0.841"),
            amount: null,
            isUsed: false,
            expiresAt,
            readAt: expect.any(Date)
          })
        )
        expect(Option.isSome(yield* quote.locked(mine.org_id, found.orgRateId.toUpperCase()))).toBe(true)
        expect(yield* quote.locked(theirs.org_id, found.orgRateId)).toEqual(Option.none())
        expect(yield* quote.locked(mine.org_id, "no such thing")).toEqual(Option.none())
      })
    )

    it.effect("never serves more than the crossed rate, and less by at least the spread", () =>
      Effect.gen(function* () {
        const { org_id } = yield* newOrganization()
        const quote = yield* RateQuote
        const runtime = yield* Effect.runtime<RateStore | OrganizationStore>()
        const someRate = fc
          .tuple(fc.bigInt(1n, 10n ** 12n - 1n), fc.integer({ min: 0, max: 14 }))
          .map(([value, scale]) => Rate.make(BigDecimal.normalize(BigDecimal.make(value, scale))))
        const spreads = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 9_999 }))
        const served = fc.asyncProperty(someRate, someRate, spreads, (first, second, spread) =>
          Effect.gen(function* () {
            yield* setRates(["CHF", "USD", toPlainText(first)], ["USD", "SEK", toPlainText(second)])
            yield* setSpread(org_id, spread)
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
      it.effect("serves a rate up to that age and no longer", () =>
        Effect.gen(function* () {
          const { org_id } = yield* newOrganization()
          const older = yield* Ageing
          yield* setRates(["USD", "KES", "129.35"])
          yield* older(maxAge - slack)
          expect(yield* liveRate(org_id, USD, KES)).toBe("129.35")
          yield* older(slack + 1)
          const at = yield* setAt("USD", "KES")
          expect(yield* Effect.exit(liveRate(org_id, USD, KES))).toEqual(
            Exit.fail(new StaleRate({ from: USD, to: KES, pair: [USD, KES], updatedAt: new Date(at) }))
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
          yield* Effect.flatMap(Ageing, (older) => older(maxAge + 1))
          expect(yield* Effect.flip(lookUp)).toMatchObject({
            code: "NOT_FOUND",
            message: expect.stringMatching(
              /^The rate from KES to NGN is stale: that of (KES to USD|USD to NGN) was last set at \d{4}-.*Z, an operator sets it with "corridor rates set (KES USD|USD NGN) RATE"\.$/
            )
          })
          expect(yield* Effect.flip(liveRate(org_id, USD, NGN))).toBeInstanceOf(StaleRate)
        })
      )

      it.effect("does not cross when only one leg is fresh", () =>
        Effect.gen(function* () {
          const { org_id } = yield* newOrganization()
          const older = yield* Ageing
          for (const [old, fresh] of [
            [["JPY", "USD", "0.0067"] as const, ["USD", "ETH", "0.0003"] as const],
            [["USD", "ETH", "0.0003"] as const, ["JPY", "USD", "0.0067"] as const]
          ] as const) {
            yield* setRates(old)
            yield* older(maxAge - slack)
            yield* setRates(fresh)
            expect(yield* liveRate(org_id, JPY, ETH)).toBe("0.00000201")
            yield* older(slack + 1)
            const at = yield* setAt(old[0], old[1])
            expect(yield* Effect.flip(liveRate(org_id, JPY, ETH))).toMatchObject({ updatedAt: new Date(at) })
          }
        })
      )
    })
  }
}

/** The clock of the tests is that of an instance; the database has its own. */
layer(servicesOn("PostgreSQL", { RATE_MAX_AGE: "10 minutes" }), { timeout: "60 seconds" })(
  "An instance whose clock is wrong",
  (it) => {
    for (const [name, off] of [
      ["an hour behind", -HOUR],
      ["an hour ahead", HOUR]
    ] as const) {
      it.effect(`and ${name} takes a rate for as old, and a lock for as long, as everybody else does`, () =>
        Effect.gen(function* () {
          const { org_id } = yield* newOrganization()
          const rates = yield* Rates
          const quote = yield* RateQuote
          const older = yield* Ageing
          yield* setRates(["USD", "KES", "129.35"])
          yield* TestClock.setTime((yield* setAt("USD", "KES")) + off)
          const permit = operatorPermit("any", "test", Option.some(org_id))
          const found = yield* rates.lookUp(permit, { from: USD, to: KES, amount: Option.none() })
          expect(Math.abs(found.createdAt.getTime() - (yield* setAt("USD", "KES")))).toBeLessThan(HOUR / 2)
          const lock = Option.getOrThrow(yield* quote.locked(org_id, found.orgRateId))
          expect(Either.isRight(checkLocked(lock, USD, KES))).toBe(true)
          yield* older(HOUR / 6 + 1)
          expect(yield* Effect.flip(liveRate(org_id, USD, KES))).toBeInstanceOf(StaleRate)
        })
      )
    }
  }
)
