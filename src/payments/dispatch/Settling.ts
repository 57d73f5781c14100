/** Sends the second legs of ramps, each once. */
import { Context, Duration, Effect, Layer } from "effect"
import { settlementsPerProvider } from "../../domain/policies/Payments.ts"
import { workerPoll } from "../../domain/policies/Server.ts"
import { makeRunDetached } from "../../platform/fibers/RunDetached.ts"
import { asRun } from "../../platform/observability/Spans.ts"
import { Dispatch } from "./Dispatch.ts"
import { runFor } from "../store/AttemptRun.ts"
import { makeLanes } from "../store/Lanes.ts"
import type { Attempt } from "../store/Payment.ts"
import { type Known, PaymentStore } from "../store/PaymentStore.ts"
import type { ResendPermit } from "../../providers/port/ResendPermit.ts"
import { FirstSend, type Leave, openSendWindow, type SendWindow } from "../route/Leave.ts"
import { Organizations } from "../../people/organizations/Organizations.ts"
import { isRamp, type RampPayment, secondLeg, settlementOrder } from "../route/LegOrder.ts"
import { PaymentRouter } from "../route/PaymentRouter.ts"
import { SecondLeg } from "../route/SecondLeg.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"

export class Settling extends Context.Tag("corridor/Settling")<
  Settling,
  {
    /** For whoever has the leave to send an attempt again, within the time that it was given. */
    readonly sendAgain: (known: Known, window: SendWindow, again: ResendPermit) => Stored<void>
    /** Sends what is due, here or left behind by others, until it is interrupted. */
    readonly worker: Stored<never>
  }
>() {
  static readonly layer = Layer.scoped(
    Settling,
    Effect.gen(function* () {
      const store = yield* PaymentStore
      const dispatch = yield* Dispatch
      const organizations = yield* Organizations
      const router = yield* PaymentRouter
      const second = yield* SecondLeg
      const runDetached = yield* makeRunDetached

      /** Whoever was asked for this leg before is not asked again. */
      const othersFor = Effect.fnUntraced(function* (payment: RampPayment, leg: Attempt["leg"]) {
        const asked = (yield* store.attemptsOf(payment.payment_id)).filter((one) => one.leg === leg)
        const { candidates } = yield* router.routeLeg(payment.org_id, secondLeg(payment))
        return candidates.filter(({ provider }) => asked.every((one) => one.provider !== provider))
      })

      const send = Effect.fnUntraced(
        function* ({ allocations, attempt, movements, payment }: Known, window: SendWindow, leave: Leave) {
          if (!isRamp(payment)) return
          const rest = yield* othersFor(payment, attempt.leg)
          const { account, attempt_id, config_id, leg, own, provider, started_at } = attempt
          const order = settlementOrder(payment, yield* organizations.find(payment.org_id))
          const asked = { account, attempt_id, config_id, leg, own, provider, started_at, enquire_in: null }
          yield* dispatch.ask(payment, order, { attempt: asked, rest, window, leave }, { allocations, movements })
        },
        (effect, { attempt, payment }) =>
          Effect.annotateLogs(effect, { payment_id: payment.payment_id, attempt_id: attempt.attempt_id }).pipe(
            asRun(runFor("Settlement", attempt))
          )
      )

      const lanes = yield* makeLanes(settlementsPerProvider)

      const sendDue = Effect.gen(function* () {
        const window = yield* openSendWindow
        const due = yield* store.claimUnsent(lanes.room())
        for (const known of due) {
          yield* lanes.run(
            known.attempt.provider,
            runDetached(Effect.flatMap(FirstSend.claimed(known.attempt), (leave) => send(known, window, leave))).pipe(
              Effect.catchAllCause((cause) => Effect.logError("A settlement was not sent; it will be looked up", cause))
            )
          )
        }
      })

      return {
        sendAgain: (known, window, again) => runDetached(send(known, window, again)),
        worker: sendDue.pipe(
          Effect.zipRight(Effect.timeoutOption(second.woken, Duration.toMillis(workerPoll))),
          Effect.forever
        )
      }
    })
  )
}
