/** Settling by hand what no machine can: an outcome that stayed unknown, a manual payment, money in suspense. Audited. */
import { Context, Duration, Effect, Layer, Option } from "effect"
import type { PaymentId } from "../../domain/Identifiers.ts"
import { AuditLog } from "../../platform/audit/AuditLog.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"
import { Transactor } from "../../platform/database/Transactor.ts"
import type { Permit } from "../../domain/Access.ts"
import { Conflict, type InsufficientFunds, type NotFound, notFound } from "../../domain/Failure.ts"
import { Report } from "../../domain/Outcome.ts"
import { isSettled } from "../../domain/PaymentStatus.ts"
import { absenceGrace } from "../../domain/policies/Payments.ts"
import type { Attempt, Payment, StoredOperatorItem } from "../store/Payment.ts"
import { PaymentStore, type Story } from "../store/PaymentStore.ts"
import { RecordOutcome } from "../record/RecordOutcome.ts"
import { changed, Suspense } from "./Suspense.ts"
import { isAmbiguous, listed, openQuestions, openSuspense, underpaidBy } from "./SuspenseItems.ts"
import { type GiveBack, SuspenseReturn } from "./SuspenseReturn.ts"
import type { Verdict } from "./SuspenseVerdict.ts"

/** A call that may still be under way is nobody's to decide. */
const isUnderWay = ({ outcome, sends, sent_at }: Attempt, now: Date): boolean => {
  const unanswered = outcome === null || (outcome === "unknown" && sends > 1)
  return unanswered && (sends === 0 || now.getTime() - sent_at.getTime() < Duration.toMillis(absenceGrace))
}

/** An item about no attempt is about money of the one that was accepted. */
const isAbout = (item: StoredOperatorItem, { attempt_id, leg, outcome }: Attempt): boolean =>
  item.attempt_id === null
    ? outcome === "accepted" && (leg === "payment" || leg === "collection")
    : item.attempt_id === attempt_id

const itemsAbout = ({ items }: Story, attempt: Attempt): ReadonlyArray<StoredOperatorItem> =>
  items.filter((item) => item.kind === "unknown_outcome" && item.closed_at === null && isAbout(item, attempt))

const hasItem = (story: Story, attempt: Attempt): boolean => itemsAbout(story, attempt).length > 0

/** What is on the manual rail waits for a person, until it has ended. */
const isOnManualRail = ({ refunds }: Payment, { attempt_id, leg, outcome, provider }: Attempt): boolean =>
  provider === "manual" &&
  outcome === "accepted" &&
  leg !== "return" &&
  (leg !== "refund" || refunds.some(({ refund_id, state }) => refund_id === attempt_id && state === "open"))

const hasMoved = ({ ramp, refunds, status }: Payment, { attempt_id, leg }: Attempt): boolean => {
  switch (leg) {
    case "collection":
      return (ramp?.collected ?? null) !== null
    case "refund":
      return refunds.some(({ refund_id, state }) => refund_id === attempt_id && state === "completed")
    case "return":
      return false
    default:
      return status === "completed" || status === "refunded"
  }
}

/** Without a name, whatever waits is meant. */
const isMeant = (named: StoredOperatorItem | undefined, kind: StoredOperatorItem["kind"], attempt: Attempt): boolean =>
  named === undefined || (named.kind === kind && isAbout(named, attempt))

/** Whether an attempt may have taken the money of an item back already. */
const isGivingBack =
  ({ attempt_id, kind }: StoredOperatorItem) =>
  ({ leg, of_attempt, outcome }: Attempt): boolean =>
    kind === "suspense" && leg === "return" && of_attempt === attempt_id && (outcome === null || outcome === "unknown")

/** What no machine settles any more, or never did. */
const onlyByHand =
  (payment: Payment, story: Story, now: Date) =>
  (attempt: Attempt): boolean =>
    !isUnderWay(attempt, now) &&
    (attempt.outcome === "unknown" ||
      attempt.outcome === null ||
      isOnManualRail(payment, attempt) ||
      hasItem(story, attempt))

