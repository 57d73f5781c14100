/** What one currency is worth in another for an organisation: now, and under a lock. For lookups, payments and ramps. */
import { BigDecimal, Clock, Context, Data, Duration, Effect, Layer, Option, Schema } from "effect"
import { Settings } from "../config/Settings.ts"
import { AnyCurrencyCode } from "../domain/CryptoAsset.ts"
import { uuidOrNil } from "../domain/Ids.ts"
import type { LockedRate } from "../domain/LockedRate.ts"
import { liveRateMaxAge } from "../domain/Policies.ts"
import { applySpread, BasisPoints, cross, Rate } from "../domain/Rate.ts"
import { RateLockStore } from "./RateLockStore.ts"
import { RateStore, type StoredRate } from "./RateStore.ts"

/** There is a rate, but nobody has confirmed it for too long. */
export class StaleRate extends Data.TaggedError("StaleRate")<{
  readonly from: AnyCurrencyCode
  readonly to: AnyCurrencyCode
  readonly updatedAt: Date
}> {
  override get message(): string {
    return `The rate from ${this.from} to ${this.to} is stale: it was last set at ${this.updatedAt.toISOString()}.`
  }
}

type Quote = Effect.Effect<Option.Option<Rate>, StaleRate>

const bridge = "USD"
const one = Rate.make(BigDecimal.make(1n, 0))
const rateOf = (text: string): Rate => Rate.make(BigDecimal.unsafeFromString(text))
const decodeCode = Schema.decodeUnknownSync(AnyCurrencyCode)

/** The pair's own row alone when it has one; else both legs through the bridge, or nothing. */
const pathOf = (rows: ReadonlyArray<StoredRate>, from: string, to: string): ReadonlyArray<StoredRate> => {
  const leg = (a: string, b: string) => rows.find((row) => row.from_currency === a && row.to_currency === b)
  const own = leg(from, to)
  if (own !== undefined) return [own]
  const [first, second] = [leg(from, bridge), leg(bridge, to)]
  return first === undefined || second === undefined ? [] : [first, second]
}

export class RateQuote extends Context.Tag("corridor/RateQuote")<
  RateQuote,
  {
    /** Before anyone's spread; a currency is worth itself. */
    readonly base: (from: AnyCurrencyCode, to: AnyCurrencyCode) => Quote
    /** What the organisation's customers get at this moment; nothing is locked. */
    readonly live: (orgId: string, from: AnyCurrencyCode, to: AnyCurrencyCode) => Quote
    /** A lock of this organisation, expired or not; any text may be asked for. */
    readonly locked: (orgId: string, orgRateId: string) => Effect.Effect<Option.Option<LockedRate>>
  }
>() {
  static readonly layer = Layer.effect(
    RateQuote,
    Effect.gen(function* () {
      const rates = yield* RateStore
      const locks = yield* RateLockStore
      const { mode, rateMaxAge } = yield* Settings
      const maxAge = Option.getOrElse(rateMaxAge, () => (mode === "live" ? liveRateMaxAge : Duration.infinity))

      const base = Effect.fn("RateQuote.base")(function* (from: AnyCurrencyCode, to: AnyCurrencyCode) {
        if (from === to) return Option.some(one)
        const path = pathOf(yield* rates.between(from, to, bridge), from, to)
        const oldest = (yield* Clock.currentTimeMillis) - Duration.toMillis(maxAge)
        const stale = path.find(({ updated_at }) => updated_at.getTime() < oldest)
        if (stale !== undefined) return yield* new StaleRate({ from, to, updatedAt: stale.updated_at })
        const [first, second] = path.map(({ rate }) => rateOf(rate))
        if (first === undefined) return Option.none()
        return Option.some(second === undefined ? first : cross(first, second))
      })

      return {
        base,
        live: Effect.fn("RateQuote.live")(function* (orgId, from, to) {
          const rate = yield* base(from, to)
          if (from === to) return rate
          const spread = BasisPoints.make(yield* rates.spreadOf(orgId))
          return Option.map(rate, (before) => applySpread(before, spread))
        }),
        locked: Effect.fn("RateQuote.locked")(function* (orgId, orgRateId) {
          const lock = yield* locks.find(orgId, uuidOrNil(orgRateId))
          return Option.map(lock, ({ expires_at, from_currency, rate, to_currency }) => ({
            from: decodeCode(from_currency),
            to: decodeCode(to_currency),
            rate: rateOf(rate),
            expiresAt: expires_at
          }))
        })
      }
    })
  )
}
