/**
 * The second leg of a ramp. Whoever hears that the money has arrived commits the attempt to settle it in the same
 * statement; the attempt is then sent from here, in the same process, or after a crash by the enquiries, which send it
 * again only when its provider proves that it never had it.
 */
import { Array as Arr, Context, Effect, Layer, Queue } from "effect"
import type { NewAttempt, Payment } from "../Payment.ts"
import { makeChoose } from "../Choice.ts"
import { isRamp, secondLeg } from "./LegOrder.ts"
import { makeRampRouter } from "./RampRouter.ts"

export interface Due {
  readonly payment: Payment
  readonly attempt: NewAttempt
}

export class SecondLeg extends Context.Tag("corridor/SecondLeg")<
  SecondLeg,
  {
    /** Whom to ask, if anyone can. */
    readonly choose: (payment: Payment) => Effect.Effect<NewAttempt | undefined>
    readonly send: (due: Due) => Effect.Effect<void>
    readonly due: Effect.Effect<Due>
  }
>() {
  static readonly layer = Layer.effect(
    SecondLeg,
    Effect.gen(function* () {
      const route = yield* makeRampRouter
      const choose = yield* makeChoose
      const queue = yield* Queue.unbounded<Due>()
      return {
        choose: Effect.fnUntraced(function* (payment) {
          if (!isRamp(payment)) return undefined
          const { candidates } = yield* route(payment.org_id, secondLeg(payment))
          return Arr.isNonEmptyReadonlyArray(candidates) ? (yield* choose(candidates, "settlement")).attempt : undefined
        }),
        send: (due) => Effect.asVoid(Queue.offer(queue, due)),
        due: Queue.take(queue)
      }
    })
  )
}
