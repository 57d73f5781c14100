/** What the books decide about a word before the state of its payment does. Pure. */
import { Either } from "effect"
import type { ProviderSignal } from "../../domain/Settlement.ts"
import type { Known } from "../store/PaymentStore.ts"
import { disputeIn, isRegained, withExcess } from "./Dispute.ts"
import { disputeChangeOf } from "./DisputeChange.ts"
import { isOwnRefund, ownRefundChangeOf, withoutOwnRefunds, withSaid } from "./OwnRefunds.ts"
import type { SharedMoment } from "./Expiry.ts"
import { isReturned, type Moment, type Ruled, type Source } from "./Ruling.ts"
import { withoutRegained, withUnmatched } from "./Unmatched.ts"

/** Only a word about money that goes back, or that may join what came before, needs the books. */
export const needsBooks = ({ attempt }: Known, signal: ProviderSignal): boolean =>
  attempt.leg === "return" ||
  isReturned(signal) ||
  isRegained(signal) ||
  Object.keys(attempt.received).length > 0 ||
  attempt.reason !== null

/** Ruled on, where it is about a part, or about a refund of ours; otherwise what the state of the payment is to decide on. */
export const disputedOr = (
  known: Known,
  signal: ProviderSignal,
  heard: Source,
  moment: Moment | SharedMoment
): Either.Either<Source, Ruled> => {
  const dispute = disputeIn(known, signal, heard)
  if (dispute !== undefined) return Either.left(disputeChangeOf(known, signal, dispute, heard, moment))
  const before = withoutRegained(known, signal, withExcess(known, signal, heard))
  const source = withSaid(known, signal, withUnmatched(known, signal, withoutOwnRefunds(known, signal, before)))
  return isOwnRefund(known, signal, source)
    ? Either.left(ownRefundChangeOf(known, signal, source, moment))
    : Either.right(source)
}
