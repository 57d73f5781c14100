/** Tables of payments in memory, and the queue of attempts as AttemptQueueSql has it. */
import { Clock, Duration, Effect, Option } from "effect"
import {
  enquiryLease,
  hintGap,
  mostHintedIds,
  unmatchedCallbacksPerAccount,
  orphanedAfter,
  sendWindow,
  rampPayoutPause,
  unmatchedCallbackWindow
} from "../../domain/policies/PaymentPolicies.ts"
import { type Opened, memoryTable, deleteOld, isOlder } from "../../platform/database/MemoryDatabase.ts"
import type { PaymentId } from "../../domain/Ids.ts"
import { LedgerAccount } from "../../domain/Ledger.ts"
import {
  type AttemptRow,
  type Books,
  kindOfAttempt,
  type UnmatchedCallback,
  type Allocation,
  type HistoryRow,
  type Payment,
  type StoredCallback,
  type StoredFee,
  type StoredOperatorItem
} from "./Payment.ts"
import { type AttemptQueue, droppedUnmatchedCallbacks } from "./PaymentStore.ts"
import { inTurn } from "../../platform/database/ProviderQueues.ts"
import type { RecordedMovement } from "../../domain/Movement.ts"

export const paymentTables = {
  payments: memoryTable<Payment>("payments"),
  history: memoryTable<HistoryRow>("history"),
  attempts: memoryTable<AttemptRow>("attempts"),
  cardWaits: memoryTable<Pick<Payment, "org_id" | "payment_id"> & { readonly expires_at: Date }>("cardWaits"),
  callbacks: memoryTable<StoredCallback | UnmatchedCallback>("callbacks"),
  paymentFees: memoryTable<StoredFee>("paymentFees"),
  operatorItems: memoryTable<StoredOperatorItem>("operatorItems"),
  movements: memoryTable<RecordedMovement & Pick<Payment, "org_id" | "payment_id">>("movements"),
  allocations: memoryTable<Allocation & Pick<Payment, "org_id" | "payment_id">>("allocations")
}

/** Hint that no instance has claimed. A claimed one is due when the lease ends. */
export const unclaimedHint = ({ hint_at, leased_until }: AttemptRow): Date | null =>
  hint_at === null || hint_at.getTime() === leased_until?.getTime() ? null : hint_at

const dueAt = ({ hint_at, next_enquiry_at }: AttemptRow): number =>
  Math.min(next_enquiry_at?.getTime() ?? Infinity, hint_at?.getTime() ?? Infinity)

/** Movements and allocations of a payment. */
export const booksIn = (
  { allocations, movements }: Pick<Opened<typeof paymentTables>, "allocations" | "movements">,
  paymentId: PaymentId
): Books => ({
  movements: movements
    .all(({ payment_id }) => payment_id === paymentId)
    .toSorted((a, b) => a.heard_at.getTime() - b.heard_at.getTime()),
  allocations: allocations
    .all(({ payment_id }) => payment_id === paymentId)
    .toSorted((a, b) => a.at.getTime() - b.at.getTime())
})

/** As many as one account has beyond its bound, the oldest. */
const surplusOf = (
  callbacks: Iterable<readonly [string, object]>,
  { account, provider }: UnmatchedCallback
): ReadonlyArray<string> => {
  const own: Array<readonly [key: string, at: number]> = []
  for (const [key, row] of callbacks) {
    if (!isUnmatched(row) || row.payment_id !== null || row.provider !== provider || row.account !== account) continue
    own.push([key, row.received_at.getTime()])
  }
  if (own.length <= unmatchedCallbacksPerAccount) return []
  return own
    .sort(([, a], [, b]) => b - a)
    .slice(unmatchedCallbacksPerAccount)
    .map(([key]) => key)
}

const withHintedId = (row: AttemptRow, id: string | null): AttemptRow => {
  const { hinted_ids, provider_payment_id } = row
  const before = hinted_ids ?? []
  return id === null || provider_payment_id !== null || before.includes(id)
    ? row
    : { ...row, hinted_ids: [id, ...before].slice(0, mostHintedIds) }
}

