/**
 * What a person states about a payment that no rule can settle: an outcome that stayed unknown, a payment on the manual
 * rail, money that waits. Each statement is a fact, recorded as a movement or an allocation, and audited.
 */
import { type BigDecimal, Clock, Context, Duration, Effect, Either, Layer, Option } from "effect"
import { type PaymentId, AttemptId, Ids } from "../../domain/Ids.ts"
import type { Permit } from "../../domain/Access.ts"
import { totalOf } from "../../domain/Fee.ts"
import { Conflict, type InsufficientFunds, type NotFound, notFound } from "../../domain/Failure.ts"
import { Money } from "../../domain/Money.ts"
import { type HeardMovement, isSameTransfer, OPERATOR_ID } from "../../domain/Movement.ts"
import { Report } from "../../domain/Outcome.ts"
import { isSettled } from "../../domain/PaymentStatus.ts"
import { absenceGrace } from "../../domain/policies/PaymentPolicies.ts"
import { Fees } from "../../money/fees/Fees.ts"
import { AuditLog } from "../../platform/audit/AuditLog.ts"
import { orDefect, type Stored } from "../../platform/database/DatabaseFailure.ts"
import { Transactor } from "../../platform/database/Transactor.ts"
import type { Change } from "../store/Change.ts"
import {
  type Allocation,
  type Attempt,
  kindOfAttempt,
  type Payment,
  type Refund,
  type StoredOperatorItem
} from "../store/Payment.ts"
import { booksAfter, entriesOfChange } from "../store/PaymentPostings.ts"
import { PaymentStore, type PaymentHistory } from "../store/PaymentStore.ts"
import {
  asReceivable,
  refundSettledAfterFailing,
  allocateToOrganization,
  pendingMovement,
  recordMovements,
  refundedOf,
  operatorStatedReversal,
  operatorStatedOrder
} from "./Movements.ts"
import { acceptedTarget, hasMoved, isAbout, isPaidLate, isQuestion, unsentPayout } from "./Decisions.ts"
import { absolute, isUnderpaid, moverOf, type SuspenseSum, suspenseSumsOf, describeSum } from "../store/SuspenseSums.ts"
import { withoutEnquiries } from "./PaymentCommand.ts"
import { allocationEvents, eventsOf, FundingEvents, refundEvent } from "./PaymentEvents.ts"
import { RecordOutcome } from "./RecordOutcome.ts"
import { partsAfter, statusAfter } from "./RefundRules.ts"
import { changed, type GiveBack, Returns, underpaidPatch } from "./Returns.ts"
import { appendNote } from "./Signals.ts"

/** What an operator says about a payment. */
export interface ResolutionRequest {
  /** Of money that waits: the organisation gets what came, or bears what is gone; failed: the provider has it back. */
  readonly outcome: "completed" | "failed"
  /** How the operator knows. */
  readonly reason: string
  /** Which open item of the payment it is about; needed where several wait that one verdict cannot settle. */
  readonly item?: string | undefined
  /** The provider's id of the transfer that is stated: what the provider tells of it is then known as the same. */
  readonly movementId?: string | undefined
  /** How much of a sum it is about, without a sign; all of it where nothing is said. */
  readonly amount?: BigDecimal.BigDecimal | undefined
}

/** A call that may still be under way is nobody's to decide. */
const isUnderWay = ({ outcome, sends, sent_at }: Attempt, now: Date): boolean => {
  const unanswered = outcome === null || (outcome === "unknown" && sends > 1)
  return unanswered && (sends === 0 || now.getTime() - sent_at.getTime() < Duration.toMillis(absenceGrace))
}

const itemsAbout = ({ items }: PaymentHistory, attempt: Attempt): ReadonlyArray<StoredOperatorItem> =>
  items.filter((item) => isQuestion(item) && isAbout(item, attempt))

const hasItem = (story: PaymentHistory, attempt: Attempt): boolean => itemsAbout(story, attempt).length > 0

/** What is on the manual rail waits for a person, until it has ended. */
const isOnManualRail = ({ refunds }: Payment, { attempt_id, leg, outcome, provider }: Attempt): boolean =>
  provider === "manual" &&
  outcome === "accepted" &&
  leg !== "return" &&
  (leg !== "refund" || refunds.some(({ refund_id, state }) => refund_id === attempt_id && state === "open"))

