/** Rules for progress: an open payment has a timer or an item, and every status has a history. */
import type { Attempt, Payment } from "../../../src/payments/store/Payment.ts"
import { unallocatedSums } from "../../../src/payments/store/UnallocatedMoney.ts"
import { canCorrect, canMove, type PaymentStatus } from "../../../src/domain/PaymentStatus.ts"
import type { Dossier } from "./RecordRules.ts"
import type { Orders } from "../providers/ProviderOrders.ts"

const final: ReadonlyArray<PaymentStatus> = ["completed", "failed", "refunded", "rejected", "canceled"]

const stuckProblems = (payment: Payment, attempts: ReadonlyArray<Attempt>, items: ReadonlyArray<string>) => {
  if (final.includes(payment.status) || items.length > 0) return []
  if (
    attempts.some(
      ({ next_enquiry_at, sends }) => next_enquiry_at !== null || (sends === 0 && payment.status === "processing")
    )
  )
    return []
  // A payin that waits for its card has no attempt; its expiry is the timer.
  const open = attempts.filter(({ outcome }) => outcome !== "declined")
  return open.length === 0 && payment.status === "pending" && payment.expires_at !== null
    ? []
    : [`a ${payment.direction} payment is ${payment.status} (${payment.next_action}), and has neither timer nor item`]
}

const attemptProblems = (payment: Payment, attempt: Attempt, items: ReadonlyArray<string>) => {
  const part = payment.refunds.find(({ refund_id }) => refund_id === attempt.attempt_id)
  const unknown = attempt.outcome === null || attempt.outcome === "unknown"
  const isRefundOpen = part?.state === "open"
  if (!(attempt.leg === "return" ? unknown : isRefundOpen)) return []
  return attempt.next_enquiry_at === null && !items.includes(attempt.attempt_id)
    ? [`a ${attempt.leg} is ${attempt.outcome ?? "unanswered"}, and has neither timer nor item`]
    : []
}

const historyProblems = ({ history, payment }: Dossier) => {
  const problems: Array<string> = []
  let before: PaymentStatus | null = null
  for (const { from_status, to_status } of history) {
    if (from_status !== before) problems.push(`a payment went on from ${from_status} though it was ${before}`)
    // An operator may correct a failed ramp that was settled.
    const isCorrected = before !== null && canCorrect(before, to_status) && payment.direction === "external"
    if (before !== null && !canMove(before, to_status) && !isCorrected)
      problems.push(`a payment went from ${before} to ${to_status}`)
    const isRefunded = before === "completed" && to_status === "refunded"
    if (before !== null && final.includes(before) && !isRefunded && !isCorrected) {
      problems.push(`a payment left ${before} for ${to_status}`)
    }
    before = to_status
  }
  if (before !== payment.status) problems.push(`a payment is ${payment.status}, and its history ends with ${before}`)
  return problems
}

const reviewProblems = ({ items, payment }: Dossier) => {
  const open = items.some(({ closed_at, kind }) => kind === "review" && closed_at === null)
  const held = payment.status === "initiated" && payment.next_action === "wait"
  if (held && !open) return ["a payment is held for a review, and no item says so"]
  return open && final.includes(payment.status)
    ? [`an item asks for a review of a payment that is ${payment.status}`]
    : []
}

/** An item about a known outcome is a problem. */
const idleItemProblems = ({ attempts, items }: Dossier) =>
  items.flatMap(({ attempt_id, closed_at, kind }) => {
    if (kind !== "unknown_outcome" || closed_at !== null) return []
    const attempt = attempts.find((one) => one.attempt_id === attempt_id)
    if (attempt === undefined) return ["an item is about an attempt that does not exist"]
    return attempt.next_enquiry_at !== null
      ? [`an item asks for what became of a ${attempt.leg} that is still asked about`]
      : []
  })

export const progressProblems = (dossier: Dossier): ReadonlyArray<string> => {
  const { attempts, payment } = dossier
  const items = [
    ...dossier.items.flatMap(({ attempt_id, closed_at }) => (closed_at === null ? [attempt_id ?? ""] : [])),
    ...unallocatedSums(payment, dossier.books).map(({ attempt_id }) => attempt_id)
  ]
  return [
    ...stuckProblems(payment, attempts, items),
    ...attempts.flatMap((attempt) => attemptProblems(payment, attempt, items)),
    ...historyProblems(dossier),
    ...reviewProblems(dossier),
    ...idleItemProblems(dossier)
  ]
}

/** An attempt is declined only if its provider refused or never had it, or an operator found that. */
export const refusalProblems = ({ attempts }: Dossier, orders: Orders): ReadonlyArray<string> =>
  attempts.flatMap(({ attempt_id, leg, outcome, provider }) =>
    outcome === "declined" && orders.mayStand(attempt_id)
      ? [`a ${leg} at ${provider} counts as refused, and was not`]
      : []
  )

const isByHand = (cause: string): boolean => /^(canceled|rejected) by /.test(cause)

/** No ramp is cancelled before its expiry. `writtenAt`: time of each version, by the database's clock. */
export const rampEndProblems = (
  { history, payment }: Dossier,
  writtenAt: (version: number) => number | undefined
): ReadonlyArray<string> => {
  const { expires_at } = payment
  if (payment.direction !== "external" || expires_at === null) return []
  return history.flatMap(({ cause, to_status, version }) => {
    const at = writtenAt(version)
    if (to_status !== "canceled" || isByHand(cause) || at === undefined || at >= expires_at.getTime()) return []
    return [`a ramp was called off ${Math.round((expires_at.getTime() - at) / 1000)} s before its end (${cause})`]
  })
}
