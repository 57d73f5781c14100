/**
 * Compares the answers to callers with the records: nothing is contradicted, and nothing exists that was not
 * requested.
 */
import { type Json, jsonOf, responseOf } from "../../simulation/business/ScenarioContext.ts"
import { canMove, type PaymentStatus, paymentStatuses } from "../../../src/domain/PaymentStatus.ts"
import type { Payment } from "../../../src/payments/store/Payment.ts"
import type { LoggedRequest } from "../business/RequestLog.ts"
import type { Read } from "./ReadRecords.ts"

const created = new Set(["payin", "cross-currency payin", "payout", "cross-currency payout", "on-ramp", "off-ramp"])

/** Whether a payment may have moved from one status to the other. */
const mayBecome = (from: PaymentStatus, to: PaymentStatus, seen = new Set<string>()): boolean => {
  if (from === to) return true
  seen.add(from)
  return paymentStatuses.some((next) => !seen.has(next) && canMove(from, next) && mayBecome(next, to, seen))
}

const statusIn = (answer: Json): PaymentStatus | undefined => answer["status"] as PaymentStatus | undefined

/** Compares one request with the payments under its key. */
const paymentProblems = (
  { kind, orgId, replies, what }: LoggedRequest,
  found: ReadonlyArray<Payment>
): ReadonlyArray<string> => {
  if (found.length > 1) return [`${what}: one key made ${found.length} payments`]
  const [payment] = found
  const problems: Array<string> = []
  for (const reply of replies) {
    const answer = reply.status === 200 ? responseOf(reply) : jsonOf(reply)
    const id = answer["payment_id"]
    if (id === undefined) {
      if (payment !== undefined) problems.push(`${what}: refused with ${reply.status}, and there is a payment`)
      continue
    }
    if (payment === undefined || payment.payment_id !== id) {
      problems.push(`${what}: told of payment ${String(id)}, which is not there`)
      continue
    }
    if (payment.org_id !== orgId) problems.push(`${what}: its payment belongs to another organisation`)
    if (reply.status === 502 && payment.status !== "failed") {
      problems.push(`${what}: told that all providers refused, and the payment is ${payment.status}`)
    }
    const said = reply.status === 200 && !kind.endsWith("ramp") ? statusIn(answer) : undefined
    if (said !== undefined && !mayBecome(said, payment.status)) {
      problems.push(`${what}: told ${said}, and the payment is ${payment.status}`)
    }
  }
  return problems
}

/** Compares the numbers of deposits and transfers. */
const countProblems = (
  orders: ReadonlyArray<LoggedRequest>,
  { postings, virtualTransactions }: Read
): ReadonlyArray<string> => {
  const answered = (kind: string) =>
    orders.filter((order) => order.kind === kind && order.replies.some(({ status }) => status === 200)).length
  const entries = (kind: string) =>
    new Set(postings.flatMap((posting) => (posting.kind === kind ? [posting.entry_id] : []))).size
  // Each account had one deposit before the run.
  const first = new Set(virtualTransactions.map(({ account_id }) => account_id)).size
  const counted = [
    ["deposit", answered("deposit") + first, entries("deposit")],
    ["transfer", answered("transfer"), entries("transfer")]
  ] as const
  return counted.flatMap(([kind, reported, booked]) =>
    reported === booked ? [] : [`callers were told of ${reported} ${kind}s, and the books have ${booked}`]
  )
}

export const answerProblems = (orders: ReadonlyArray<LoggedRequest>, read: Read): ReadonlyArray<string> => {
  const byKey = new Map<string, Array<Payment>>()
  for (const payment of read.payments) {
    const key = read.keyOf(payment)
    if (key === null) continue
    byKey.set(key, [...(byKey.get(key) ?? []), payment])
  }
  const withdrawals = orders
    .filter(({ kind }) => kind === "withdrawal")
    .flatMap(({ key, replies, what }) => {
      const made = byKey.get(key)?.length ?? 0
      const reported = replies.some(({ status }) => status === 200) ? 1 : 0
      // A withdrawal that all providers refused was also a payment.
      return made === reported || (made === 1 && replies.every(({ status }) => status !== 200))
        ? []
        : [`${what}: told of ${reported}, and there are ${made}`]
    })
  const known = new Set(orders.map(({ key }) => key))
  return [
    ...orders.flatMap((order) => (created.has(order.kind) ? paymentProblems(order, byKey.get(order.key) ?? []) : [])),
    ...withdrawals,
    ...Array.from(byKey.keys()).flatMap((key) =>
      known.has(key) ? [] : [`there is a payment of ${key}, which was never requested`]
    ),
    ...countProblems(orders, read)
  ]
}