const isUnmatched = (callback: object): callback is UnmatchedCallback => "signal" in callback

export const attemptQueueMemory = (
  tables: Opened<typeof paymentTables>,
  newToken: () => string,
  /** Balance of a ledger account, in minor units. */
  balanceOf: (account: LedgerAccount) => bigint,
  retention: Duration.Duration
): AttemptQueue => {
  const { attempts, callbacks, cardWaits, payments } = tables
  const isFree = ({ leased_until }: AttemptRow, now: number) => leased_until === null || leased_until.getTime() <= now
  const later = (now: number, by: Duration.Duration) => new Date(now + Duration.toMillis(by))

  const kept = (row: AttemptRow): AttemptRow => {
    attempts.set(row.attempt_id, row)
    return row
  }

  const isProcessing = ({ payment_id }: AttemptRow) => payments.get(payment_id)?.status === "processing"

  const attemptOfPayment = (row: AttemptRow) => ({
    attempt: row,
    payment: payments.get(row.payment_id)!,
    ...booksIn(tables, row.payment_id)
  })

  /** Whether a ramp holds the money of its payout, and none of it was taken back. */
  const isFunded = ({ payment_id }: AttemptRow): boolean => {
    const { amount, taken_by } = payments.get(payment_id)!
    if (taken_by === null) return true
    const { clearing, ramp } = LedgerAccount
    return (
      balanceOf(ramp(payment_id, amount.currency)) >= amount.minor &&
      balanceOf(clearing(payment_id, taken_by, amount.currency)) >= 0n
    )
  }

  const sentNow = (row: AttemptRow, now: number): AttemptRow => ({
    ...row,
    sends: row.sends + 1,
    sent_at: new Date(now),
    next_enquiry_at: later(now, orphanedAfter)
  })

  const withTime = <A>(f: (now: number) => A): Effect.Effect<A> => Effect.map(Clock.currentTimeMillis, f)

  return {
    claimEnquiries: (capacity) =>
      withTime((now) => {
        const due = attempts.all((row) => row.sends > 0 && dueAt(row) <= now && isFree(row, now))
        return inTurn(capacity, due, ({ provider }) => provider, dueAt).map((row) => {
          const counts = row.next_enquiry_at !== null && row.next_enquiry_at.getTime() <= now
          const lease_token = newToken()
          const claimed = kept({
            ...row,
            enquiries: row.enquiries + (counts ? 1 : 0),
            leased_until: later(now, enquiryLease),
            lease_token,
            asked_at: new Date(now),
            hint_at: row.hint_at === null ? null : later(now, enquiryLease)
          })
          return {
            ...claimed,
            lease_token,
            sent_ago: (now - row.sent_at.getTime()) / 1000,
            hinted: !counts,
            has_hint: row.hint_at !== null
          }
        })
      }),
    hint: (attemptId, providerPaymentId = null) =>
      withTime((now) => {
        const found = attempts.get(attemptId)
        if (found === undefined || found.sends === 0) return false
        const row = kept(withHintedId(found, providerPaymentId))
        if (unclaimedHint(row) !== null && row.hints === 0) return false
        const earliest = row.asked_at === null ? now : later(row.asked_at.getTime(), hintGap).getTime()
        const answered = row.outcome === null ? later(row.sent_at.getTime(), orphanedAfter).getTime() : now
        kept({ ...row, hint_at: new Date(Math.max(now, earliest, answered)), hints: 0 })
        return true
      }),
    hintAgain: (attemptId, after) =>
      withTime((now) => {
        const row = attempts.get(attemptId)
        if (row === undefined || row.hint_at === null || unclaimedHint(row) !== null) return
        kept({ ...row, hint_at: later(now, after), hints: row.hints + 1 })
      }),
    claimUnsent: (capacity) =>
      withTime((now) => {
        const unsent = attempts.all(
          (row) => row.sends === 0 && row.outcome === null && isFree(row, now) && isProcessing(row) && isFunded(row)
        )
        const startedAt = (row: AttemptRow) => row.started_at.getTime()
        return inTurn(capacity, unsent, ({ provider }) => provider, startedAt).map((row) =>
          attemptOfPayment(kept(sentNow(row, now)))
        )
      }),
    renewSend: (attemptId, token) =>
      withTime((now) => {
        const row = attempts.get(attemptId)
        if (row === undefined || row.outcome === "accepted" || row.outcome === "declined") return Option.none()
        if (row.leg === "settlement" && !(isProcessing(row) && isFunded(row))) return Option.none()
        const isOver = row.outcome === "unknown" || row.sent_at.getTime() <= now - Duration.toMillis(sendWindow)
        if (!isOver) return Option.none()
        const mine = token === null ? isFree(row, now) : row.lease_token === token && !isFree(row, now)
        if (!mine) return Option.none()
        const started_at = row.started_at < row.sent_at ? row.started_at : row.sent_at
        const hint_at = unclaimedHint(row)
        return Option.some(
          attemptOfPayment(kept({ ...sentNow(row, now), started_at, hint_at, leased_until: null, lease_token: null }))
        )
      }),
    stopUnsent: (attemptId, reason) =>
      Effect.sync(() => {
        const row = attempts.get(attemptId)
        if (row === undefined || row.sends > 0 || row.outcome !== null) return false
        kept({ ...row, outcome: "declined", reason })
        return true
      }),
    requeueUnsent: (attemptId) =>
      withTime((now) => {
        const row = attempts.get(attemptId)
        if (row === undefined || row.sends !== 1 || row.outcome !== null || !isFree(row, now)) return
        const leased_until = later(now, rampPayoutPause)
        kept({ ...row, sends: 0, next_enquiry_at: null, hint_at: null, leased_until })
      }),
    storeCallback: (callback) =>
      Effect.sync(() => {
        const key = `${callback.provider} ${callback.event_key}`
        if (callbacks.has(key)) return false
        callbacks.set(key, callback)
        if (isUnmatched(callback) && callbacks.size > unmatchedCallbacksPerAccount) {
          for (const dropped of surplusOf(callbacks.entries(), callback)) {
            callbacks.delete(dropped)
            droppedUnmatchedCallbacks([callback.provider])
          }
        }
        return true
      }),
    matchedCallbacks: (most) =>
      withTime((now) => {
        const oldest = now - Duration.toMillis(unmatchedCallbackWindow)
        const isOpen = ({ payment_id, received_at }: StoredCallback | UnmatchedCallback) =>
          payment_id === null && received_at.getTime() > oldest
        const open = callbacks.all(isOpen).filter(isUnmatched)
        return open
          .flatMap((callback) =>
            attempts
              .all(
                (row) =>
                  row.provider === callback.provider &&
                  row.account === callback.account &&
                  row.provider_payment_id !== null &&
                  row.provider_payment_id === callback.provider_payment_id &&
                  (callback.about === undefined || callback.about === kindOfAttempt(payments.get(row.payment_id)!, row))
              )
              .toSorted((a, b) => b.started_at.getTime() - a.started_at.getTime())
              .slice(0, 1)
              .map(({ attempt_id }) => ({ callback, attempt_id }))
          )
          .toSorted((a, b) => a.callback.received_at.getTime() - b.callback.received_at.getTime())
          .slice(0, most)
      }),
    isCallbackUnmatched: (provider, key) => Effect.sync(() => callbacks.get(`${provider} ${key}`)?.payment_id === null),
    awaitCard: ({ expires_at, org_id, payment_id }) =>
      Effect.sync(() => void cardWaits.set(payment_id, { expires_at, org_id, payment_id })),
    expiredCardWaits: (most) =>
      withTime((now) =>
        cardWaits
          .all(({ expires_at }) => expires_at.getTime() <= now)
          .toSorted((a, b) => a.expires_at.getTime() - b.expires_at.getTime())
          .slice(0, most)
          .map(({ payment_id }) => payments.get(payment_id)!)
      ),
    deleteCardWait: ({ payment_id }) => Effect.sync(() => void cardWaits.delete(payment_id)),
    now: withTime((now) => new Date(now)),
    forgetOld: deleteOld(
      callbacks,
      ({ payment_id, received_at }, now) => payment_id === null && isOlder(received_at, retention, now)
    )
  }
}
