/**
 * Records an operator's decision about a payment: an unknown outcome, a payment on the manual rail, unallocated money. Each
 * decision is recorded as a movement or an allocation, and audited. The postings follow from these in PaymentPostings.ts.
 */
import { Clock, Context, Effect, Layer, Option } from "effect"
import { Ids, type PaymentId } from "../../domain/Ids.ts"
import type { Permit } from "../../domain/Access.ts"
import type { Conflict, InsufficientFunds, NotFound } from "../../domain/Failure.ts"
import { Money } from "../../domain/Money.ts"
import { Ledger } from "../../money/ledger/Ledger.ts"
import { isSameTransfer } from "../../domain/Movement.ts"
import { Report } from "../../domain/Outcome.ts"
import { isFinal } from "../../domain/PaymentStatus.ts"
import { Fees } from "../../money/fees/Fees.ts"
import { AuditLog } from "../../platform/audit/AuditLog.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"
import { Transactor } from "../../platform/database/Transactor.ts"
import type { Allocation, Attempt, Payment } from "../store/Payment.ts"
import { entriesOfChange, organizationAccount } from "../store/PaymentPostings.ts"
import { orNotFound, PaymentStore, type PaymentHistory, reread } from "../store/PaymentStore.ts"
import {
  isPartialRampCollection,
  isUnderpaid,
  moverOf,
  type UnallocatedSum,
  unallocatedSums
} from "../store/UnallocatedMoney.ts"
import { asReceivable } from "./Allocations.ts"
import { operatorStatedOrder, operatorStatedReversal, recordMovements } from "./SignalMovements.ts"
import { withoutEnquiries } from "./PaymentCommand.ts"
import { FundingEvents } from "./PaymentEvents.ts"
import { RecordOutcome } from "./RecordOutcome.ts"
import {
  allocatedToOrganization,
  changeOfDecision,
  changeIfOrganizationBears,
  changeIfProviderMoved,
  conflict,
  correctedTransfer,
  hasItem,
  isUnderWay,
  itemsAbout,
  listItems,
  needsOperator,
  partOfSum,
  type ResolutionRequest,
  type StatedChange,
  type OperatorStatement,
  isAbout,
  isUnknownOutcome,
  acceptedTarget,
  hasMoved,
  isCorrectable,
  unsentPayout
} from "./ResolutionRules.ts"
import { changed, type ReturnRequest, RefundUnallocated } from "./RefundUnallocated.ts"
import { traced } from "../../platform/observability/Spans.ts"

const EVENTS = 8

/** A payment that an operator decides about, as it was read. */
interface ResolutionSubject {
  readonly permit: Permit<"platform">
  readonly payment: Payment
  readonly history: PaymentHistory
}

const ofAnother = () => conflict("This transfer belongs to another payment.")

export class Resolution extends Context.Tag("corridor/Resolution")<
  Resolution,
  {
    readonly resolve: (
      permit: Permit<"platform">,
      paymentId: PaymentId,
      request: ResolutionRequest
    ) => Stored<Payment, NotFound | Conflict | InsufficientFunds>
    /** Returns unallocated money through the provider that collected it. A repeated request never sends it twice. */
    readonly giveBack: (
      permit: Permit<"platform">,
      paymentId: PaymentId,
      wanted: ReturnRequest
    ) => Stored<Payment, NotFound | Conflict>
  }
