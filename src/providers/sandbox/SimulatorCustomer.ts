/** Actions on a simulated payment: one-time passwords, checkout, cancellation, refunds. */
import { Context, Effect, Layer, Option } from "effect"
import { uuidOrNil } from "../../domain/Ids.ts"
import type { Money } from "../../domain/Money.ts"
import { type Outcome, Declined } from "../../domain/Outcome.ts"
import { simulatorOtpAttempts } from "../../domain/policies/ProviderPolicies.ts"
import {
  type Behaviour,
  isFinal,
  type NewSimulatorTimer,
  type SimulatorPayment,
  type SimulatorChange,
  SimulatorStore
} from "./SimulatorStore.ts"
import { makeTimers, type SimulatorTimers, acceptedAs, byHand } from "./SimulatorAnswers.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"
import { traced } from "../../platform/observability/Spans.ts"

/** Reason of a payment that its customer cancelled at the hosted checkout of a simulator. */
export const ABANDONED_REASON = "The customer cancelled at the checkout"

/** Refund at a simulator: a payment of its own, under its own reference. */
const refusalOf = (paid: Money, money: Money): string | null =>
  paid.currency === money.currency && money.isPositive && money.minor <= paid.minor
    ? null
    : "The refund is not a part of what was paid"

/** A payment that an operator completed is unknown here, so the caller decides. */
const isPaid = ({ behaviour, state }: SimulatorPayment): boolean => state === "completed" || behaviour === "by_hand"

/** An operator completes the refund of a payment that was completed by hand. */
const refundOf = ({ rail }: SimulatorPayment, reference: string, money: Money): SimulatorPayment => ({
  reference,
  rail,
  kind: "refund",
  money,
  reason: null,
  wrongPasswords: 0,
  state: "processing",
  ...(rail === "manual"
    ? { behaviour: "by_hand", answer: byHand }
    : { behaviour: "completes", answer: { state: "processing", nextAction: null, actionData: {} } })
})

const makeRefund = (store: Context.Tag.Service<SimulatorStore>, { timersFor }: SimulatorTimers) =>
  traced("SimulatorCustomer.refund")(function* (reference: string, refundReference: string, money: Money) {
    const before = yield* store.find(refundReference)
    if (Option.isSome(before)) return acceptedAs(before.value) as Outcome
    const paid = Option.filter(yield* store.find(uuidOrNil(reference)), isPaid)
    if (Option.isNone(paid)) return new Declined({ reason: "There is no completed payment to refund" })
    const refusal = refusalOf(paid.value.money, money)
    if (refusal !== null) return new Declined({ reason: refusal })
    const refund = refundOf(paid.value, refundReference, money)
    return acceptedAs(yield* store.open(refund, yield* timersFor(refund.behaviour)))
  })

const PASSWORD = "123456"
const CANCELLED = "The payment was cancelled"
const WRONG_PASSWORDS = "The one-time password was wrong too often"

const waitsAs =
  (...behaviours: ReadonlyArray<Behaviour>) =>
  ({ behaviour, state }: SimulatorPayment): boolean =>
    state === "pending" && behaviours.includes(behaviour)

const waitsForPassword = waitsAs("asks_password")
const waitsAtCheckout = waitsAs("redirects", "pays_by_link")

const toComplete = (timer: NewSimulatorTimer): SimulatorChange => ({ state: "processing", timers: [timer] })

const toFail = (timer: NewSimulatorTimer): SimulatorChange => ({
  state: "failed",
  reason: timer.reason,
  dropTimers: true,
  timers: [timer]
})

export class SimulatorCustomer extends Context.Tag("corridor/SimulatorCustomer")<
  SimulatorCustomer,
  {
    /** The fifth wrong password fails the payment. */
    readonly submitOtp: (reference: string, otp: string) => Stored<"accepted" | "wrong" | "not_expected">
    /** Each of these says whether the payment was in a state for it. */
    readonly resendOtp: (reference: string) => Stored<boolean>
    readonly pay: (reference: string) => Stored<boolean>
    readonly abandon: (reference: string) => Stored<boolean>
    /** Certain: what is confirmed never completes, and what was confirmed is confirmed again. */
    readonly cancel: (reference: string) => Stored<boolean>
    readonly refund: (reference: string, refundReference: string, money: Money) => Stored<Outcome>
  }
>() {
  static readonly layer = Layer.effect(
    SimulatorCustomer,
    Effect.gen(function* () {
      const store = yield* SimulatorStore
      const timers = yield* makeTimers
      const { timerOf } = timers

      const changeWhen = Effect.fnUntraced(function* (
        reference: string,
        allowed: (payment: SimulatorPayment) => boolean,
        change: SimulatorChange | null
      ) {
        const answer = yield* store.change(uuidOrNil(reference), (payment) =>
          allowed(payment) ? [true, change] : [false, null]
        )
        return Option.getOrElse(answer, () => false)
      })

      const submitOtp = traced("SimulatorCustomer.submitOtp")(function* (reference: string, otp: string) {
        const completion = yield* timerOf("completed")
        const failure = yield* timerOf("failed", WRONG_PASSWORDS)
        const answer = yield* store.change<"accepted" | "wrong" | "not_expected">(uuidOrNil(reference), (payment) => {
          if (!waitsForPassword(payment)) return ["not_expected", null]
          if (otp === PASSWORD) return ["accepted", toComplete(completion)]
          const wrongPasswords = payment.wrongPasswords + 1
          return ["wrong", { wrongPasswords, ...(wrongPasswords < simulatorOtpAttempts ? {} : toFail(failure)) }]
        })
        return Option.getOrElse(answer, () => "not_expected" as const)
      })

      const cancel = traced("SimulatorCustomer.cancel")(function* (reference: string) {
        const failure = yield* timerOf("failed", CANCELLED)
        const answer = yield* store.change(uuidOrNil(reference), (payment) => {
          if (isFinal(payment.state) || payment.behaviour === "never_answers")
            return [payment.reason === CANCELLED, null]
          return [true, toFail(failure)]
        })
        return Option.getOrElse(answer, () => false)
      })

      return {
        submitOtp,
        resendOtp: (reference) => changeWhen(reference, waitsForPassword, null),
        pay: (reference) =>
          Effect.flatMap(timerOf("completed"), (timer) => changeWhen(reference, waitsAtCheckout, toComplete(timer))),
        abandon: (reference) =>
          Effect.flatMap(timerOf("failed", ABANDONED_REASON), (timer) =>
            changeWhen(reference, waitsAtCheckout, toFail(timer))
          ),
        cancel,
        refund: makeRefund(store, timers)
      }
    })
  )
}