/** What no machine settles any more, or never did. */
const onlyByHand =
  (payment: Payment, story: PaymentHistory, now: Date) =>
  (attempt: Attempt): boolean =>
    !isUnderWay(attempt, now) &&
    (attempt.outcome === "unknown" ||
      attempt.outcome === null ||
      isOnManualRail(payment, attempt) ||
      hasItem(story, attempt))

/** What waits, one after the other, for whoever has to name one of it. */
const listed = (
  payment: Payment,
  sums: ReadonlyArray<SuspenseSum>,
  questions: ReadonlyArray<StoredOperatorItem>
): string =>
  [
    ...sums.map((sum) => `${sum.item_id} (suspense): ${describeSum(payment, sum)}`),
    ...questions.map(({ detail, item_id, kind }) => `${item_id} (${kind}): ${detail}`)
  ].join(" ")

/** What follows from a statement about money: a part of the change that records it. */
type Settled = Pick<Change, "cause" | "patch" | "status"> &
  Partial<Pick<Change, "attempt" | "allocations" | "movements">> & { readonly refund?: Refund }

interface Statement {
  readonly payment: Payment
  readonly story: PaymentHistory
  readonly sum: SuspenseSum
  readonly mover: Attempt
  readonly reason: string
  readonly movementId: string | undefined
  readonly by: string
  readonly at: Date
  readonly newId: () => string
}

/** A transfer that an operator has found at the provider, and that the provider has not told of. */
const found = (
  { at, mover, movementId, newId, payment, story, sum }: Statement,
  refund_id: Refund["refund_id"] | null
): HeardMovement => {
  const collects = kindOfAttempt(payment, mover) !== "payout"
  const kind = sum.money.isNegative ? "reinstatement" : collects ? "refund" : "disbursement"
  const alike = story.movements.filter(
    (one) => one.kind === kind && one.attempt_id === sum.attempt_id && one.refund_id === null
  )
  return {
    provider: mover.provider,
    account: mover.account,
    kind,
    movement_id: movementId ?? pendingMovement(alike, absolute(sum.money))?.movement_id ?? `${OPERATOR_ID}${newId()}`,
    attempt_id: sum.attempt_id,
    refund_id,
    amount: absolute(sum.money),
    state: "settled",
    is_total: false,
    source: "operator",
    heard_at: at
  }
}

/** The provider has what came, or has given back what was gone. */
const atProvider = (statement: Statement): Settled => {
  const { at, by, newId, payment, sum } = statement
  const { status } = payment
  if (sum.from === "ramp") {
    const part: Refund = {
      refund_id: AttemptId.make(newId()),
      amount: sum.money,
      target: sum.money,
      state: "completed",
      reason: statement.reason,
      created_at: at,
      settled_at: at,
      of: { attempt_id: sum.attempt_id, from: "ramp" }
    }
    const movements = [found(statement, part.refund_id)]
    return { status, patch: { refunds: [...payment.refunds, part] }, cause: "given back by hand", movements }
  }
  const movements = [found(statement, null)]
  if (!isUnderpaid(payment, sum)) return { status, patch: {}, cause: "settled by hand", movements }
  return {
    status: "failed",
    patch: underpaidPatch(payment, sum),
    cause: `given up by ${by}`,
    attempt: withoutEnquiries(statement.mover),
    movements
  }
}

/** Money leaves clearing for the organisation, or the organisation bears it. */
const allocated = ({ at, by, mover, newId, payment, reason, story, sum }: Statement): Settled => {
  const decided = { allocation_id: newId(), note: reason, by, at }
  const { from, money } = sum
  const allocations = [allocateToOrganization(payment, mover, { money, from, movements: story.movements }, decided)]
  return { status: payment.status, patch: {}, cause: "settled by hand", allocations }
}

