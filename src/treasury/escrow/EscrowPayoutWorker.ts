/**
 * Creates the payments of escrow payouts, each once, and follows each payment until it is final. Payment and `sent`
 * status are written in one transaction, so a crash leaves both or a waiting row.
 */
import { Array as Arr, Context, Deferred, Duration, Effect, FiberSet, Layer, Option, Schedule } from "effect"
import { PaymentId, TransactionId, type OrgId, Ids } from "../../domain/Ids.ts"
import { initiatorPermit } from "../../domain/Access.ts"
import {
  escrowPayoutConcurrency,
  escrowPayoutPause,
  escrowPayoutsOfOne,
  escrowPayoutSends,
  escrowPayoutWait
} from "../../domain/policies/PaymentPolicies.ts"
import { workerPoll } from "../../domain/policies/ServerPolicies.ts"
import { Beneficiaries } from "../../payments/beneficiaries/Beneficiaries.ts"
import { Payments } from "../../payments/read/Payments.ts"
import type { Payment } from "../../payments/store/Payment.ts"
import { AuditLog } from "../../platform/audit/AuditLog.ts"
import { catchRefusal, orDefect } from "../../platform/database/DatabaseFailure.ts"
import { Transactor } from "../../platform/database/Transactor.ts"
import { makeRunDetached } from "../../platform/fibers/Shutdown.ts"
import { countByOrg } from "../../platform/database/ProviderQueues.ts"
import { WorkQueues, workThrough } from "../../platform/database/WorkQueues.ts"
import { type ClaimedPayout, permitOf, EscrowPayoutStore, type PayoutPatch } from "./EscrowPayoutStore.ts"
import { makePartyPayouts } from "./PartyPayouts.ts"

/** Another worker has claimed the row: the transaction is rolled back. */
class LeaseLost {
  readonly _tag = "LeaseLost"
}

/** The provider confirmed that it never received the payment, so another payment cannot pay twice. */
const neverReached = ({ failure }: Payment): boolean =>
  failure !== null && (failure.code === "NEVER_RECEIVED" || failure.code === "NOT_SENT")

