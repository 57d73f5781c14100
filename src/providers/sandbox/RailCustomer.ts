/** What people do at a built-in rail once a payment is there: the customer, and whoever wants money back. */
import { Context, Effect, Layer, Option } from "effect"
import { uuidOrNil } from "../../domain/Ids.ts"
import type { Money } from "../../domain/Money.ts"
import type { Outcome } from "../../domain/Outcome.ts"
import { railPasswordAttempts } from "../../domain/policies/Sandbox.ts"
import { ABANDONED } from "./Abandoned.ts"
import type { Behaviour } from "./RailBehaviour.ts"
import { isFinal, type NewRailTimer, type RailPayment } from "./RailPayment.ts"
import { makeRefund } from "./RailRefund.ts"
import { type RailChange, RailStore } from "./RailStore.ts"
import { makeTimers } from "./RailTimers.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"

const PASSWORD = "123456"
const CANCELLED = "The payment was cancelled"
const WRONG_PASSWORDS = "The one-time password was wrong too often"

const waitsAs =
  (...behaviours: ReadonlyArray<Behaviour>) =>
  ({ behaviour, state }: RailPayment): boolean =>
    state === "pending" && behaviours.includes(behaviour)

const waitsForPassword = waitsAs("asks_password")
const waitsAtCheckout = waitsAs("redirects", "pays_by_link")

const toComplete = (timer: NewRailTimer): RailChange => ({ state: "processing", timers: [timer] })

const toFail = (timer: NewRailTimer): RailChange => ({
  state: "failed",
  reason: timer.reason,
  dropTimers: true,
  timers: [timer]
})

export class RailCustomer extends Context.Tag("corridor/RailCustomer")<
  RailCustomer,
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
    RailCustomer,
    Effect.gen(function* () {
      const store = yield* RailStore
      const timers = yield* makeTimers
      const { timerOf } = timers

      const changeWhen = Effect.fnUntraced(function* (
        reference: string,
        allowed: (payment: RailPayment) => boolean,
        change: RailChange | null
      ) {
        const answer = yield* store.change(uuidOrNil(reference), (payment) =>
          allowed(payment) ? [true, change] : [false, null]
        )
        return Option.getOrElse(answer, () => false)
      })

      const submitOtp = Effect.fn("RailCustomer.submitOtp")(function* (reference: string, otp: string) {
        const completion = yield* timerOf("completed")
        const failure = yield* timerOf("failed", WRONG_PASSWORDS)
        const answer = yield* store.change<"accepted" | "wrong" | "not_expected">(uuidOrNil(reference), (payment) => {
          if (!waitsForPassword(payment)) return ["not_expected", null]
          if (otp === PASSWORD) return ["accepted", toComplete(completion)]
          const wrongPasswords = payment.wrongPasswords + 1
          return ["wrong", { wrongPasswords, ...(wrongPasswords < railPasswordAttempts ? {} : toFail(failure)) }]
        })
        return Option.getOrElse(answer, () => "not_expected" as const)
      })

      const cancel = Effect.fn("RailCustomer.cancel")(function* (reference: string) {
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
          Effect.flatMap(timerOf("failed", ABANDONED), (timer) =>
            changeWhen(reference, waitsAtCheckout, toFail(timer))
          ),
        cancel,
        refund: makeRefund(store, timers)
      }
    })
  )
}
