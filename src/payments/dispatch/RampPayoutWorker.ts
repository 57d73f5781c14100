/** Sends the payouts of ramps, each once. */
import { Context, Effect, Layer } from "effect"
import { rampPayoutsPerProvider } from "../../domain/policies/PaymentPolicies.ts"
import { makeRunDetached } from "../../platform/fibers/Shutdown.ts"
import { workThrough } from "../../platform/database/WorkQueues.ts"
import { asRun } from "../../platform/observability/Spans.ts"
import { Dispatch } from "./Dispatch.ts"
import type { Attempt } from "../store/Payment.ts"
import { type AttemptOfPayment, PaymentStore } from "../store/PaymentStore.ts"
import type { ResendPermit } from "../../providers/port/ResendPermit.ts"
import { FirstSendPermit, type SendPermit, openSendWindow, type SendWindow } from "../route/CallProvider.ts"
import { Organizations } from "../../people/organizations/Organizations.ts"
import { isRamp, type RampPayment, rampPayoutLeg, rampPayoutOrder } from "../route/RampPayout.ts"
import { PaymentRouter } from "../route/PaymentRouter.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"
import { makeProviderSlots } from "../../platform/database/ProviderQueues.ts"

/** Name and attributes of a worker's run in traces, with the request that caused the attempt. */
export const attemptRun = (name: string, { attempt_id, org_id, payment_id, provider, traceparent }: Attempt) => ({
  name,
  traceparent,
  attributes: {
    "corridor.org_id": org_id,
    "corridor.payment_id": payment_id,
    "corridor.attempt_id": attempt_id,
    "corridor.provider": provider
  }
})

export class RampPayoutWorker extends Context.Tag("corridor/RampPayoutWorker")<
  RampPayoutWorker,
  {
    /** Sends an attempt again, with a permit and within its window. */
    readonly sendAgain: (subject: AttemptOfPayment, window: SendWindow, again: ResendPermit) => Stored<void>
    /** Sends payouts that are due, of any instance, until it is interrupted. */
    readonly worker: Stored<never>
  }
>() {
  static readonly layer = Layer.scoped(
    RampPayoutWorker,
    Effect.gen(function* () {
      const store = yield* PaymentStore
      const dispatch = yield* Dispatch
      const organizations = yield* Organizations
      const router = yield* PaymentRouter
      const runDetached = yield* makeRunDetached

      /** Candidates for this leg, without providers that were asked before. */
      const othersFor = Effect.fnUntraced(function* (payment: RampPayment, leg: Attempt["leg"]) {
        const asked = (yield* store.attemptsOf(payment.payment_id)).filter((one) => one.leg === leg)
        const { candidates } = yield* router.routeLeg(payment.org_id, rampPayoutLeg(payment))
        return candidates.filter(({ provider }) => asked.every((one) => one.provider !== provider))
      })

      const send = Effect.fnUntraced(
        function* (
          { allocations, attempt, movements, payment }: AttemptOfPayment,
          window: SendWindow,
          sendPermit: SendPermit
        ) {
          if (!isRamp(payment)) return
          const rest = yield* othersFor(payment, attempt.leg)
          const { account, attempt_id, config_id, leg, own_account, provider, started_at } = attempt
          const order = rampPayoutOrder(payment, yield* organizations.find(payment.org_id))
          const asked = { account, attempt_id, config_id, leg, own_account, provider, started_at, enquire_in: null }
          yield* dispatch.ask(payment, order, { attempt: asked, rest, window, sendPermit }, { allocations, movements })
        },
        (effect, { attempt, payment }) =>
          Effect.annotateLogs(effect, { payment_id: payment.payment_id, attempt_id: attempt.attempt_id }).pipe(
            asRun(attemptRun("Settlement", attempt))
          )
      )

      const slots = yield* makeProviderSlots(rampPayoutsPerProvider)

      const sendDue = Effect.gen(function* () {
        const window = yield* openSendWindow
        const due = yield* store.claimUnsent(slots.room())
        for (const subject of due) {
          yield* slots.run(
            subject.attempt.provider,
            subject.attempt.org_id,
            runDetached(
              Effect.flatMap(FirstSendPermit.claimed(subject.attempt), (sendPermit) =>
                send(subject, window, sendPermit)
              )
            ).pipe(
              Effect.catchAllCause((cause) => Effect.logError("A settlement was not sent; it will be looked up", cause))
            )
          )
        }
        return { foundAny: due.length > 0 || slots.isFull() }
      })

      return {
        sendAgain: (subject, window, again) => runDetached(send(subject, window, again)),
        worker: workThrough("ramp_payouts", sendDue)
      }
    })
  )
}
