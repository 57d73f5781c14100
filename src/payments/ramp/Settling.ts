/** Sends the second legs of ramps, each once. */
import { Array as Arr, Clock, Context, Duration, Effect, Layer } from "effect"
import { settlementConcurrency, settlementStartsWithin } from "../../domain/Policies.ts"
import { Dispatch } from "../Dispatch.ts"
import type { NewAttempt, Payment } from "../Payment.ts"
import { makeUndisturbed } from "../../fibers/Undisturbed.ts"
import { isRamp, secondLeg, settlementOrder } from "./LegOrder.ts"
import { makeRampRouter } from "./RampRouter.ts"
import { SecondLeg } from "./SecondLeg.ts"

export class Settling extends Context.Tag("corridor/Settling")<
  Settling,
  {
    /** For whoever has proof that the provider never had it. */
    readonly sendAgain: (payment: Payment, attempt: NewAttempt) => Effect.Effect<void>
    /** Sends what becomes due in this process, until it is interrupted. */
    readonly worker: Effect.Effect<never>
  }
>() {
  static readonly layer = Layer.scoped(
    Settling,
    Effect.gen(function* () {
      const dispatch = yield* Dispatch
      const route = yield* makeRampRouter
      const second = yield* SecondLeg
      const undisturbed = yield* makeUndisturbed

      const send = Effect.fn("Settling.send")(function* (payment: Payment, attempt: NewAttempt) {
        if (!isRamp(payment)) return
        const { candidates } = yield* route(payment.org_id, secondLeg(payment))
        const rest = candidates.filter(({ provider }) => provider !== attempt.provider)
        yield* dispatch.ask(payment, settlementOrder(payment), { attempt, rest })
      })

      /** What had to wait too long is left to the enquiries, which might be sending it at this moment. */
      const sendInTime = Effect.fnUntraced(function* (payment: Payment, attempt: NewAttempt) {
        const age = (yield* Clock.currentTimeMillis) - attempt.started_at.getTime()
        if (age < Duration.toMillis(settlementStartsWithin)) yield* send(payment, attempt)
      })

      return {
        sendAgain: (payment, attempt) => undisturbed(send(payment, attempt)),
        worker: Effect.flatMap(second.due, ({ attempt, payment }) =>
          undisturbed(sendInTime(payment, attempt)).pipe(
            Effect.catchAllCause((cause) => Effect.logError("A settlement was not sent; it will be looked up", cause)),
            Effect.annotateLogs({ payment_id: payment.payment_id, attempt_id: attempt.attempt_id })
          )
        ).pipe(
          Effect.forever,
          (loop) =>
            Effect.all(
              Arr.makeBy(settlementConcurrency, () => loop),
              { concurrency: "unbounded" }
            ),
          Effect.zipRight(Effect.never)
        )
      }
    })
  )
}
