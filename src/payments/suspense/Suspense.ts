/** Money that came, or went, for a payment that had no place for it, once a person knows where it belongs. */
import { Clock, Context, Effect, Layer, Option } from "effect"
import { AuditLog } from "../../platform/audit/AuditLog.ts"
import { orDefect } from "../../platform/database/DatabaseFailure.ts"
import { Transactor } from "../../platform/database/Transactor.ts"
import type { Permit } from "../../domain/Access.ts"
import { Conflict } from "../../domain/Failure.ts"
import { Ids } from "../../domain/Ids.ts"
import { Money } from "../../domain/Money.ts"
import { isSettled } from "../../domain/PaymentStatus.ts"
import { withTotal } from "../../domain/Received.ts"
import { Ledger } from "../../money/ledger/Ledger.ts"
import { laidToRest } from "../record/PaymentCommand.ts"
import type { Attempt, Payment, Refund } from "../store/Payment.ts"
import { ownSide } from "../store/PaymentPostings.ts"
import { eventsOf, FundingEvents, refundEvent } from "../record/PaymentEvents.ts"
import { PaymentStore, type Story } from "../store/PaymentStore.ts"
import { isRamp } from "../route/LegOrder.ts"
import { rampAccount } from "../record/RampPostings.ts"
import { noted } from "../record/Ruling.ts"
import { type Waiting, waitingItems, type WaitingItem } from "./SuspenseItems.ts"
import { givenUp, type Settled, type Verdict, verdictOn } from "./SuspenseVerdict.ts"
import { suspenseMoney } from "../store/Change.ts"

/** A person's word on it, for the record and for the audit log. */
interface Said {
  readonly note: string
  readonly action: string
  readonly detail: Readonly<Record<string, unknown>>
}

export const changed = () => new Conflict({ message: "The payment changed just now; look at it again." })

const nothingOf = ({ amount }: Payment): Money => Money.zero(amount.currency)

const EVENTS = 4

