/**
 * Rates between two currencies for an organisation, live and locked. For look-ups, payments and ramps.
 *
 * Each currency has one value, in USD: the newer of its two rates against USD. Every quote is made of the values of its
 * two currencies, rounded down. A row of the pair itself, an older inverse rate and the spread only lower a quote. So
 * converting around a cycle never gains money, whatever its length.
 */
import { BigDecimal, Context, Data, Duration, Effect, Layer, Option, Schema } from "effect"
import { type OrgId, Ids, uuidOrNil } from "../../domain/Ids.ts"
import { Settings } from "../../platform/config/Settings.ts"
import { AnyCurrencyCode } from "../../domain/Currency.ts"
import { toPlainText } from "../../domain/Decimal.ts"
import {
  type Exchange,
  applySpread,
  BasisPoints,
  costAt,
  cross,
  cappedByInverse,
  Rate,
  worse
} from "../../domain/Exchange.ts"
import { liveRateMaxAge } from "../../domain/policies/PaymentPolicies.ts"
import { RateLockStore } from "./RateLockStore.ts"
import { type ReadRate, RateStore } from "./RateStore.ts"

type Pair = readonly [from: string, to: string]

const howToSet = ([from, to]: Pair): string => `"corridor rates set ${from} ${to} RATE"`

/** There is a rate, but it was not confirmed for too long. */
export class StaleRate extends Data.TaggedError("StaleRate")<{
  readonly from: AnyCurrencyCode
  readonly to: AnyCurrencyCode
  /** The pair that was not confirmed: this one, or one of the two through USD. */
  readonly pair: Pair
  readonly updatedAt: Date
}> {
  override get message(): string {
    const { from, pair, to, updatedAt } = this
    return `The rate from ${from} to ${to} is stale: that of ${pair.join(" to ")} was last set at ${updatedAt.toISOString()}, an operator sets it with ${howToSet(pair)}.`
  }
}

interface LockTerms {
  readonly ttl: Duration.Duration
  /** The only amount that the lock is good for; null: any up to a limit. */
  readonly amount: BigDecimal.BigDecimal | null
}

const bridge = "USD"
const one = Rate.make(BigDecimal.make(1n, 0))
const rateOf = (text: string): Rate => Rate.make(BigDecimal.unsafeFromString(text))
const decodeCode = Schema.decodeUnknownSync(AnyCurrencyCode)

type Rows = ReadonlyArray<ReadRate>

const rowOf = (rows: Rows, from: string, to: string): ReadRate | undefined =>
  rows.find((row) => row.from_currency === from && row.to_currency === to)

/** The pairs that need a rate before there is a quote. */
const legsOf = (from: string, to: string): ReadonlyArray<Pair> =>
  [from, to].includes(bridge)
    ? [[from, to]]
    : [
        [from, bridge],
        [bridge, to]
      ]

/** The rows that a quote follows from; undefined where there is none. */
const rowsOfQuote = (rows: Rows, from: string, to: string): Rows | undefined => {
  const legs = legsOf(from, to)
  const found = legs.flatMap(([a, b]) => rowOf(rows, a, b) ?? [])
  const own = rowOf(rows, from, to)
  if (found.length < legs.length) return undefined
  return own === undefined || found.includes(own) ? found : [...found, own]
}

/** A rate against USD as it was set; where the way back was set since, no better than its inverse. */
const againstUsd = (rows: Rows, row: ReadRate): Rate => {
  const back = rowOf(rows, row.to_currency, row.from_currency)
  const rate = rateOf(row.rate)
  return back === undefined || back.updated_at < row.updated_at ? rate : cappedByInverse(rate, rateOf(back.rate))
}

/** Rate from fresh rows, before any spread. */
export const baseRate = (rows: Rows, from: string, to: string): Option.Option<Rate> => {
  if (from === to) return Option.some(one)
  const [first, second, own] = rowsOfQuote(rows, from, to) ?? []
  if (first === undefined) return Option.none()
  if (second === undefined) return Option.some(againstUsd(rows, first))
  const crossed = cross(againstUsd(rows, first), againstUsd(rows, second))
  return Option.some(own === undefined ? crossed : worse(crossed, rateOf(own.rate)))
}

/** By the rate to USD; where there is none, by the way back. */
const worthInUsd = (rows: Rows, currency: string): Option.Option<Rate> =>
  Option.orElse(baseRate(rows, currency, bridge), () => Option.map(baseRate(rows, bridge, currency), costAt))

