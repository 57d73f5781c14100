/**
 * Refunds of payments. A refund is committed with its attempt, under the payment's version, before its provider is
 * called. So two refunds at once never exceed the payment. After a crash the attempt is polled, never sent again.
 */
import { type BigDecimal, Clock, Context, Duration, Effect, Either, Layer, Option } from "effect"
import { asSentence } from "../../domain/MailSafeText.ts"
import { AttemptId, type PaymentId, Ids } from "../../domain/Ids.ts"
import { catchRefusal, orDefect } from "../../platform/database/DatabaseFailure.ts"
import { Transactor } from "../../platform/database/Transactor.ts"
import { actorText, type Permit } from "../../domain/Access.ts"
import { Invalid } from "../../domain/Failure.ts"
import { toPlainText } from "../../domain/Decimal.ts"
import { costAt, invert, type Rate, taken as takenFor } from "../../domain/Exchange.ts"
import { Money } from "../../domain/Money.ts"
import { refundRateTime, turnPatience } from "../../domain/policies/PaymentPolicies.ts"
import { makeKeyedLocks } from "../../platform/fibers/KeyedLocks.ts"
import { Idempotency } from "../../platform/idempotency/Idempotency.ts"
import type { NewKey } from "../../platform/idempotency/IdempotencyStore.ts"
import { Providers } from "../../providers/port/Provider.ts"
import { RateQuote } from "../../money/rates/RateQuote.ts"
import { refundsHonoured } from "../../providers/port/ResendPermit.ts"
import { attemptContext } from "../route/BuildOrder.ts"
import { openAttempt } from "../store/Change.ts"
import { collectionsLeft } from "../store/UnallocatedMoney.ts"
import type { Attempt, Payment, Refund } from "../store/Payment.ts"
import { PaymentStore, type PaymentHistory } from "../store/PaymentStore.ts"
import { RecordOutcome } from "./RecordOutcome.ts"
import { CallProvider, FirstSendPermit, openSendWindow } from "../route/CallProvider.ts"
import { refundAttempt, causeOf, PaymentCommand, openAttemptsOf, refuse, switchedOff } from "./PaymentCommand.ts"
import { isPolledAfterDecline } from "./PaymentSignalRules.ts"
import { leftOf, targetOfPart } from "./RefundSignalRules.ts"
import { traced } from "../../platform/observability/Spans.ts"

export interface WantedRefund {
  /** In the payment's currency; all that is left when not given. */
  readonly amount: BigDecimal.BigDecimal | undefined
  readonly reason: string | undefined
  readonly key?: NewKey | undefined
}

/** Whether an attempt's outcome is unknown, or its provider has it although it was declined. */
const isUncertain = (attempt: Attempt, { items }: PaymentHistory): boolean =>
  attempt.outcome === "unknown" ||
  isPolledAfterDecline(attempt) ||
  items.some(
    ({ attempt_id, closed_at, kind }) =>
      kind === "unknown_outcome" && closed_at === null && attempt_id === attempt.attempt_id
  )

/** Refuses a further refund while the outcome of another is unknown. */
const uncertaintyIn = (history: PaymentHistory): string | undefined =>
  history.attempts.some((one) => (one.leg === "refund" || one.leg === "return") && isUncertain(one, history))
    ? "what became of an earlier refund is not known yet; refund it afterwards."
    : undefined

const partOf = (payment: Payment, left: Money, amount: WantedRefund["amount"]) =>
  Effect.gen(function* () {
    if (!left.isPositive) return yield* refuse(payment, "all of it was refunded already, or a refund is in progress.")
    if (amount === undefined) return left
    const part = yield* Either.mapLeft(
      Money.fromDecimal(amount, payment.amount.currency),
      (why) => new Invalid({ message: `amount: ${why}.` })
    )
    return part.minor > left.minor
      ? yield* refuse(payment, `${part.toString()} is more than the ${left.toString()} that can still be refunded.`)
      : part
  })

