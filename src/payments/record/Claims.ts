/** What a provider had named beyond the books, and what they take of it once they hear that so much more was there. Pure. */
import type { Money } from "../../domain/Money.ts"
import { type SuspenseMoney, suspenseMoney } from "../store/Change.ts"
import type { Attempt, Payment } from "../store/Payment.ts"
import type { Known } from "../store/PaymentStore.ts"
import type { Source } from "./Ruling.ts"
import { collects } from "./Standing.ts"
import { isEven, joined, noteOfGone } from "./TakenBack.ts"
import { claimedOf, unmatchedAfter } from "./Unmatched.ts"

/** `came`: all that the attempt has brought, or paid, by this word; `arrived`: what of that is nobody's. */
export const withClaims = (known: Known, came: ReadonlyArray<Money>, arrived: ReadonlyArray<SuspenseMoney>) => {
  const { attempt, payment } = known
  const claims = came.map((more) => claimedOf(payment, attempt, more)).filter(({ isPositive }) => isPositive)
  const [amount] = claims
  const gone = claims.map((money) =>
    suspenseMoney(attempt, collects(known) ? money.negate() : money, `claimed ${payment.version}`)
  )
  return {
    moved: joined(arrived, gone),
    unmatched: unmatchedAfter(payment, attempt, { taken: claims.map((money) => money.negate()) }),
    disputed: amount === undefined ? undefined : { kind: "returned" as const, amount }
  }
}

/** What waits because of the attempt that had taken money which comes back. */
export const ofTaker = (taker: Attempt, { others = [], ...source }: Source): Source => ({
  ...source,
  waiting: others.filter(({ about }) => about === taker.attempt_id)
})

/**
 * Its provider had taken more back than the books had there, since they held this money for gone: now that it is not, so
 * much more of it is what was taken.
 */
export const claimsOn = (payment: Payment, back: Money, source: Source) => {
  const { taker } = source
  if (taker === undefined) return undefined
  const known = { payment, attempt: taker }
  const { disputed, moved, unmatched } = withClaims(known, [back], [])
  if (disputed === undefined) return undefined
  const books = ofTaker(taker, source)
  const note = isEven(moved, books) ? undefined : noteOfGone(known, moved, books)
  return { suspense: moved, unmatched, disputed, besides: { about: taker.attempt_id, note } }
}
