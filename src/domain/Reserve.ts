/**
 * Rolling reserve and payout delay: the part of a payin that its organisation can spend only later. A delay reserves
 * everything that the rolling reserve leaves. Pure.
 */
import { type BigDecimal, Either, Schema } from "effect"
import { type Flow, PaymentMethod } from "./Corridor.ts"
import { AnyCurrencyCode, computedScaleOf } from "./Currency.ts"
import { divideRounded } from "./Decimal.ts"
import { wholeInBasisPoints } from "./Fee.ts"
import { Money } from "./Money.ts"

const MS_PER_DAY = 86_400_000

export const longestReserve = 365
export const longestDelay = 90

/** Terms of a payin, as they were when it was initiated. */
export const ReserveTerms = Schema.Struct({
  /** Share of the credited amount before fees. */
  basis_points: Schema.Int,
  reserve_days: Schema.Int,
  delay_days: Schema.Int
})
export type ReserveTerms = typeof ReserveTerms.Type

/** Reserve terms of one payment method of an organisation. */
export const ReserveRule = Schema.Struct({
  payment_method: PaymentMethod,
  ...ReserveTerms.fields,
  /** Stays in the reserve: a release that would leave less waits. Decimal text; null: none. */
  minimum_amount: Schema.NullOr(Schema.String),
  minimum_currency: Schema.NullOr(Schema.typeSchema(AnyCurrencyCode))
})
export type ReserveRule = typeof ReserveRule.Type

interface ReservePart {
  readonly amount: Money
  readonly release_at: Date
  /** Null: still in the reserve. */
  readonly released_at: Date | null
  /** Amount that was released; the rest had paid refunds and chargebacks. */
  readonly released: Money | null
}

/** Reserve of a payin. It has no parts until the payin is completed. */
export interface PaymentReserve extends ReserveTerms {
  readonly parts: ReadonlyArray<ReservePart>
}

export const minimumOf = ({ minimum_amount, minimum_currency }: ReserveRule): Money | null =>
  minimum_amount === null || minimum_currency === null
    ? null
    : Either.getOrThrow(Money.fromNumericText(minimum_amount, minimum_currency))

interface WantedRule extends Omit<ReserveRule, "minimum_amount"> {
  readonly minimum_amount: BigDecimal.BigDecimal | null
}

/** Left: the field and the reason. */
export const reserveRule = ({ minimum_amount, ...wanted }: WantedRule): Either.Either<ReserveRule, string> => {
  const { basis_points, minimum_currency, reserve_days } = wanted
  if (basis_points > 0 && reserve_days === 0) return Either.left("reserve_days: is needed with basis_points.")
  if (reserve_days > 0 && basis_points === 0) return Either.left("basis_points: is needed with reserve_days.")
  if (minimum_amount === null || minimum_amount.value === 0n) {
    return Either.right({ ...wanted, minimum_amount: null, minimum_currency: null })
  }
  if (isOff(wanted)) {
    return Either.left("minimum_amount: needs basis_points or delay_days, since they fill the reserve.")
  }
  if (minimum_currency === null) return Either.left("minimum_currency: is needed with minimum_amount.")
  return Either.mapBoth(Money.fromDecimal(minimum_amount, minimum_currency), {
    onLeft: (why) => `minimum_amount: ${why}.`,
    onRight: (money) => ({ ...wanted, minimum_amount: money.toNumericText() })
  })
}

/** Sum of the minimums in a currency: all methods share one reserve account. */
export const minimumIn = (rules: ReadonlyArray<ReserveRule>, currency: AnyCurrencyCode): bigint =>
  rules.reduce((sum, rule) => (rule.minimum_currency === currency ? sum + (minimumOf(rule)?.minor ?? 0n) : sum), 0n)

/** Rule for payins of a method; undefined: none. */
export const ruleFor = (
  rules: ReadonlyArray<ReserveRule>,
  { direction, payment_method }: { readonly direction: Flow; readonly payment_method: PaymentMethod }
): ReserveRule | undefined =>
  direction === "inbound" ? rules.find((rule) => rule.payment_method === payment_method) : undefined

/** Holds nothing back. */
export const isOff = ({ basis_points, delay_days }: ReserveTerms): boolean => basis_points === 0 && delay_days === 0

const inDays = (at: Date, days: number): Date => new Date(at.getTime() + days * MS_PER_DAY)

/** Rounded half-even to the digits that the service computes; at most what the fees leave. */
const shareOf = ({ currency, exponent, minor }: Money, net: bigint, basis_points: number): bigint => {
  const finest = 10n ** BigInt(exponent - computedScaleOf(currency))
  const exact = minor * BigInt(basis_points)
  const share = divideRounded(exact, BigInt(wholeInBasisPoints) * finest, "half-even") * finest
  return share > net ? net : share
}

/** Parts of a payin that was completed at `at`, the earliest release first. They never exceed what the fees leave. */
export const reservedParts = (
  terms: ReserveTerms,
  credited: Money,
  fees: Money | null,
  at: Date
): ReadonlyArray<ReservePart> => {
  const { currency, minor } = credited
  const net = minor - (fees?.minor ?? 0n)
  const reserved = terms.reserve_days === 0 ? 0n : shareOf(credited, net, terms.basis_points)
  const delayed = terms.delay_days === 0 ? 0n : net - reserved
  const part = (amount: bigint, days: number): ReadonlyArray<ReservePart> =>
    amount <= 0n
      ? []
      : [
          {
            amount: new Money({ currency, minor: amount }),
            release_at: inDays(at, days),
            released_at: null,
            released: null
          }
        ]
  // A reserve is never released before the delay ends.
  return [...part(delayed, terms.delay_days), ...part(reserved, Math.max(terms.reserve_days, terms.delay_days))]
}

/** Amount of all parts that were not released. */
export const openAmount = (parts: ReadonlyArray<ReservePart>): bigint =>
  parts.reduce((sum, { amount, released_at }) => (released_at === null ? sum + amount.minor : sum), 0n)

/** Time of the next release; null: none. */
export const nextRelease = (parts: ReadonlyArray<ReservePart>): Date | null =>
  parts.find(({ released_at }) => released_at === null)?.release_at ?? null

/** Remaining amount of each part of `held`: refunds and chargebacks take from the part that is released last. */
export const standingParts = (
  parts: ReadonlyArray<ReservePart>,
  held: bigint
): ReadonlyArray<{ readonly part: ReservePart; readonly left: bigint }> => {
  let rest = held
  return parts.map((part) => {
    const left = part.released_at !== null ? 0n : part.amount.minor < rest ? part.amount.minor : rest
    rest -= left
    return { part, left }
  })
}

/** Releases the parts that are due. */
export const released = (parts: ReadonlyArray<ReservePart>, held: bigint, now: Date): ReadonlyArray<ReservePart> =>
  standingParts(parts, held).map(({ left, part }) =>
    part.released_at !== null || part.release_at > now
      ? part
      : { ...part, released_at: now, released: new Money({ currency: part.amount.currency, minor: left }) }
  )