const make = Effect.gen(function* () {
  const store = yield* PaymentStore
  const audit = yield* AuditLog
  const ledger = yield* Ledger
  const funding = yield* FundingEvents
  const ids = yield* Ids
  const { atomically } = yield* Transactor

  /** A ramp that goes on needs what it holds. */
  const waitingFor = Effect.fnUntraced(function* (payment: Payment) {
    const account = isRamp(payment) && isSettled(payment.status) ? rampAccount(payment, payment.amount) : null
    const held = account === null ? null : yield* ledger.balance(account)
    const suspense = yield* ledger.suspenseOf(payment.payment_id)
    const there = yield* ledger.atProviders(payment.payment_id)
    const waiting: Waiting = { held: held === null || held.isZero ? null : held, suspense, there }
    return waiting
  })

  const again = ({ org_id, payment_id }: Payment) =>
    orDefect(Effect.flatten(store.find(Option.some(org_id), payment_id)))

  /** What a person decided, with a trace of it in the payment's own story, and nobody needs to look after it any more. */
  const close = (
    permit: Permit<"platform">,
    payment: Payment,
    items: ReadonlyArray<WaitingItem>,
    settled: Settled,
    { action, detail, note }: Said,
    gone: ReadonlyArray<Refund> = []
  ) =>
    atomically(
      Effect.gen(function* () {
        const { org_id, payment_id } = payment
        const [item_id, ...fresh] = (yield* ids.several(EVENTS + gone.length + 1)) as [string, ...Array<string>]
        const newId = () => fresh.shift()!
        const at = new Date(yield* Clock.currentTimeMillis)
        const by = permit.actor.id
        const patch = { ...settled.patch, comments: noted(payment.comments, note) }
        const after: Payment = { ...payment, ...patch, status: settled.status, updated_at: at }
        const about = items[0]?.attempt.attempt_id ?? settled.attempt?.attempt_id ?? null
        const resolution = { item_id, org_id, kind: "resolution" as const, payment_id, attempt_id: about }
        const written = yield* store.apply({
          ...settled,
          payment,
          patch,
          at,
          events: [
            ...gone.flatMap((part) =>
              refundEvent(newId, after, { ...part, from: "failed", state: "completed" }, payment.status, at)
            ),
            ...eventsOf(newId, after, payment.status, false, at)
          ],
          openItems: [{ ...resolution, detail: note, opened_at: at, closed_by: by }],
          closeItems: items.map(({ attempt }) => ({ kind: "suspense", attempt_id: attempt.attempt_id, by }))
        })
        if (!written) return yield* changed()
        if (payment.funding !== null) yield* funding.settled(payment, settled.entries ?? [], note)
        yield* audit.record(permit, { action, org: org_id, subject: ["payment", payment_id], detail })
        return yield* again(payment)
      })
    )

  const resolved = (permit: Permit<"platform">, verdict: Verdict, what: string): Said => ({
    note: `${what} by ${permit.actor.id}: ${verdict.reason}`,
    action: "payment.resolved",
    detail: { ...verdict, suspense: true }
  })

  /**
   * What has arrived, and is still there by the books, becomes what was asked for: the record, the books and the customer
   * then speak of one amount.
   */
  const accept = Effect.fnUntraced(function* (payment: Payment, attempt: Attempt, waiting: ReadonlyArray<Money>) {
    const amount = waiting.find(({ currency }) => currency === payment.amount.currency) ?? nothingOf(payment)
    const target = ownSide(payment, amount, false)
    if (!amount.isPositive || !target.isPositive) {
      return yield* new Conflict({
        message: `What arrived is not ${payment.amount.currency}, or worth too little of it: settle it as failed, or refund it.`
      })
    }
    const fees = payment.total_fees
    if (fees !== null && fees.minor >= target.minor) {
      return yield* new Conflict({
        message: `${target.toString()} do not cover the fees of ${fees.toString()}: settle it as failed, or refund it.`
      })
    }
    const accepted: Settled = {
      status: "completed",
      patch: { amount, target, next_action: null },
      cause: `${amount.toString()} accepted instead of ${payment.amount.toString()}`,
      attempt: { ...laidToRest(attempt), ordered: withTotal({}, payment.amount) },
      suspense: [suspenseMoney(attempt, amount.negate(), "accepted")]
    }
    return accepted
  })

  return {
    waitingFor,
    again,
    settle: Effect.fnUntraced(function* (permit: Permit<"platform">, payment: Payment, story: Story, verdict: Verdict) {
      const waiting = yield* waitingFor(payment)
      const at = new Date(yield* Clock.currentTimeMillis)
      const { gone, items, settled } = verdictOn(payment, story, waiting, verdict, at)
      return yield* close(permit, payment, items, settled, resolved(permit, verdict, "Suspense settled"), gone)
    }),
    /** The payment waits for the rest of its money, and a person waits no longer. */
    settleUnderpaid: Effect.fnUntraced(function* (
      permit: Permit<"platform">,
      payment: Payment,
      story: Story,
      attempt: Attempt,
      verdict: Verdict
    ) {
      const waiting = yield* waitingFor(payment)
      const all = waitingItems(story, waiting)
      const items = all.filter((one) => one.attempt.attempt_id === attempt.attempt_id)
      if (verdict.outcome === "completed") {
        const accepted = yield* accept(
          payment,
          attempt,
          items.flatMap(({ suspense }) => suspense)
        )
        const said = resolved(permit, verdict, `${accepted.cause},`)
        // What came in another currency besides still waits for a person.
        const taken = items.filter(({ suspense }) =>
          suspense.every(({ currency }) => currency === payment.amount.currency)
        )
        return yield* close(permit, payment, taken, accepted, said)
      }
      const given = givenUp(payment, story, attempt, { items, waiting, by: permit.actor.id })
      return yield* close(permit, payment, items, given, resolved(permit, verdict, "Given up"))
    })
  }
})

export class Suspense extends Context.Tag("corridor/Suspense")<Suspense, Effect.Effect.Success<typeof make>>() {
  static readonly layer = Layer.effect(Suspense, make)
}