/** The first collection of an attempt with enough left; a refund is of one collection. */
const collectionFor = Effect.fnUntraced(function* (
  payment: Payment,
  { attempt_id }: Attempt,
  movements: PaymentHistory["movements"],
  part: Money
) {
  const mine = collectionsLeft(payment, movements, { attempt_id, money: part })
  if (mine.length < 2) return undefined
  const enough = mine.find(({ left }) => left >= part.minor)
  if (enough !== undefined) return enough.movement_id
  const amounts = mine
    .flatMap(({ amount, left }) =>
      left > 0n ? [new Money({ currency: amount.currency, minor: left }).toString()] : []
    )
    .join(", ")
  return yield* refuse(payment, `it came in several transfers (${amounts}): refund each of them by itself.`)
})

const make = Effect.gen(function* () {
  const command = yield* PaymentCommand
  const store = yield* PaymentStore
  const providers = yield* Providers
  const outcomes = yield* RecordOutcome
  const rates = yield* RateQuote
  const ids = yield* Ids
  const keys = yield* Idempotency
  const { atomically } = yield* Transactor
  const answer = yield* CallProvider
  /** Parts that are all decided on at once overtake each other, and hardly one of them is ever written. */
  const inTurn = makeKeyedLocks(turnPatience)

  /** Attempt that collected the payment, and its provider's refund function. */
  const refundableCollection = Effect.fnUntraced(function* (payment: Payment) {
    // One that was charged back, and whose dispute was won, has money again.
    if (payment.status !== "completed" && payment.status !== "refunded") {
      return yield* refuse(payment, "only a completed payment can be refunded.")
    }
    if (payment.direction !== "inbound") return yield* refuse(payment, "only payins can be refunded.")
    const history = yield* store.history(payment)
    const uncertainty = uncertaintyIn(history)
    if (uncertainty !== undefined) return yield* refuse(payment, uncertainty)
    const taken = openAttemptsOf(history.attempts).find(
      ({ outcome, provider }) => outcome === "accepted" && provider === payment.provider
    )
    const provider = taken === undefined ? undefined : yield* providers.find(taken.provider, taken.account)
    if (taken !== undefined && provider === undefined) return yield* refuse(payment, switchedOff(taken))
    if (taken === undefined || provider?.refund === undefined) {
      return yield* refuse(payment, `${payment.provider} makes no refunds through this service.`)
    }
    const completedAt = history.statusChanges.findLast(({ to_status }) => to_status === "completed")?.at
    return {
      taken,
      provider,
      refund: provider.refund,
      completedAt,
      movements: history.movements,
      allocations: history.allocations
    }
  })

  /** At the live rate of the way back: from what the organisation has to what its customer paid. */
  const costNow = Effect.fnUntraced(function* (payment: Payment, part: Money) {
    const [from, to] = [payment.target.currency, part.currency]
    const live = yield* catchRefusal(rates.live(payment.org_id, from, to), ({ message }) =>
      refuse(payment, `there is no live rate to refund it at. ${message} Try again later.`)
    )
    if (Option.isNone(live)) return yield* refuse(payment, `there is ${yield* rates.missing(from, to)}.`)
    // The shown rate yields the cost by multiplication, never below the exact quotient.
    const exact = takenFor(part, { from, to, rate: live.value })
    const costAtRate = (rate: Rate) => takenFor(part, { from: to, to: from, rate })
    const below = invert(live.value)
    const rate = costAtRate(below).minor === exact.minor ? below : costAt(live.value)
    return { target: costAtRate(rate), rate: { basis: "live", value: toPlainText(rate) } as const }
  })

  /**
   * Cost of a refund: at the payment's own rate for a day after completion, then at the live rate. So the rate is no
   * free option.
   */
  const costOf = Effect.fnUntraced(function* (payment: Payment, part: Money, completedAt: Date | undefined) {
    const { amount, org_id, org_rate_id, refunds, target } = payment
    if (amount.currency === target.currency || org_rate_id === null) return { target: part }
    const age = completedAt === undefined ? 0 : (yield* Clock.currentTimeMillis) - completedAt.getTime()
    if (age >= Duration.toMillis(refundRateTime)) return yield* costNow(payment, part)
    const { rate } = yield* orDefect(Effect.flatten(rates.locked(org_id, org_rate_id)))
    return {
      target: targetOfPart(payment, refunds, part, rate),
      rate: { basis: "original", value: toPlainText(rate) } as const
    }
  })

  const committed = Effect.fnUntraced(function* (
    permit: Permit<"refunds">,
    paymentId: PaymentId,
    wanted: WantedRefund
  ) {
    const payment = yield* command.find(permit, paymentId)
    const taker = yield* refundableCollection(payment)
    const { refunds } = payment
    const amount = yield* partOf(payment, leftOf(payment, taker.movements), wanted.amount)
    const collection_id = yield* collectionFor(payment, taker.taken, taker.movements, amount)
    const { rate, target } = yield* costOf(payment, amount, taker.completedAt)
    const window = yield* openSendWindow
    const created_at = new Date(yield* Clock.currentTimeMillis)
    const attempt = refundAttempt(taker.taken, "refund", yield* ids.make(AttemptId), created_at)
    const part: Refund = {
      refund_id: attempt.attempt_id,
      amount,
      target,
      rate,
      state: "open",
      reason: wanted.reason ?? null,
      requested_by: actorText(permit),
      created_at,
      settled_at: null,
      collection_id
    }
    const act = {
      status: payment.status,
      patch: { refunds: [...refunds, part] },
      nextAttempt: attempt,
      // The reserve's part depends on chargebacks before.
      booksBefore: { movements: taker.movements, allocations: taker.allocations },
      cause: `refund asked for by ${actorText(permit)}`
    }
    const noted = {
      action: "payment.refund_requested",
      detail: {
        refund_id: attempt.attempt_id,
        amount: amount.toNumericText(),
        currency: amount.currency,
        reason: wanted.reason ?? null,
        ...(rate === undefined ? {} : { rate: rate.value, rate_basis: rate.basis })
      }
    }
    const after = yield* atomically(
      Effect.zipRight(keys.claim(paymentId, wanted.key), command.writeAudited(permit, payment, [act], noted))
    )
    return { payment: after, attempt, amount, collectionId: collection_id ?? null, window, ...taker }
  })

  return traced("Refunds.refund")(function* (permit: Permit<"refunds">, paymentId: PaymentId, wanted: WantedRefund) {
    const { allocations, amount, attempt, collectionId, movements, payment, provider, refund, taken, window } =
      yield* inTurn(paymentId, command.decided(committed(permit, paymentId, wanted)))
    const order = {
      attempt: attemptContext(payment, taken, []),
      reference: attempt.attempt_id,
      collectionId,
      money: amount,
      reason: wanted.reason ?? null
    }
    const outcome = yield* answer.send(provider, refund(order), window, FirstSendPermit.made(attempt), {
      honours: refundsHonoured(provider)
    })
    const subject = { payment, attempt: openAttempt(payment, attempt), movements, allocations }
    const recorded = yield* outcomes.record(subject, outcome, { cause: causeOf(outcome, provider.name, "refund") })
    if (outcome._tag !== "Declined" || recorded.outcome !== "declined") return recorded.payment
    const why =
      outcome.unsent === "late"
        ? `${asSentence(outcome.reason)} Ask for the refund again.`
        : `${provider.name} declined the refund: ${asSentence(outcome.reason)}`
    return yield* refuse(recorded.payment, why)
  })
})

export class Refunds extends Context.Tag("corridor/Refunds")<Refunds, Effect.Effect.Success<typeof make>>() {
  static readonly layer = Layer.effect(Refunds, make)
}