/** The organisation gets what came, or bears what is gone. */
const atOrganization = (statement: Statement): Settled => {
  const { at, by, mover, payment, story, sum } = statement
  // What was collected may have gone elsewhere since: then the organisation bears what was paid.
  if (isPaidLate(payment, story, mover, sum)) {
    const patch = { payout_id: mover.attempt_id, failure: null, next_action: null }
    return { status: "completed", patch, cause: `settled after all, by ${by}` }
  }
  const strayed = refundSettledAfterFailing(payment, story, sum)
  if (strayed !== undefined) {
    const refund: Refund = { ...strayed, state: "completed", settled_at: at }
    const refunds = partsAfter(payment, [refund])
    return {
      status: statusAfter(payment, refunds, story.movements),
      patch: { refunds },
      cause: "refund settled by hand",
      refund
    }
  }
  return allocated(statement)
}

const conflict = (message: string) => new Conflict({ message })

/** What of a sum is decided on. What completes or fails the payment is decided on as a whole. */
const partOfSum = (
  payment: Payment,
  story: PaymentHistory,
  mover: Attempt,
  sum: SuspenseSum,
  amount: ResolutionRequest["amount"]
) =>
  Effect.gen(function* () {
    if (amount === undefined) return sum
    if (sum.from === "ramp" || isUnderpaid(payment, sum) || isPaidLate(payment, story, mover, sum)) {
      return yield* conflict("amount: this is decided on as a whole; leave it out.")
    }
    const all = absolute(sum.money)
    const part = yield* Either.mapLeft(Money.fromDecimal(amount, all.currency), (why) => conflict(`amount: ${why}.`))
    if (!part.isPositive || part.minor > all.minor) {
      return yield* conflict(`amount: is not above zero, or is more than the ${all.toString()} that wait.`)
    }
    return { ...sum, money: sum.money.isNegative ? part.negate() : part }
  })

const EVENTS = 8

const ofAnother = () => conflict("This transfer belongs to another payment.")

export class Resolution extends Context.Tag("corridor/Resolution")<
  Resolution,
  {
    readonly resolve: (
      permit: Permit<"platform">,
      paymentId: PaymentId,
      verdict: ResolutionRequest
    ) => Stored<Payment, NotFound | Conflict | InsufficientFunds>
    /** Sends money that waits back through the provider that took it. Repeating it never sends it twice. */
    readonly giveBack: (
      permit: Permit<"platform">,
      paymentId: PaymentId,
      wanted: GiveBack
    ) => Stored<Payment, NotFound | Conflict>
  }
