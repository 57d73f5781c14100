/** Builds, as a pure function, all that one word about a refund changes. */
import type { Word } from "../../domain/Settlement.ts"
import type { Attempt, Change, Payment, Refund } from "../Payment.ts"
import {
  attemptPatch,
  calledBack,
  callbackRow,
  type Moment,
  noted,
  operatorItem,
  type Source
} from "../PaymentChange.ts"
import { suspenseMoney } from "../PaymentBooks.ts"
import { eventsOf } from "../PaymentEvents.ts"
import { decideRefund, type RefundDecision, statusAfter } from "./RefundDecision.ts"

interface Known {
  readonly payment: Payment
  readonly attempt: Attempt
  readonly refunds: ReadonlyArray<Refund>
}

const suspenseNote = ({ payment, attempt }: Known, refund: Refund): string =>
  `${attempt.provider} reports a refund of ${refund.amount.toString()} that the payment, which is ${payment.status}, has no place for: an operator must settle it.`

/** A refund is written in one statement with its attempt: one without the other is a defect. */
const refundOf = ({ attempt, refunds }: Known): Refund => {
  const refund = refunds.find(({ refund_id }) => refund_id === attempt.attempt_id)
  if (refund === undefined) throw new Error(`attempt ${attempt.attempt_id} is a refund without its row`)
  return refund
}

export const refundChangeOf = (
  known: Known,
  word: Word,
  source: Source,
  moment: Moment
): { readonly change: Change; readonly decision: RefundDecision; readonly after: Payment } => {
  const { attempt, payment, refunds } = known
  const refund = refundOf(known)
  const decision = decideRefund({ payment: payment.status, state: refund.state, outcome: attempt.outcome }, word)
  const { outcome, state, suspense } = decision
  const status = statusAfter(
    payment,
    refunds.map((one) => (one === refund ? { ...refund, state } : one))
  )
  const note = suspenseNote(known, refund)
  const patch = {
    ...calledBack(source, moment),
    ...(suspense ? { comments: noted(payment.comments, note) } : {})
  }
  const answered = attemptPatch(attempt, word, { outcome, waits: state === "open" }, source, moment)
  const after: Payment = { ...payment, ...patch, status, version: payment.version + 1, updated_at: moment.at }
  const openItem = operatorItem(payment, attempt, { outcome, suspense, note }, answered, moment)
  const effect = suspense ? "suspense" : state === refund.state ? "nothing to change" : "applied"
  const settles = state !== refund.state && state !== "open"
  const change: Change = {
    payment,
    status,
    patch,
    cause: source.cause,
    at: moment.at,
    attempt: answered,
    events: eventsOf(moment.newId, after, payment.status, false, moment.at),
    ...(settles ? { settledRefund: { ...refund, state } } : {}),
    // A part that was given up, and its money released, went all the same.
    ...(suspense && !settles ? { suspense: suspenseMoney(payment, attempt, refund) } : {}),
    ...(source.callback === undefined
      ? {}
      : { callback: callbackRow(payment, attempt, word, effect, source.callback, moment) }),
    ...(openItem === undefined ? {} : { openItem }),
    ...(attempt.outcome === "unknown" && outcome !== "unknown"
      ? { closeItems: { kind: "unknown_outcome" as const, by: source.cause, attempt_id: attempt.attempt_id } }
      : {})
  }
  return { change, decision, after }
}