>() {
  static readonly layer = Layer.effect(
    Resolution,
    Effect.gen(function* () {
      const store = yield* PaymentStore
      const outcomes = yield* RecordOutcome
      const audit = yield* AuditLog
      const refundUnallocated = yield* RefundUnallocated
      const funding = yield* FundingEvents
      const fees = yield* Fees
      const ids = yield* Ids
      const ledger = yield* Ledger
      const { atomically } = yield* Transactor

      const resolveAttempt = Effect.fnUntraced(function* (
        { history, payment, permit }: ResolutionSubject,
        attempt: Attempt,
        request: ResolutionRequest
      ) {
        const { amount, item, movementId, outcome, reason } = request
        const subject = { payment, attempt, movements: history.movements, allocations: history.allocations }
        const unverified = itemsAbout(history, attempt).some(
          (one) => one.attempt_id === null && (item === undefined || item === one.item_id)
        )
        const wasMoved = hasMoved(payment, attempt)
        // The provider had reported the money as moved: if it did not move, it is returned.
        const state = outcome === "failed" && wasMoved ? "returned" : outcome
        const stated = () =>
          outcome === "completed"
            ? operatorStatedOrder(subject, movementId)
            : operatorStatedReversal(subject, movementId)
        const corrects = amount !== undefined
        const movements = corrects
          ? [yield* correctedTransfer(subject, amount, movementId)]
          : wasMoved === (outcome === "failed")
            ? stated()
            : []
        const signal = new Report({ state, reason, providerPaymentId: null, providerStatus: null, movements })
        const by = `by ${permit.actor.id}: ${reason}`
        const operator = { id: permit.actor.id, note: `Settled ${by}`, unverified, corrects }
        const source = { cause: `settled ${by}`, operator }
        const { toWrite } = recordMovements(subject, signal, source, new Date(yield* Clock.currentTimeMillis))
        if (movementId !== undefined && (yield* store.takenTransfers(payment.payment_id, toWrite)).length > 0) {
          return yield* ofAnother()
        }
        // Another request resolved the item meanwhile.
        const recorded = yield* outcomes.recordIfUnchanged(subject, signal, source)
        if (Option.isNone(recorded)) return yield* changed()
        yield* audit.record(permit, {
          action: "payment.resolved",
          org: payment.org_id,
          subject: ["payment", payment.payment_id],
          detail: { ...request, attempt_id: attempt.attempt_id, provider: attempt.provider }
        })
        return recorded.value.payment
      })

      /** Writes a decision, with a note in the payment's comments and an audit entry. */
      const write = Effect.fnUntraced(function* (
        { history, payment, permit }: ResolutionSubject,
        stated: StatedChange,
        note: string,
        detail: Readonly<Record<string, unknown>>
      ) {
        const at = new Date(yield* Clock.currentTimeMillis)
        const newId = yield* ids.atMost(EVENTS)
        const decision = { at, by: permit.actor.id, newId }
        const { after, change } = changeOfDecision(payment, history, stated, note, decision)
        const written = store.apply(change).pipe(Effect.catchTag("TransferTaken", ofAnother))
        if (!(yield* written)) return yield* changed()
        if (payment.funding !== null) yield* funding.posted(after, entriesOfChange(change), note)
        yield* audit.record(permit, {
          action: "payment.resolved",
          org: payment.org_id,
          subject: ["payment", payment.payment_id],
          detail
        })
        return yield* reread(store, payment)
      })

      /** Writes a decision; an organisation without enough balance owes the amount. */
      const writeOrOwe = Effect.fnUntraced(function* (
        about: ResolutionSubject,
        stated: StatedChange,
        note: string,
        detail: Readonly<Record<string, unknown>>
      ) {
        const { history, payment } = about
        const further = yield* ids.next
        const account = organizationAccount(payment)
        const all = stated.allocations ?? []
        const written = atomically(write(about, stated, note, detail))
        if (!all.some(({ accountAmount }) => accountAmount.isNegative)) return yield* written
        const owing = (balance: Money) => {
          const allocations = all.flatMap((one): ReadonlyArray<Allocation> =>
            one.accountAmount.isNegative ? asReceivable(payment, history, one, balance, further) : [one]
          )
          return atomically(write(about, { ...stated, allocations }, note, detail))
        }
        const short = () => Effect.flatMap(ledger.balance(account), owing)
        // If the balance was spent meanwhile, the organisation owes all of the amount.
        const nothing = () => owing(Money.zero(payment.target.currency))
        return yield* written.pipe(
          Effect.catchTag("InsufficientFunds", short),
          Effect.catchTag("InsufficientFunds", nothing)
        )
      })

      /**
       * Accepts an underpaid payin: the received amount becomes the payment's amount, so that record and ledger agree. The
       * fee is that of the received amount.
       */
      const acceptUnderpaid = Effect.fnUntraced(function* ({ mover, payment, sum }: OperatorStatement) {
        const amount = sum.money
        const target = acceptedTarget(payment, sum)
        if (target === undefined) {
          return yield* conflict(
            `What arrived is not ${payment.amount.currency}, or worth too little of it: settle it as failed, or refund it.`
          )
        }
        const { fees: charged, totals } = yield* fees.chargeAgain({ ...payment, amount, target })
        const total = totals.total_fees
        if (total !== null && total.minor >= target.minor) {
          return yield* conflict(
            `${target.toString()} do not cover the fees of ${total.toString()}: settle it as failed, or refund it.`
          )
        }
        const cause = `${amount.toString()} accepted instead of ${payment.amount.toString()}`
        const stated: StatedChange = {
          status: "completed",
          patch: { amount, target, next_action: null, ...totals },
          cause,
          attempt: withoutEnquiries(mover)
        }
        return { stated, charged }
      })

      const resolveSum = Effect.fnUntraced(function* (
        about: ResolutionSubject,
        whole: UnallocatedSum,
        request: ResolutionRequest
      ) {
        const { history, payment, permit } = about
        const mover = moverOf(history.attempts, whole)
        if (mover === undefined) return yield* changed()
        const sum = yield* partOfSum(payment, history, mover, whole, request.amount)
        const newId = yield* ids.atMost(3)
        const statement: OperatorStatement = {
          payment,
          history,
          sum,
          mover,
          reason: request.reason,
          movementId: request.movementId,
          by: permit.actor.id,
          at: new Date(yield* Clock.currentTimeMillis),
          newId
        }
        const by = `by ${permit.actor.id}: ${request.reason}`
        const detail = {
          ...request,
          item: sum.item_id,
          amount: sum.money.toNumericText(),
          currency: sum.money.currency
        }
        if (request.outcome === "failed") {
          const stated = changeIfProviderMoved(statement)
          const isRecorded = stated.movements?.some((one) =>
            history.movements.some((other) => other.state === "settled" && isSameTransfer(one, other))
          )
          if (isRecorded === true) {
            return yield* conflict(`The transfer ${request.movementId} is recorded with this payment already.`)
          }
          return yield* writeOrOwe(about, stated, `Settled ${by}`, detail)
        }
        if (request.movementId !== undefined) {
          return yield* conflict("movement_id: nothing moves at the provider with this decision; leave it out.")
        }
        if (isPartialRampCollection(payment, sum)) {
          return yield* conflict(
            `This ramp is ${payment.status}, and the rest of its money may still come: settle it once it has ended.`
          )
        }
        if (!isUnderpaid(payment, sum)) {
          // A failed refund that was paid after all costs its own amount; without enough balance the organisation owes it.
          return yield* Effect.catchTag(
            writeOrOwe(about, changeIfOrganizationBears(statement), `Settled ${by}`, detail),
            "InsufficientFunds",
            () => writeOrOwe(about, allocatedToOrganization(statement), `Settled ${by}`, detail)
          )
        }
        const { charged, stated } = yield* acceptUnderpaid(statement)
        return yield* atomically(
          Effect.zipLeft(write(about, stated, `${stated.cause}, ${by}`, detail), store.replaceFees(payment, charged))
        )
      })

      /** Resolves sums in order, those in the payment's currency first, each on the state that the one before left. */
      const resolveAll = Effect.fnUntraced(function* (
        first: ResolutionSubject,
        sums: ReadonlyArray<UnallocatedSum>,
        request: ResolutionRequest
      ) {
        const { permit } = first
        let { history, payment } = first
        const isInPaymentCurrency = ({ money }: UnallocatedSum) => money.currency === first.payment.amount.currency
        for (const { item_id } of sums.toSorted(
          (one, other) => Number(isInPaymentCurrency(other)) - Number(isInPaymentCurrency(one))
        )) {
          const sum = unallocatedSums(payment, history).find((one) => one.item_id === item_id)
          if (sum === undefined) continue
          payment = yield* resolveSum({ permit, payment, history }, sum, request)
          history = yield* store.history(payment)
        }
        return payment
      })

      /** Stops an unsent ramp payout; the collected money is then unallocated. */
      const stop = Effect.fnUntraced(function* (
        about: ResolutionSubject,
        leg: Attempt,
        { reason, ...request }: ResolutionRequest
      ) {
        const { actor } = about.permit
        if (!(yield* store.stopUnsent(leg.attempt_id, `stopped by ${actor.id}: ${reason}`))) {
          return yield* conflict("It was sent just now: look at the payment again in a minute.")
        }
        const message = `Stopped by ${actor.id}: ${reason}`
        const stated: StatedChange = {
          status: "failed",
          patch: { next_action: null, failure: { code: "RESOLVED_AS_FAILED", message, provider: leg.provider } },
          cause: `stopped by ${actor.id}`
        }
        return yield* write(about, stated, message, { ...request, reason, attempt_id: leg.attempt_id })
      }, atomically)

      return {
        resolve: traced("Resolution.resolve")(function* (permit, id, request) {
          const payment = yield* orNotFound(store.find(permit.scope, id))
          const history = yield* store.history(payment)
          const about = { permit, payment, history }
          if ((yield* reread(store, payment)).version !== payment.version) return yield* changed()
          const now = yield* store.now
          const { item } = request
          const sums = unallocatedSums(payment, history)
          const questions = history.items.filter(isUnknownOutcome)
          const isOnly = item === undefined && request.amount !== undefined && sums.length === 1
          const named = isOnly ? sums[0] : sums.find(({ item_id }) => item_id === item)
          if (named !== undefined) return yield* resolveSum(about, named, request)
          const question = questions.find(({ item_id }) => item_id === item)
          if (item !== undefined && question === undefined) {
            const others = listItems(payment, sums, questions)
            return yield* conflict(
              `Nothing of this payment waits under ${item}; ${others === "" ? "nothing waits for a person." : `these do: ${others}`}`
            )
          }
          const open = history.attempts.filter(
            (one) => one.leg === "refund" || one.leg === "return" || !isFinal(payment.status) || hasItem(history, one)
          )
          const attempt = open
            .filter((one) => question === undefined || isAbout(question, one))
            .find(needsOperator(payment, history, now))
          const isMixed = new Set(sums.map(({ money }) => money.isNegative)).size > 1
          if (
            item === undefined &&
            (isMixed || (sums.length > 0 && attempt !== undefined && hasItem(history, attempt)))
          ) {
            return yield* conflict(
              `Several items of this payment wait for a decision, and one decision does not fit them all. Name one of them (--item, or item_id): ${listItems(payment, sums, questions)}`
            )
          }
          const corrects =
            question !== undefined &&
            attempt !== undefined &&
            request.outcome === "completed" &&
            isCorrectable(payment, attempt)
          if (request.amount !== undefined && !corrects) {
            return yield* conflict(
              `amount: name the sum that it is a part of (--item, or item_id): ${listItems(payment, sums, questions)}`
            )
          }
          if (item === undefined && request.movementId !== undefined && sums.length > 1) {
            return yield* conflict(
              `Name the item that the transfer settles (--item, or item_id): ${listItems(payment, sums, questions)}`
            )
          }
          const leg = unsentPayout(payment, history)
          const isAboutLeg = leg !== undefined && (question === undefined || isAbout(question, leg))
          if (isAboutLeg && request.outcome === "failed") return yield* stop(about, leg, request)
          if (attempt !== undefined && (sums.length === 0 || question !== undefined)) {
            return yield* atomically(resolveAttempt(about, attempt, request))
          }
          // A request to stop an attempt that is being sent is no decision about its money.
          const isBeingSent =
            payment.status === "processing" &&
            history.attempts.some((one) => one.leg === "settlement" && isUnderWay(one, now))
          const isTooLate = item === undefined && request.outcome === "failed" && isBeingSent
          if (sums.length > 0 && !isTooLate) return yield* resolveAll(about, sums, request)
          return yield* conflict(
            open.some((one) => isUnderWay(one, now))
              ? "A provider is being asked at this moment: look at the payment again in a minute."
              : `This payment is ${payment.status}: there is nothing for a person to settle.`
          )
        }),
        giveBack: traced("Resolution.giveBack")(function* (permit, id, wanted) {
          return yield* refundUnallocated(permit, yield* orNotFound(store.find(permit.scope, id)), wanted)
        })
      }
    })
  ).pipe(Layer.provide(RefundUnallocated.layer))
}