>() {
  static readonly layer = Layer.effect(
    Resolution,
    Effect.gen(function* () {
      const store = yield* PaymentStore
      const outcomes = yield* RecordOutcome
      const audit = yield* AuditLog
      const returns = yield* Returns
      const funding = yield* FundingEvents
      const fees = yield* Fees
      const ids = yield* Ids
      const { atomically } = yield* Transactor

      const find = (permit: Permit<"platform">, id: PaymentId) =>
        Effect.flatMap(
          store.find(permit.scope, id),
          Option.match({ onNone: () => Effect.fail(notFound("payment")), onSome: Effect.succeed<Payment> })
        )
      const again = ({ org_id, payment_id }: Payment) =>
        orDefect(Effect.flatten(store.find(Option.some(org_id), payment_id)))

      const settleAttempt = (
        permit: Permit<"platform">,
        known: { payment: Payment; attempt: Attempt },
        story: PaymentHistory,
        verdict: ResolutionRequest
      ) => {
        const { attempt, payment } = known
        const { item, movementId, outcome, reason } = verdict
        const unseen = itemsAbout(story, attempt).some(
          (one) => one.attempt_id === null && (item === undefined || item === one.item_id)
        )
        const wasMoved = hasMoved(payment, attempt)
        // What had moved by its provider's report, and has not, is with its provider again.
        const state = outcome === "failed" && wasMoved ? "returned" : outcome
        const stated = () =>
          outcome === "completed"
            ? operatorStatedOrder({ ...known, movements: story.movements }, movementId)
            : operatorStatedReversal(known, movementId)
        const movements = wasMoved === (outcome === "failed") ? stated() : []
        const signal = new Report({ state, reason, providerPaymentId: null, providerStatus: null, movements })
        const by = `by ${permit.actor.id}: ${reason}`
        const whole = { ...known, movements: story.movements, allocations: story.allocations }
        const source = { cause: `settled ${by}`, operator: { id: permit.actor.id, note: `Settled ${by}`, unseen } }
        return Effect.gen(function* () {
          const { heard: named } = recordMovements(whole, signal, source, new Date(yield* Clock.currentTimeMillis))
          if (movementId !== undefined && (yield* store.takenTransfers(payment.payment_id, named)).length > 0) {
            return yield* ofAnother()
          }
          // Whoever was slower decided on something that is settled by now.
          const heard = yield* outcomes.recordIfUnchanged(whole, signal, source)
          if (Option.isNone(heard)) return yield* changed()
          yield* audit.record(permit, {
            action: "payment.resolved",
            org: payment.org_id,
            subject: ["payment", payment.payment_id],
            detail: { ...verdict, attempt_id: attempt.attempt_id, provider: attempt.provider }
          })
          return heard.value.payment
        })
      }

      /** What a person stated, with a trace of it in the payment's own story. */
      const write = Effect.fnUntraced(function* (
        permit: Permit<"platform">,
        payment: Payment,
        story: PaymentHistory,
        settled: Settled,
        note: string,
        detail: Readonly<Record<string, unknown>>
      ) {
        const { org_id, payment_id } = payment
        const by = permit.actor.id
        const at = new Date(yield* Clock.currentTimeMillis)
        const fresh = yield* ids.several(EVENTS)
        const newId = () => fresh.shift()!
        const { refund, ...rest } = settled
        const booksBefore = { movements: story.movements, allocations: story.allocations }
        const patch = { ...settled.patch, comments: appendNote(payment.comments, note) }
        const plain: Change = { ...rest, payment, patch, at, booksBefore, events: [] }
        const refunded = refundedOf({ ...payment, ...patch, status: settled.status }, booksAfter(plain))
        const after: Payment = { ...payment, ...patch, refunded, status: settled.status, updated_at: at }
        const change: Change = {
          ...plain,
          patch: { ...patch, refunded },
          events: [
            ...refundEvent(newId, after, refund, payment, at),
            ...eventsOf(newId, after, payment.status, false, at),
            ...allocationEvents(newId, after, settled.allocations ?? [], at)
          ],
          openItems: [
            {
              item_id: newId(),
              org_id,
              kind: "resolution",
              payment_id,
              attempt_id: settled.allocations?.[0]?.attempt_id ?? settled.attempt?.attempt_id ?? null,
              detail: note,
              opened_at: at,
              closed_by: by
            }
          ]
        }
        const written = store.apply(change).pipe(Effect.catchTag("TransferTaken", ofAnother))
        if (!(yield* written)) return yield* changed()
        if (payment.funding !== null) yield* funding.settled(payment, entriesOfChange(change), note)
        yield* audit.record(permit, {
          action: "payment.resolved",
          org: org_id,
          subject: ["payment", payment_id],
          detail
        })
        return yield* again(payment)
      })

      /** An organisation that has too little to bear what is gone owes it. */
      const writeOrOwe = (
        permit: Permit<"platform">,
        payment: Payment,
        story: PaymentHistory,
        settled: Settled,
        note: string,
        detail: Readonly<Record<string, unknown>>
      ) => {
        const owed = (settled.allocations ?? []).map((one): Allocation =>
          one.own.isNegative ? asReceivable(payment, one) : one
        )
        const written = atomically(write(permit, payment, story, settled, note, detail))
        return owed.some(({ own }) => own.isNegative)
          ? Effect.catchTag(written, "InsufficientFunds", () =>
              atomically(write(permit, payment, story, { ...settled, allocations: owed }, note, detail))
            )
          : written
      }

      /**
       * What has arrived becomes what was asked for: the record, the books and the customer then speak of one amount, and
       * the fee is that of what was accepted.
       */
      const accepted = Effect.fnUntraced(function* ({ mover, payment, sum }: Statement) {
        const { direction, org_id, payment_method } = payment
        const amount = sum.money
        const target = acceptedTarget(payment, sum)
        if (target === undefined) {
          return yield* new Conflict({
            message: `What arrived is not ${payment.amount.currency}, or worth too little of it: settle it as failed, or refund it.`
          })
        }
        const charged =
          payment.total_fees === null ? [] : yield* fees.charge({ org_id, payment_method, direction, amount, target })
        // Fees that were charged before keep their ids.
        const kept = charged.map((fee, nth) => ({ ...fee, fee_id: payment.fee_ids[nth] ?? fee.fee_id }))
        const total: Money | null = totalOf(charged.map((fee) => fee.amount))
        if (total !== null && total.minor >= target.minor) {
          return yield* new Conflict({
            message: `${target.toString()} do not cover the fees of ${total.toString()}: settle it as failed, or refund it.`
          })
        }
        const cause = `${amount.toString()} accepted instead of ${payment.amount.toString()}`
        const settled: Settled = {
          status: "completed",
          patch: { amount, target, next_action: null, total_fees: total, fee_ids: kept.map(({ fee_id }) => fee_id) },
          cause,
          attempt: withoutEnquiries(mover)
        }
        return { settled, charged: kept }
      })

      const settleSum = Effect.fnUntraced(function* (
        permit: Permit<"platform">,
        payment: Payment,
        story: PaymentHistory,
        whole: SuspenseSum,
        verdict: ResolutionRequest
      ) {
        const mover = moverOf(story.attempts, whole)
        if (mover === undefined) return yield* changed()
        const sum = yield* partOfSum(payment, story, mover, whole, verdict.amount)
        const fresh = yield* ids.several(3)
        const statement: Statement = {
          payment,
          story,
          sum,
          mover,
          reason: verdict.reason,
          movementId: verdict.movementId,
          by: permit.actor.id,
          at: new Date(yield* Clock.currentTimeMillis),
          newId: () => fresh.shift()!
        }
        const by = `by ${permit.actor.id}: ${verdict.reason}`
        const detail = {
          ...verdict,
          item: sum.item_id,
          amount: sum.money.toNumericText(),
          currency: sum.money.currency
        }
        if (verdict.outcome === "failed") {
          const settled = atProvider(statement)
          const isRecorded = settled.movements?.some((one) =>
            story.movements.some((other) => other.state === "settled" && isSameTransfer(one, other))
          )
          if (isRecorded === true) {
            return yield* conflict(`The transfer ${verdict.movementId} is recorded with this payment already.`)
          }
          return yield* writeOrOwe(permit, payment, story, settled, `Settled ${by}`, detail)
        }
        if (verdict.movementId !== undefined) {
          return yield* conflict("movement_id: nothing moves at the provider with this decision; leave it out.")
        }
        if (!isUnderpaid(payment, sum)) {
          // A refund that went although it was given up costs what it cost; who has too little for that owes it.
          return yield* Effect.catchTag(
            writeOrOwe(permit, payment, story, atOrganization(statement), `Settled ${by}`, detail),
            "InsufficientFunds",
            () => writeOrOwe(permit, payment, story, allocated(statement), `Settled ${by}`, detail)
          )
        }
        const { charged, settled } = yield* accepted(statement)
        return yield* atomically(
          Effect.zipLeft(
            write(permit, payment, story, settled, `${settled.cause}, ${by}`, detail),
            store.replaceFees(payment, charged)
          )
        )
      })

      /** Every sum after the other, each on what the one before left; what the payment is for comes first. */
      const settleAll = Effect.fnUntraced(function* (
        permit: Permit<"platform">,
        first: Payment,
        read: PaymentHistory,
        sums: ReadonlyArray<SuspenseSum>,
        verdict: ResolutionRequest
      ) {
        let [payment, story] = [first, read]
        const isOwn = ({ money }: SuspenseSum) => money.currency === first.amount.currency
        for (const { item_id } of sums.toSorted((one, other) => Number(isOwn(other)) - Number(isOwn(one)))) {
          const sum = suspenseSumsOf(payment, story).find((one) => one.item_id === item_id)
          if (sum === undefined) continue
          payment = yield* settleSum(permit, payment, story, sum, verdict)
          story = yield* store.history(payment)
        }
        return payment
      })

      /** A leg that was not sent is not sent any more; what was collected for it waits for a person. */
      const stop = (
        permit: Permit<"platform">,
        payment: Payment,
        story: PaymentHistory,
        leg: Attempt,
        verdict: ResolutionRequest
      ) =>
        atomically(
          Effect.gen(function* () {
            if (!(yield* store.stopUnsent(leg.attempt_id, `stopped by ${permit.actor.id}: ${verdict.reason}`))) {
              return yield* new Conflict({ message: "It was sent just now: look at the payment again in a minute." })
            }
            const message = `Stopped by ${permit.actor.id}: ${verdict.reason}`
            const settled: Settled = {
              status: "failed",
              patch: { next_action: null, failure: { code: "RESOLVED_AS_FAILED", message, provider: leg.provider } },
              cause: `stopped by ${permit.actor.id}`
            }
            return yield* write(permit, payment, story, settled, message, { ...verdict, attempt_id: leg.attempt_id })
          })
        )

      return {
        resolve: Effect.fn("Resolution.resolve")(function* (permit, id, verdict) {
          const payment = yield* find(permit, id)
          const story = yield* store.history(payment)
          if ((yield* again(payment)).version !== payment.version) return yield* changed()
          const now = yield* store.now
          const { item } = verdict
          const sums = suspenseSumsOf(payment, story)
          const questions = story.items.filter(isQuestion)
          const isOnly = item === undefined && verdict.amount !== undefined && sums.length === 1
          const named = isOnly ? sums[0] : sums.find(({ item_id }) => item_id === item)
          if (named !== undefined) return yield* settleSum(permit, payment, story, named, verdict)
          const question = questions.find(({ item_id }) => item_id === item)
          if (item !== undefined && question === undefined) {
            const others = listed(payment, sums, questions)
            return yield* conflict(
              `Nothing of this payment waits under ${item}; ${others === "" ? "nothing waits for a person." : `these do: ${others}`}`
            )
          }
          const open = story.attempts.filter(
            (one) => one.leg === "refund" || one.leg === "return" || !isSettled(payment.status) || hasItem(story, one)
          )
          const attempt = open
            .filter((one) => question === undefined || isAbout(question, one))
            .find(onlyByHand(payment, story, now))
          const isMixed = new Set(sums.map(({ money }) => money.isNegative)).size > 1
          if (
            item === undefined &&
            (isMixed || (sums.length > 0 && attempt !== undefined && hasItem(story, attempt)))
          ) {
            return yield* conflict(
              `Several things of this payment wait for a person, and one verdict does not fit them all. Name one of them (--item, or item_id): ${listed(payment, sums, questions)}`
            )
          }
          if (verdict.amount !== undefined) {
            return yield* conflict(
              `amount: name the sum that it is a part of (--item, or item_id): ${listed(payment, sums, questions)}`
            )
          }
          if (item === undefined && verdict.movementId !== undefined && sums.length > 1) {
            return yield* conflict(
              `Name the item that the transfer settles (--item, or item_id): ${listed(payment, sums, questions)}`
            )
          }
          const leg = unsentPayout(payment, story)
          const isAboutLeg = leg !== undefined && (question === undefined || isAbout(question, leg))
          if (isAboutLeg && verdict.outcome === "failed") return yield* stop(permit, payment, story, leg, verdict)
          if (attempt !== undefined && (sums.length === 0 || question !== undefined)) {
            return yield* atomically(settleAttempt(permit, { payment, attempt }, story, verdict))
          }
          // Whoever means to stop what is being sent says nothing about its money.
          const isBeingSent =
            payment.status === "processing" &&
            story.attempts.some((one) => one.leg === "settlement" && isUnderWay(one, now))
          const isTooLate = item === undefined && verdict.outcome === "failed" && isBeingSent
          if (sums.length > 0 && !isTooLate) return yield* settleAll(permit, payment, story, sums, verdict)
          return yield* conflict(
            open.some((one) => isUnderWay(one, now))
              ? "A provider is being asked at this moment: look at the payment again in a minute."
              : `This payment is ${payment.status}: there is nothing for a person to settle.`
          )
        }),
        giveBack: Effect.fn("Resolution.giveBack")(function* (permit, id, wanted) {
          return yield* returns(permit, yield* find(permit, id), wanted)
        })
      }
    })
  ).pipe(Layer.provide(Returns.layer))
}
