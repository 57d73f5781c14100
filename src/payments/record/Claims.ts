/** What a provider had named beyond the books, and what they take of it once they hear that so much more was there. Pure. */
import type { Money } from "../../domain/Money.ts"
import { type SuspenseMoney, suspenseMoney } from "../store/Change.ts"
import type { Known } from "../store/PaymentStore.ts"
import { collects } from "./Standing.ts"
import { joined } from "./TakenBack.ts"
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