const spreadOf = ([row]: Rows): BasisPoints => BasisPoints.make(row?.spread_bps ?? 0)

const make = Effect.gen(function* () {
  const rates = yield* RateStore
  const locks = yield* RateLockStore
  const ids = yield* Ids
  const { mode, rateMaxAge } = yield* Settings
  const maxAge = Option.getOrElse(rateMaxAge, () => (mode === "live" ? liveRateMaxAge : Duration.infinity))

  const rateFor = Effect.fnUntraced(function* (orgId: OrgId | null, from: AnyCurrencyCode, to: AnyCurrencyCode) {
    if (from === to) return Option.some(one)
    const rows = yield* rates.between(orgId, from, to, bridge)
    const isStale = ({ read_at, updated_at }: ReadRate) =>
      read_at.getTime() - updated_at.getTime() > Duration.toMillis(maxAge)
    const stale = (rowsOfQuote(rows, from, to) ?? []).find(isStale)
    if (stale !== undefined)
      return yield* new StaleRate({
        from,
        to,
        pair: [stale.from_currency, stale.to_currency],
        updatedAt: stale.updated_at
      })
    const fresh = rows.filter((row) => !isStale(row))
    return Option.map(baseRate(fresh, from, to), (rate) => applySpread(rate, spreadOf(rows)))
  })

  return {
    /** Before anyone's spread; a currency is worth itself. */
    base: (from: AnyCurrencyCode, to: AnyCurrencyCode) => rateFor(null, from, to),
    /** Live rate for the organisation's customers; nothing is locked. */
    live: rateFor,
    /** Says which rates are missing for a quote, and how an operator sets them. */
    missing: Effect.fnUntraced(function* (from: AnyCurrencyCode, to: AnyCurrencyCode) {
      const rows = yield* rates.between(null, from, to, bridge)
      const commands = legsOf(from, to)
        .filter(([a, b]) => rowOf(rows, a, b) === undefined)
        .map(howToSet)
      return `no rate from ${from} to ${to}: an operator sets it with ${commands.join(" and ")}`
    }),
    /**
     * Values that a lock is compared with when it is used: the live rate, stale or not, and the worth in USD. One read.
     */
    values: Effect.fnUntraced(function* (orgId: OrgId | null, from: AnyCurrencyCode, to: AnyCurrencyCode) {
      const rows = yield* rates.between(orgId, from, to, bridge)
      const quoted = {
        live: Option.map(baseRate(rows, from, to), (rate) => applySpread(rate, spreadOf(rows))),
        usdPerFrom: worthInUsd(rows, from),
        usdPerTo: worthInUsd(rows, to)
      }
      return Option.all(quoted)
    }),
    /** Makes a lock: from now on for so long, the organisation may use the rate once. */
    lock: Effect.fnUntraced(function* (org_id: OrgId, { from, rate, to }: Exchange, { amount, ttl }: LockTerms) {
      const lock = {
        org_rate_id: yield* ids.next,
        org_id,
        from_currency: from,
        to_currency: to,
        rate: toPlainText(BigDecimal.normalize(rate)),
        amount: amount === null ? null : toPlainText(BigDecimal.normalize(amount))
      }
      const { created_at, expires_at, org_rate_id } = yield* locks.insert(lock, ttl)
      return { orgRateId: org_rate_id, from, to, rate, expiresAt: expires_at, createdAt: created_at }
    }),
    /** A lock of this organisation, expired or not, used or not; any text may be asked for. */
    locked: Effect.fnUntraced(function* (orgId: OrgId, orgRateId: string) {
      const lock = yield* locks.find(orgId, uuidOrNil(orgRateId))
      return Option.map(lock, (found) => ({
        orgRateId: found.org_rate_id,
        from: decodeCode(found.from_currency),
        to: decodeCode(found.to_currency),
        rate: rateOf(found.rate),
        amount: found.amount === null ? null : BigDecimal.unsafeFromString(found.amount),
        isUsed: found.is_used,
        expiresAt: found.expires_at,
        readAt: found.read_at
      }))
    }),
    /** Spends a lock that brings no gain, in the transaction of its use. False when it was used before. */
    spend: locks.spend
  }
})

export class RateQuote extends Context.Tag("corridor/RateQuote")<RateQuote, Effect.Effect.Success<typeof make>>() {
  static readonly layer = Layer.effect(RateQuote, make)
}
