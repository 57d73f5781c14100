/** Nothing is stuck: what has not ended waits for a provider who will be asked, for its customer, or for a person who knows. */
import type { Attempt, Payment } from "../../src/payments/store/Payment.ts"
import { canMove, type PaymentStatus } from "../../src/domain/PaymentStatus.ts"
import type { Scene } from "../business/Scene.ts"

const final: ReadonlyArray<PaymentStatus> = ["completed", "failed", "refunded", "rejected", "canceled"]

const customers = ["redirect", "bank_transfer", "pay_by_link", "collect_otp"]

const stuckProblems = (payment: Payment, attempts: ReadonlyArray<Attempt>, items: ReadonlyArray<string>) => {
  if (final.includes(payment.status) || items.length > 0) return []
  if (
    attempts.some(
      ({ next_enquiry_at, sends }) => next_enquiry_at !== null || (sends === 0 && payment.status === "processing")
    )
  )
    return []
  const waitsForCustomer = payment.status === "pending" && customers.includes(payment.next_action ?? "")
  return waitsForCustomer
    ? []
    : [
        `a ${payment.direction} payment is ${payment.status} (${payment.next_action}), and nobody does anything about it`
      ]
}

const attemptProblems = (payment: Payment, attempt: Attempt, items: ReadonlyArray<string>) => {
  const part = payment.refunds.find(({ refund_id }) => refund_id === attempt.attempt_id)
  const unknown = attempt.outcome === null || attempt.outcome === "unknown"
  const isRefundOpen = part?.state === "open"
  if (!(attempt.leg === "return" ? unknown : isRefundOpen)) return []
  return attempt.next_enquiry_at === null && !items.includes(attempt.attempt_id)
    ? [`a ${attempt.leg} is ${attempt.outcome ?? "unanswered"}, and nobody does anything about it`]
    : []
}

const historyProblems = ({ world }: Scene, payment: Payment) => {
  const rows = Array.from(world.tables.history.values())
    .filter(({ payment_id }) => payment_id === payment.payment_id)
    .sort((a, b) => a.version - b.version)
  const problems: Array<string> = []
  let before: PaymentStatus | null = null
  for (const { from_status, to_status } of rows) {
    if (from_status !== before) problems.push(`a payment went on from ${from_status} though it was ${before}`)
    if (before !== null && !canMove(before, to_status)) problems.push(`a payment went from ${before} to ${to_status}`)
    if (before !== null && final.includes(before) && !(before === "completed" && to_status === "refunded")) {
      problems.push(`a payment left ${before} for ${to_status}`)
    }
    before = to_status
  }
  if (before !== payment.status) problems.push(`a payment is ${payment.status}, and its history ends with ${before}`)
  return problems
}

const reviewProblems = ({ world }: Scene, payment: Payment) => {
  const open = Array.from(world.tables.operatorItems.values()).some(
    ({ closed_at, kind, payment_id }) => payment_id === payment.payment_id && kind === "review" && closed_at === null
  )
  const held = payment.status === "initiated" && payment.next_action === "wait"
  if (held && !open) return ["a payment is held for a review, and no item says so"]
  return open && final.includes(payment.status)
    ? [`an item asks for a review of a payment that is ${payment.status}`]
    : []
}

/** An item about an outcome that everybody knows keeps a person busy for nothing. */
const idleItemProblems = ({ world }: Scene, payment: Payment, attempts: ReadonlyArray<Attempt>) =>
  Array.from(world.tables.operatorItems.values()).flatMap(({ attempt_id, closed_at, kind, payment_id }) => {
    if (payment_id !== payment.payment_id || kind !== "unknown_outcome" || closed_at !== null) return []
    const attempt = attempts.find((one) => one.attempt_id === attempt_id)
    if (attempt === undefined) return ["an item is about an attempt that does not exist"]
    return attempt.next_enquiry_at !== null
      ? [`an item asks for what became of a ${attempt.leg} that is still asked about`]
      : []
  })

export const progressProblems = (scene: Scene): ReadonlyArray<string> => {
  const { attempts, operatorItems, payments } = scene.world.tables
  return Array.from(payments.values()).flatMap((payment) => {
    const own = Array.from(attempts.values()).filter(({ payment_id }) => payment_id === payment.payment_id)
    const items = Array.from(operatorItems.values())
      .filter(({ closed_at, payment_id }) => payment_id === payment.payment_id && closed_at === null)
      .map(({ attempt_id }) => attempt_id ?? "")
    return [
      ...stuckProblems(payment, own, items),
      ...own.flatMap((attempt) => attemptProblems(payment, attempt, items)),
      ...historyProblems(scene, payment),
      ...reviewProblems(scene, payment),
      ...idleItemProblems(scene, payment, own)
    ]
  })
}
