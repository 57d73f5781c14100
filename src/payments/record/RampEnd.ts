/** The end of a ramp: nobody may pay for it any more, and who has taken it on is asked what became of it. Pure. */
import { Duration, Option } from "effect"
import type { AttemptOutcome } from "../../domain/Settlement.ts"
import type { Payment } from "../store/Payment.ts"
import type { Known } from "../store/PaymentStore.ts"
import type { Moment, Source } from "./Ruling.ts"

/** With the time by the clock that all instances share. */
export interface SharedMoment extends Moment {
  readonly shared: Date
}

const MILLIS_PER_SECOND = 1000

export const isExpired = ({ expires_at }: Payment, { shared }: SharedMoment): boolean =>
  expires_at !== null && expires_at <= shared

/**
 * While nobody has paid, the provider is asked at the moment when nobody may pay any more, however often it was asked before:
 * what it has taken on and nobody pays would never end otherwise.
 */
const atExpiry = ({ expires_at }: Payment, outcome: AttemptOutcome | null, moment: SharedMoment): SharedMoment => {
  const { enquireIn, shared } = moment
  // A duration is never below zero, and this is, once nobody may pay any more.
  const left = expires_at === null ? 0 : (expires_at.getTime() - shared.getTime()) / MILLIS_PER_SECOND + 1
  if (left < 1 || (Option.isNone(enquireIn) && outcome !== "accepted")) return moment
  const end = Duration.seconds(left)
  const next = Option.getOrElse(enquireIn, () => end)
  return { ...moment, enquireIn: Option.some(Duration.min(next, end)) }
}

/** A word about what is to be collected, with when that is asked about next. */
export const untilItsEnd = (
  { attempt, payment }: Known,
  outcome: AttemptOutcome | null,
  source: Source,
  moment: SharedMoment
): { readonly source: Source; readonly moment: SharedMoment } => {
  // For a hint it is asked as planned: where nothing is planned any more, its end is.
  const unplanned = !isExpired(payment, moment) && outcome === "accepted" && attempt.next_enquiry_at === null
  return { source: unplanned ? { ...source, hinted: false } : source, moment: atExpiry(payment, outcome, moment) }
}