export class Resolution extends Context.Tag("corridor/Resolution")<
  Resolution,
  {
    readonly resolve: (
      permit: Permit<"platform">,
      paymentId: PaymentId,
      verdict: Verdict
    ) => Stored<Payment, NotFound | Conflict | InsufficientFunds>
    /** Sends money in suspense back through the provider that took it. Repeating it never sends it twice. */
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
      const suspense = yield* Suspense
      const giveBack = yield* SuspenseReturn
      const { atomically } = yield* Transactor

      const find = (permit: Permit<"platform">, id: PaymentId) =>
        Effect.flatMap(
          store.find(permit.scope, id),
          Option.match({ onNone: () => Effect.fail(notFound("payment")), onSome: Effect.succeed<Payment> })
        )

      /** Which of the items that wait the verdict is about; none where it fits them all. */
      const itemNamed = Effect.fnUntraced(function* (payment: Payment, story: Story, { item }: Verdict) {
        const open = openQuestions(story)
        if (item === undefined) {
          if (!isAmbiguous(payment, story, yield* suspense.waitingFor(payment))) return undefined
          return yield* new Conflict({
            message: `Several things of this payment wait for a person, and one verdict does not fit them all. Name one of them (--item, or item_id): ${listed(open)}`
          })
        }
        const found = open.find(({ item_id }) => item_id === item)
        if (found !== undefined) return found
        const others = open.length === 0 ? "nothing waits for a person." : `these do: ${listed(open)}`
        return yield* new Conflict({ message: `Nothing of this payment waits under ${item}; ${others}` })
      })

      const settleAttempt = (
        permit: Permit<"platform">,
        payment: Payment,
        attempt: Attempt,
        verdict: Verdict,
        items: ReadonlyArray<StoredOperatorItem>
      ) => {
        const { item, outcome, reason } = verdict
        const unseen = items.some((one) => one.attempt_id === null && (item === undefined || item === one.item_id))
        // What had moved by its provider's word, and has not, is with its provider again.
        const state = outcome === "failed" && hasMoved(payment, attempt) ? "returned" : outcome
        const signal = new Report({ state, reason, providerPaymentId: null, providerStatus: null })
        const by = `by ${permit.actor.id}: ${reason}`
        return Effect.gen(function* () {
          // Whoever was slower decided on something that is settled by now.
          const heard = yield* outcomes.hearOnce({ payment, attempt }, signal, {
            cause: `settled ${by}`,
            operator: { id: permit.actor.id, note: `Settled ${by}`, unseen }
          })
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

      return {
        resolve: Effect.fn("Resolution.resolve")(function* (permit, id, verdict) {
          const payment = yield* find(permit, id)
          const story = yield* store.story(payment)
          const named = yield* itemNamed(payment, story, verdict)
          const underpaid = underpaidBy(payment, story)
          if (underpaid !== undefined && isMeant(named, "suspense", underpaid)) {
            return yield* suspense.settleUnderpaid(permit, payment, story, underpaid, verdict)
          }
          const now = yield* store.now
          const open = story.attempts.filter(
            (one) => one.leg === "refund" || one.leg === "return" || !isSettled(payment.status) || hasItem(story, one)
          )
          const attempt = open
            .filter((one) => isMeant(named, "unknown_outcome", one))
            .find(onlyByHand(payment, story, now))
          if (attempt !== undefined) {
            return yield* atomically(settleAttempt(permit, payment, attempt, verdict, itemsAbout(story, attempt)))
          }
          const underWay = open.filter((one) => isUnderWay(one, now))
          if (named !== undefined && story.attempts.some(isGivingBack(named))) {
            return yield* new Conflict({
              message: "What became of a return of this money is not known: wait for that, or settle it first."
            })
          }
          const isOfMoney = named === undefined ? openSuspense(story).length > 0 : named.kind === "suspense"
          if (isOfMoney && underWay.every(({ leg }) => leg !== "return")) {
            return yield* suspense.settle(permit, payment, story, verdict)
          }
          if (underWay.length > 0) {
            return yield* new Conflict({
              message: "A provider is being asked at this moment: look at the payment again in a minute."
            })
          }
          return yield* new Conflict({
            message: `This payment is ${payment.status}: there is nothing for a person to settle.`
          })
        }),
        giveBack: Effect.fn("Resolution.giveBack")(function* (permit, id, wanted) {
          return yield* giveBack(permit, yield* find(permit, id), wanted)
        })
      }
    })
  )
}
