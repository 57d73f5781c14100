/** Time of the next due row of each worker: it sleeps until then. */
import { escrowPayoutTables } from "../../../src/treasury/escrow/EscrowPayoutMemory.ts"
import { webhookTables } from "../../../src/webhooks/EventMemory.ts"
import { paymentTables, booksIn } from "../../../src/payments/store/AttemptQueueMemory.ts"
import { isReversed, unallocatedOf } from "../../../src/payments/store/PaymentPostings.ts"
import type { Opened } from "../../../src/platform/database/MemoryDatabase.ts"
import { reserveTables } from "../../../src/money/ledger/LedgerMemory.ts"
import { Duration } from "effect"
import { unmatchedCallbackWindow } from "../../../src/domain/policies/PaymentPolicies.ts"

export const watchedTables = { ...paymentTables, ...webhookTables, ...escrowPayoutTables, ...reserveTables }

type Tables = Opened<typeof watchedTables>

const never = Infinity

const enquiries = ({ attempts }: Tables): number => {
  let first = never
  for (const { hint_at, leased_until, next_enquiry_at, sends } of attempts.values()) {
    if (sends === 0) continue
    const due = Math.min(next_enquiry_at?.getTime() ?? never, hint_at?.getTime() ?? never)
    if (due < never) first = Math.min(first, Math.max(due, leased_until?.getTime() ?? 0))
  }
  return first
}

const settlements = (tables: Tables): number => {
  const { attempts, payments } = tables
  for (const { outcome, payment_id, sends } of attempts.values()) {
    const payment = payments.get(payment_id)
    if (sends > 0 || outcome !== null || payment?.status !== "processing") continue
    // A reversed ramp is not sent.
    if (!isReversed(payment, booksIn(tables, payment_id))) return 0
  }
  return never
}

const MATCHED_WITHIN = 5_000

/** A callback that matches by id at another account is checked only for a moment. */
const unmatchedCallbacks = ({ attempts, callbacks }: Tables, now: number): number => {
  let first = never
  for (const callback of callbacks.values()) {
    if (!("signal" in callback) || callback.payment_id !== null || callback.provider_payment_id === null) continue
    if (callback.received_at.getTime() <= now - Duration.toMillis(unmatchedCallbackWindow)) continue
    for (const { account, answered_at, provider, provider_payment_id } of attempts.values()) {
      if (provider !== callback.provider || provider_payment_id !== callback.provider_payment_id) continue
      const since = Math.max(callback.received_at.getTime(), answered_at?.getTime() ?? 0)
      if (account === callback.account || now < since + MATCHED_WITHIN) first = 0
    }
  }
  return first
}

const cardWaits = ({ cardWaits: waits }: Tables): number =>
  Math.min(never, ...Array.from(waits.values(), ({ expires_at }) => expires_at.getTime()))

/** A release waits while a chargeback of its payment is undecided. */
const reserves = (tables: Tables): number => {
  let first = never
  for (const [payment_id, { release_at }] of tables.reserves) {
    const payment = tables.payments.get(payment_id)
    if (release_at === null || payment === undefined) continue
    const isDisputed = unallocatedOf(payment, booksIn(tables, payment_id)).some(({ money }) => money.isNegative)
    if (!isDisputed) first = Math.min(first, release_at.getTime())
  }
  return first
}

const finalStatuses: ReadonlyArray<string> = ["completed", "failed", "rejected", "canceled"]

/** A sent payout is due when its payment has ended. */
const escrowPayouts = ({ escrowPayouts: payouts, payments }: Tables): number => {
  let first = never
  for (const { due_at, payment_id, status } of payouts.values()) {
    const isWaiting = status === "waiting" || finalStatuses.includes(payments.get(payment_id)?.status ?? "")
    if (due_at !== null && isWaiting) first = Math.min(first, due_at.getTime())
  }
  return first
}

const webhooks = ({ webhookQueue, webhooks: endpoints }: Tables): number => {
  let first = never
  for (const { next_at, webhook_id } of webhookQueue.values()) {
    if (endpoints.get(webhook_id)?.status === "active") first = Math.min(first, next_at.getTime())
  }
  return first
}

export const dueFor = (tables: Tables, worker: string, now: number): number => {
  switch (worker) {
    case "enquiries":
      return enquiries(tables)
    case "card waits":
      return cardWaits(tables)
    case "escrow payouts":
      return escrowPayouts(tables)
    case "reserves":
      return reserves(tables)
    case "settlements":
      return settlements(tables)
    case "early callbacks":
      return unmatchedCallbacks(tables, now)
    case "webhooks":
      return webhooks(tables)
    default:
      return never
  }
}
