/**
 * Rate of a payment that was held for review. It keeps the agreed rate for a time, while the live rate is not much
 * worse. Afterwards a reviewer must accept a rate. Nothing here rejects or reprices a payment by itself.
 */
import { BigDecimal, Clock, Context, Duration, Effect, Either, Layer, Option } from "effect"
import { Settings } from "../../platform/config/Settings.ts"
import { toPlainText } from "../../domain/Decimal.ts"
import { given, exceeds, type Rate } from "../../domain/Exchange.ts"
import type { NewFee } from "../../domain/Fee.ts"
import { rampAmounts, withinDrift } from "../../domain/Ramp.ts"
import { Fees } from "../../money/fees/Fees.ts"
import { RateQuote } from "../../money/rates/RateQuote.ts"
import type { Payment } from "../store/Payment.ts"
import { isRamp, rampLegs } from "../route/RampPayout.ts"
import { refuse } from "../settlement/PaymentCommand.ts"
import { catchRefusal } from "../../platform/database/DatabaseFailure.ts"

type Price = Partial<Pick<Payment, "amount" | "target" | "org_rate_id" | "ramp" | "total_fees" | "fee_ids">>

/** The price that a reviewer has accepted, with the words for it, and the fees where it changes them. */
export interface Repriced {
  readonly price: Price
  readonly fees: ReadonlyArray<NewFee> | undefined
  readonly note: string
}

/** Rounds down what is given and up what is taken. Left: why the rate cannot be used. */
const priceAt = (payment: Payment, rate: Rate): Either.Either<Price, string> => {
  if (isRamp(payment)) {
    const { asset, fiat } = rampLegs(payment)
    const { direction } = payment.ramp
    return Either.map(rampAmounts({ direction, fiat, asset, rate }), (crypto) => ({
      ...(direction === "on_ramp" ? { target: crypto } : { amount: crypto }),
      ramp: { ...payment.ramp, rate: toPlainText(rate) }
    }))
  }
  const target = given(payment.amount, { from: payment.amount.currency, to: payment.target.currency, rate })
  return target.isPositive
    ? Either.right({ target })
    : Either.left(`${payment.amount.toString()} would be worth nothing`)
}

const noteOf = (payment: Payment, price: Price, rate: Rate): string => {
  const { amount, target } = { ...payment, ...price }
  const before = `${payment.amount.toString()} for ${payment.target.toString()}`
  return `Priced anew at the rate ${toPlainText(rate)}: ${amount.toString()} for ${target.toString()} instead of ${before}.`
}

const make = Effect.gen(function* () {
  const rates = yield* RateQuote
  const feeRules = yield* Fees
  const { reviewRateTtl } = yield* Settings

  const live = ({ amount, org_id, target }: Payment) =>
    catchRefusal(rates.live(org_id, amount.currency, target.currency), () => Effect.succeedNone)

  /**
   * For the time of a review, and while it is at most 0.5 percent better for the customer than the live rate. A lock that
   * a reviewer's acceptance made has the time of a review already.
   */
  const lockHolds = Effect.fnUntraced(function* (payment: Payment) {
    const { created_at, org_id, org_rate_id } = payment
    if (org_rate_id === null) return true
    const found = yield* rates.locked(org_id, org_rate_id)
    const kept = created_at.getTime() + Duration.toMillis(reviewRateTtl)
    const inTime =
      (yield* Clock.currentTimeMillis) < kept || Option.exists(found, ({ expiresAt, readAt }) => readAt < expiresAt)
    if (!inTime || Option.isNone(found)) return false
    return Option.exists(yield* live(payment), (rate) => !exceeds(found.value.rate, rate))
  })

  /** Whether its amounts still hold. A ramp has no lock: its rate holds as long as a client's would. */
  const holds = Effect.fnUntraced(function* (payment: Payment) {
    if (payment.ramp === null) return yield* lockHolds(payment)
    const agreed = BigDecimal.unsafeFromString(payment.ramp.rate)
    return Option.exists(yield* live(payment), (rate) => withinDrift(agreed, rate))
  })

  /** A payin is charged a share of what it brings. What a payout is charged is held already, of an amount that stays. */
  const feesAt = (payment: Payment) =>
    payment.direction === "inbound"
      ? feeRules.chargeAgain({ ...payment, direction: payment.direction })
      : Effect.succeed({ fees: undefined, totals: {} })

  return {
    holds,
    /** None: its price holds. Fails until the reviewer accepts the rate as it is at this moment. */
    accept: Effect.fnUntraced(function* (payment: Payment, accepted: BigDecimal.BigDecimal | undefined) {
      if (yield* holds(payment)) return Option.none<Repriced>()
      const current = yield* live(payment)
      if (Option.isNone(current)) {
        return yield* refuse(payment, "its rate no longer holds, and there is no other now. Try again later.")
      }
      const rate = current.value
      const text = toPlainText(rate)
      if (accepted === undefined || !BigDecimal.equals(accepted, rate)) {
        const why = `its rate no longer holds and is now ${text}. Send accept_rate ${text} with the review to go on at that, or reject it.`
        return yield* refuse(payment, why, rate)
      }
      const worth = yield* Either.mapLeft(priceAt(payment, rate), (why) => refuse(payment, `${why} at ${text}.`, rate))
      const { fees, totals } = yield* feesAt({ ...payment, ...worth })
      const price = { ...worth, ...totals }
      const note = noteOf(payment, price, rate)
      if (payment.org_rate_id === null) return Option.some<Repriced>({ price, fees, note })
      const { amount, org_id, target } = payment
      const exchange = { from: amount.currency, to: target.currency, rate }
      const { orgRateId } = yield* rates.lock(org_id, exchange, { ttl: reviewRateTtl, amount: amount.toDecimal() })
      // In its own name: whatever becomes of the payment, no other may use a lock that was made for a review.
      yield* rates.spend(org_id, orgRateId, orgRateId)
      return Option.some<Repriced>({ price: { ...price, org_rate_id: orgRateId }, fees, note })
    })
  }
})

export class ReviewRate extends Context.Tag("corridor/ReviewRate")<ReviewRate, Effect.Effect.Success<typeof make>>() {
  static readonly layer = Layer.effect(ReviewRate, make)
}