const make = Effect.gen(function* () {
  const store = yield* EscrowPayoutStore
  const audit = yield* AuditLog
  const beneficiaries = yield* Beneficiaries
  const ids = yield* Ids
  const { pay } = yield* makePartyPayouts
  const payments = yield* Payments
  const { atomically } = yield* Transactor
  const runDetached = yield* makeRunDetached
  const fork = yield* FiberSet.makeRuntime<never>()
  const running = new Map<string, ClaimedPayout>()
  const waiters = new Map<string, Deferred.Deferred<void>>()

  const wake = Effect.flatMap(WorkQueues, ({ announce }) => announce("escrow_payouts"))

  /** Puts the payout into the operations queue. */
  const block = (claimed: ClaimedPayout, reason: string) =>
    atomically(
      Effect.gen(function* () {
        if (!(yield* store.change(claimed, { status: "blocked", reason, dueIn: null }))) return
        yield* audit.record(permitOf(claimed), {
          action: "escrow.party_payout_failed",
          org: claimed.org_id,
          subject: ["escrow", claimed.escrow_id],
          detail: { party_id: claimed.party_id, payout_id: claimed.payout_id, reason }
        })
      })
    )

  const markSent = (claimed: ClaimedPayout) =>
    Effect.filterOrFail(
      store.markSent(claimed, escrowPayoutPause(1)),
      (marked) => marked,
      () => new LeaseLost()
    )

  const send = Effect.fnUntraced(function* (claimed: ClaimedPayout) {
    if (claimed.initiator.user_id === null) return yield* block(claimed, "No user has asked for this payout.")
    const beneficiary = yield* beneficiaries.find(Option.some(claimed.org_id), claimed.beneficiary_id)
    if (Option.isNone(beneficiary)) return yield* block(claimed, "The beneficiary was deleted.")
    const options = { inSameTransaction: Effect.asVoid(markSent(claimed)) }
    yield* pay(permitOf(claimed), claimed, beneficiary.value, options).pipe(
      Effect.catchTag("LeaseLost", () => Effect.void),
      catchRefusal((failure) => block(claimed, failure.message))
    )
  })

  const sendAgain = Effect.fnUntraced(function* (claimed: ClaimedPayout) {
    const next = { payment_id: yield* ids.make(PaymentId), transaction_id: yield* ids.make(TransactionId) }
    yield* store.change(claimed, { status: "waiting", reason: null, dueIn: Duration.zero, ids: next })
  })

  const finish = (claimed: ClaimedPayout, patch: Omit<PayoutPatch, "dueIn">) =>
    store.change(claimed, { ...patch, dueIn: null })

  /** Reads the payment of a sent payout. */
  const follow = Effect.fnUntraced(function* (claimed: ClaimedPayout) {
    const reader = initiatorPermit("any", claimed.org_id, permitOf(claimed))
    const payment = yield* orDefect(payments.find(reader, claimed.payment_id))
    switch (payment.status) {
      case "completed":
        return yield* finish(claimed, { status: "paid", reason: null })
      case "rejected":
      case "canceled":
        return yield* finish(claimed, { status: "closed", reason: `Its payment was ${payment.status}.` })
      case "failed":
        return neverReached(payment) && claimed.sends < escrowPayoutSends
          ? yield* sendAgain(claimed)
          : yield* block(claimed, payment.failure?.message ?? "Its payment failed.")
      case "refunded":
        return yield* block(claimed, "It was paid, and its provider sent it back.")
      default:
        return yield* store.change(claimed, {
          status: "sent",
          reason: null,
          dueIn: escrowPayoutPause(claimed.tries)
        })
    }
  })

  /** A failed try leaves the row due again when its lease ends. */
  const take = (claimed: ClaimedPayout) =>
    runDetached(claimed.status === "waiting" ? send(claimed) : follow(claimed)).pipe(
      Effect.catchAllCause((cause) => Effect.logWarning("Escrow payout failed; it will be retried", cause)),
      Effect.annotateLogs({ payout_id: claimed.payout_id, payment_id: claimed.payment_id }),
      Effect.ensuring(
        Effect.suspend(() => {
          const { payout_id } = claimed
          running.delete(payout_id)
          const waiter = waiters.get(payout_id)
          return Effect.zipRight(waiter === undefined ? Effect.void : Deferred.succeed(waiter, undefined), wake)
        })
      ),
      Effect.asVoid
    )

  /** Payouts in work of each organisation: those that wait for a slow provider leave room for the others'. */
  const busy = () => countByOrg(running.values())

  const takeDue = Effect.gen(function* () {
    const most = escrowPayoutConcurrency - running.size
    const due = yield* store.claim({ most, ofOne: escrowPayoutsOfOne, busy: busy() })
    for (const claimed of due) {
      running.set(claimed.payout_id, claimed)
      fork(take(claimed))
    }
    const isFull = Object.values(busy()).some((count) => count >= escrowPayoutsOfOne)
    return { foundAny: due.length > 0 || isFull || running.size >= escrowPayoutConcurrency }
  })

  return {
    /** Wakes the worker and waits, for a limited time, for the first try of these payouts. */
    awaitFirstTry: Effect.fnUntraced(function* (orgId: OrgId, payoutIds: ReadonlyArray<string>) {
      if (!Arr.isNonEmptyReadonlyArray(payoutIds)) return
      const here = yield* Effect.forEach(payoutIds, (id) =>
        Effect.tap(Deferred.make<void>(), (waiter) => Effect.sync(() => waiters.set(id, waiter)))
      )
      yield* wake
      const allHere = Effect.forEach(here, Deferred.await, { discard: true })
      /** Rows may have been claimed earlier or by another instance. */
      const allElsewhere = store.waitingAmong(orgId, payoutIds).pipe(
        Effect.repeat({
          schedule: Schedule.spaced(workerPoll),
          until: (waiting) => payoutIds.every((id) => !waiting.has(id) && !running.has(id))
        }),
        // The payouts are committed: without the database, wait for this instance's own tries only.
        Effect.catchAll((failure) =>
          Effect.zipRight(Effect.logWarning("Escrow payouts cannot be read at the moment", failure), Effect.never)
        )
      )
      yield* Effect.raceFirst(allHere, allElsewhere).pipe(
        Effect.timeoutOption(escrowPayoutWait),
        Effect.ensuring(
          Effect.sync(() => {
            for (const id of payoutIds) waiters.delete(id)
          })
        )
      )
    }),
    /** Called after a commit that may have made a row due. */
    wake,
    worker: workThrough("escrow_payouts", takeDue)
  }
})

export class EscrowPayoutWorker extends Context.Tag("corridor/EscrowPayoutWorker")<
  EscrowPayoutWorker,
  Effect.Effect.Success<typeof make>
>() {
  static readonly layer = Layer.scoped(EscrowPayoutWorker, make)
}
