/** Ends payins whose customer was to give a card at the hosted checkout and did not. No provider has them. */
import { Context, Effect, Layer } from "effect"
import { cardWaitBatch } from "../../domain/policies/PaymentPolicies.ts"
import { workThrough } from "../../platform/database/WorkQueues.ts"
import { PaymentCommand } from "../settlement/PaymentCommand.ts"
import { expiredFailure } from "../settlement/Expiry.ts"
import { isOpen, type Payment } from "../store/Payment.ts"
import { PaymentStore } from "../store/PaymentStore.ts"
import { awaitsCard } from "./ReviewThreshold.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"

export class CardWaits extends Context.Tag("corridor/CardWaits")<
  CardWaits,
  {
    /** Ends those that are due; answers with how many were looked at. */
    readonly runOnce: Stored<number>
    readonly worker: Stored<never>
  }
>() {
  static readonly layer = Layer.effect(
    CardWaits,
    Effect.gen(function* () {
      const store = yield* PaymentStore
      const command = yield* PaymentCommand

      const fail = (payment: Payment) =>
        command.write(payment, {
          status: "failed",
          patch: { next_action: null, action_data: {}, failure: expiredFailure(payment) },
          cause: "expired: the customer did not give a card in time",
          closeItems: [{ kind: "review", attempt_id: null, by: "its end" }]
        })

      /** One whose card was given has an attempt, which carries its timer from then on. */
      const end = Effect.fnUntraced(function* (payment: Payment) {
        const attempts = yield* store.attemptsOf(payment.payment_id)
        if (awaitsCard(payment) && !attempts.some(isOpen)) yield* fail(payment)
        yield* store.deleteCardWait(payment)
      })

      /** A payment that changed meanwhile is looked at again by the next run. */
      const alone = (payment: Payment) =>
        end(payment).pipe(
          Effect.catchTag("VersionConflict", () => Effect.void),
          Effect.catchAllCause((cause) => Effect.logError("A payin could not be ended; it is tried again", cause)),
          Effect.annotateLogs({ payment_id: payment.payment_id })
        )

      const runOnce = Effect.gen(function* () {
        const due = yield* store.expiredCardWaits(cardWaitBatch)
        yield* Effect.forEach(due, alone, { discard: true })
        return due.length
      })

      return {
        runOnce,
        worker: workThrough(
          "card_waits",
          Effect.map(runOnce, (looked) => ({ foundAny: looked > 0 }))
        )
      }
    })
  )
}
