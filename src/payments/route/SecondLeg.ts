/**
 * The second leg of a ramp. Whoever hears that the money has arrived commits the attempt to settle it in the same
 * statement, and whichever instance claims that attempt sends it: nothing about it is kept in memory alone.
 */
import { Array as Arr, Context, Effect, Layer, Queue } from "effect"
import type { Payment } from "../store/Payment.ts"
import { isRamp, secondLeg } from "./LegOrder.ts"
import { PaymentRouter } from "./PaymentRouter.ts"
import type { NewAttempt } from "../store/Change.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"

export class RampPayout extends Context.Tag("corridor/RampPayout")<
  RampPayout,
  {
    /** Whom to ask, if anyone can: an attempt that is still to be sent. */
    readonly choose: (payment: Payment) => Stored<NewAttempt | undefined>
    /** What was chosen is not to be sent: another may find out whether its provider answers. */
    readonly unsent: (payment: Payment, attempt: NewAttempt) => Effect.Effect<void>
    /** Something in this process may have become due. */
    readonly wake: Effect.Effect<void>
    readonly woken: Effect.Effect<void>
  }
>() {
  static readonly layer = Layer.effect(
    RampPayout,
    Effect.gen(function* () {
      const router = yield* PaymentRouter
      const bell = yield* Queue.sliding<void>(1)
      return {
        choose: Effect.fnUntraced(function* (payment) {
          if (!isRamp(payment)) return undefined
          const { candidates } = yield* router.routeLeg(payment.org_id, secondLeg(payment))
          if (!Arr.isNonEmptyReadonlyArray(candidates)) return undefined
          const { attempt } = yield* router.choose(payment.org_id, candidates, "settlement")
          return { ...attempt, enquire_in: null }
        }),
        unsent: ({ org_id }, attempt) => router.unsent(org_id, { attempt }),
        wake: Effect.asVoid(Queue.offer(bell, undefined)),
        woken: Queue.take(bell)
      }
    })
  )
}
