/** What one currency is worth in another for an organisation: now, and under a lock. For lookups, payments and ramps. */
import { BigDecimal, Context, Data, Duration, Effect, Layer, Option, Schema } from "effect"
import type { OrgId } from "../../domain/Identifiers.ts"
import { Settings } from "../../platform/config/Settings.ts"
import { AnyCurrencyCode } from "../../domain/CryptoAsset.ts"
import { toPlainText } from "../../domain/Decimal.ts"
import type { Exchange } from "../../domain/Exchange.ts"
import { Ids, uuidOrNil } from "../../domain/Ids.ts"
import type { LockedRate } from "../../domain/LockedRate.ts"
import { liveRateMaxAge } from "../../domain/policies/Payments.ts"
import { applySpread, BasisPoints, cross, heldTo, Rate } from "../../domain/Rate.ts"
import { RateLockStore } from "./RateLockStore.ts"
import { type ReadRate, RateStore } from "./RateStore.ts"

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

export interface NewLock extends Exchange {
  readonly orgRateId: string
  readonly expiresAt: Date
  readonly createdAt: Date
}

type Quote = Effect.Effect<Option.Option<Rate>, StaleRate>

const bridge = "USD"
const one = Rate.make(BigDecimal.make(1n, 0))
const rateOf = (text: string): Rate => Rate.make(BigDecimal.unsafeFromString(text))
const decodeCode = Schema.decodeUnknownSync(AnyCurrencyCode)

type Rows = ReadonlyArray<ReadRate>

const rowOf = (rows: Rows, from: string, to: string): ReadRate | undefined =>
  rows.find((row) => row.from_currency === from && row.to_currency === to)

/** The pair's own row alone when it has one; else both legs through the bridge, or nothing. */
const pathOf = (rows: Rows, from: string, to: string): Rows => {
  const own = rowOf(rows, from, to)
  if (own !== undefined) return [own]
  const [first, second] = [rowOf(rows, from, bridge), rowOf(rows, bridge, to)]
  return first === undefined || second === undefined ? [] : [first, second]
}

/** As it was set; where the way back was set since, no better than its inverse: nobody gains by going there and back. */
const setRate = (rows: Rows, row: ReadRate): Rate => {
  const back = rowOf(rows, row.to_currency, row.from_currency)
  const rate = rateOf(row.rate)
  return back === undefined || back.updated_at < row.updated_at ? rate : heldTo(rate, rateOf(back.rate))
}

/** What follows from rates of other pairs is held to the rate of its own way back, if that was set. */
const crossedRate = (rows: Rows, first: ReadRate, second: ReadRate): Rate => {
  const rate = cross(setRate(rows, first), setRate(rows, second))
  const back = rowOf(rows, second.to_currency, first.from_currency)
  return back === undefined ? rate : heldTo(rate, rateOf(back.rate))
}

export class RateQuote extends Context.Tag("corridor/RateQuote")<
  RateQuote,
  {
    /** Before anyone's spread; a currency is worth itself. */
    readonly base: (from: AnyCurrencyCode, to: AnyCurrencyCode) => Quote
    /** What the organisation's customers get at this moment; nothing is locked. */
    readonly live: (orgId: OrgId, from: AnyCurrencyCode, to: AnyCurrencyCode) => Quote
    /** From now on for so long, whoever names its id may use the rate for this organisation. */
    readonly lock: (orgId: OrgId, exchange: Exchange, ttl: Duration.Duration) => Effect.Effect<NewLock>
    /** A lock of this organisation, expired or not; any text may be asked for. */
    readonly locked: (orgId: OrgId, orgRateId: string) => Effect.Effect<Option.Option<LockedRate>>
  }
>() {
  static readonly layer = Layer.effect(
    RateQuote,
    Effect.gen(function* () {
      const rates = yield* RateStore
      const locks = yield* RateLockStore
      const ids = yield* Ids
      const { mode, rateMaxAge } = yield* Settings
      const maxAge = Option.getOrElse(rateMaxAge, () => (mode === "live" ? liveRateMaxAge : Duration.infinity))

      const rateFor = Effect.fn("RateQuote.rate")(function* (
        orgId: OrgId | null,
        from: AnyCurrencyCode,
        to: AnyCurrencyCode
      ) {
        if (from === to) return Option.some(one)
        const rows = yield* rates.between(orgId, from, to, bridge)
        const path = pathOf(rows, from, to)
        const isStale = ({ read_at, updated_at }: ReadRate) =>
          read_at.getTime() - updated_at.getTime() > Duration.toMillis(maxAge)
        const fresh = rows.filter((row) => !isStale(row))
        const stale = path.find(isStale)
        if (stale !== undefined) return yield* new StaleRate({ from, to, updatedAt: stale.updated_at })
        const [first, second] = path
        if (first === undefined) return Option.none()
        const rate = second === undefined ? setRate(fresh, first) : crossedRate(fresh, first, second)
        return Option.some(applySpread(rate, BasisPoints.make(first.spread_bps)))
      })

      return {
        base: (from, to) => rateFor(null, from, to),
        live: rateFor,
        lock: Effect.fn("RateQuote.lock")(function* (org_id, { from, rate, to }, ttl) {
          const lock = {
            org_rate_id: yield* ids.next,
            org_id,
            from_currency: from,
            to_currency: to,
            rate: toPlainText(BigDecimal.normalize(rate))
          }
          const { created_at, expires_at, org_rate_id } = yield* locks.insert(lock, ttl)
          return { orgRateId: org_rate_id, from, to, rate, expiresAt: expires_at, createdAt: created_at }
        }),
        locked: Effect.fn("RateQuote.locked")(function* (orgId, orgRateId) {
          const lock = yield* locks.find(orgId, uuidOrNil(orgRateId))
          return Option.map(lock, ({ expires_at, from_currency, rate, read_at, to_currency }) => ({
            from: decodeCode(from_currency),
            to: decodeCode(to_currency),
            rate: rateOf(rate),
            expiresAt: expires_at,
            readAt: read_at
          }))
        })
      }
    })
  )
}
