/** Payouts to escrow parties that could not be sent: items of the operations queue, retried or resolved by a person. */
import { Effect } from "effect"
import type { Permit } from "../../domain/Access.ts"
import { Conflict } from "../../domain/Failure.ts"
import { type EscrowId, PaymentId, TransactionId, Ids } from "../../domain/Ids.ts"
import { AuditLog } from "../../platform/audit/AuditLog.ts"
import { orNotFound, orRefuse } from "../../platform/database/DatabaseFailure.ts"
import { Transactor } from "../../platform/database/Transactor.ts"
import { Idempotency } from "../../platform/idempotency/Idempotency.ts"
import type { NewKey } from "../../platform/idempotency/IdempotencyStore.ts"
import { type EscrowPayout, EscrowPayoutStore, type BlockedPayout } from "./EscrowPayoutStore.ts"
import { escrowPayoutView, retriedAnswer } from "./EscrowView.ts"
import { EscrowPayoutWorker } from "./EscrowPayoutWorker.ts"
import type { OtherItem, OtherItemsOf } from "../../payments/read/Payments.ts"
import { traced } from "../../platform/observability/Spans.ts"

interface PayoutRef {
  readonly escrowId: EscrowId
  readonly payoutId: string
}

export const makeBlockedPayouts = Effect.gen(function* () {
  const store = yield* EscrowPayoutStore
  const audit = yield* AuditLog
  const ids = yield* Ids
  const keys = yield* Idempotency
  const worker = yield* EscrowPayoutWorker
  const { atomically } = yield* Transactor

  const found = (permit: Permit<"escrow">, { escrowId, payoutId }: PayoutRef) =>
    orNotFound("payout")(store.find(permit.scope, escrowId, payoutId))

  const notBlocked = ({ status }: EscrowPayout) =>
    new Conflict({ message: `This payout is ${status}: only a blocked one can be decided.` })

  const record = (permit: Permit<"escrow">, payout: EscrowPayout, action: string, reason: string | null) =>
    audit.record(permit, {
      action,
      org: payout.org_id,
      subject: ["escrow", payout.escrow_id],
      detail: { payout_id: payout.payout_id, party_id: payout.party_id, reason }
    })

  const retried = Effect.fnUntraced(function* (permit: Permit<"escrow">, named: PayoutRef) {
    const before = yield* found(permit, named)
    const next = { payment_id: yield* ids.make(PaymentId), transaction_id: yield* ids.make(TransactionId) }
    const payout = yield* store.retry(before, next).pipe(orRefuse(() => notBlocked(before)))
    yield* record(permit, payout, "escrow.payout_retried", before.reason)
    return payout
  })

  const resolved = Effect.fnUntraced(function* (permit: Permit<"escrow">, named: PayoutRef, reason: string) {
    const before = yield* found(permit, named)
    const payout = yield* store.close(before, reason).pipe(orRefuse(() => notBlocked(before)))
    yield* record(permit, payout, "escrow.payout_resolved", reason)
    return payout
  })

  return {
    /** Sends the payout again by a new payment, in the name of the original initiator. */
    retry: traced("BlockedPayouts.retry")((permit: Permit<"escrow">, named: PayoutRef, key?: NewKey) =>
      Effect.zipLeft(
        keys.once(key, Effect.map(retried(permit, named), escrowPayoutView), retriedAnswer.textOf),
        worker.wake
      )
    ),
    /** Closes the item. The money stays on the party's account. */
    resolve: traced("BlockedPayouts.resolve")((permit: Permit<"escrow">, named: PayoutRef, reason: string) =>
      Effect.map(atomically(resolved(permit, named, reason)), escrowPayoutView)
    )
  }
})

const detailOf = ({ amount, escrow_name, party_name, reason }: BlockedPayout): string =>
  `The payout of ${amount.toString()} to ${party_name} of the escrow ${escrow_name} was not made: ${reason ?? "no reason is known."} The money is on the party's account.`

const itemOf = (blocked: BlockedPayout): OtherItem => {
  const { created_at, escrow_id, org_id, party_id, payout_id } = blocked
  return {
    item_id: payout_id,
    kind: "escrow_payout",
    org_id,
    escrow_id,
    party_id,
    detail: detailOf(blocked),
    created_at
  }
}

/** Items of the operations queue about escrows: payouts that could not be made. */
export const blockedPayoutItems = Effect.map(
  EscrowPayoutStore,
  (store): OtherItemsOf =>
    (scope, window) =>
      Effect.map(store.blocked(scope, window), (rows) => rows.map(itemOf))
)
