/**
 * The janitor: asks providers about attempts that nobody has answered, that were orphaned by a crash, or that stay
 * silent. It never fails a payment for silence, and hands over to a person after the last enquiry.
 */
import { Clock, Context, Duration, Effect, Layer } from "effect"
import { type Enquiry, Unknown } from "../domain/Outcome.ts"
import { absenceGrace, orphanedAfter } from "../domain/Policies.ts"
import { Providers } from "../providers/Provider.ts"
import type { Attempt } from "./Payment.ts"
import { PaymentStore } from "./PaymentStore.ts"
import { Progress } from "./Progress.ts"
import { ProviderAnswer } from "./ProviderAnswer.ts"
import { Settling } from "./ramp/Settling.ts"

const BATCH = 32

export class Enquiries extends Context.Tag("corridor/Enquiries")<
  Enquiries,
  {
    /** Asks about whatever is due; answers with how many that were. */
    readonly runOnce: Effect.Effect<number>
  }
>() {
  static readonly layer = Layer.effect(
    Enquiries,
    Effect.gen(function* () {
      const store = yield* PaymentStore
      const providers = yield* Providers
      const progress = yield* Progress
      const settling = yield* Settling
      const answer = yield* ProviderAnswer

      const ask = (attempt: Attempt): Effect.Effect<Enquiry> => {
        const provider = providers.find(attempt.provider)
        if (provider === undefined)
          return Effect.succeed(new Unknown({ reason: `${attempt.provider} is switched off` }))
        const asked = provider.enquire({
          reference: attempt.attempt_id,
          providerPaymentId: attempt.provider_payment_id
        })
        return answer.to(asked, (reason) => new Unknown({ reason: `asked for its status: ${reason}` }))
      }

      /** That a provider has no trace of it proves nothing while the call may still be on its way. */
      const believed = (attempt: Attempt, enquiry: Enquiry, now: number): Enquiry =>
        enquiry._tag === "Absent" && now - attempt.started_at.getTime() < Duration.toMillis(absenceGrace)
          ? new Unknown({ reason: "the provider has no trace of it yet" })
          : enquiry

      /** Nobody waits for the second leg of a ramp: what its provider never had is simply sent now. */
      const sendAgain = Effect.fnUntraced(function* (attempt: Attempt) {
        const known = yield* Effect.orDie(Effect.flatten(store.known(attempt.attempt_id)))
        if (known.payment.status !== "processing") return
        yield* settling.sendAgain(known.payment, { ...known.attempt, enquire_in: Duration.toSeconds(orphanedAfter) })
      })

      const enquire = Effect.fn("Enquiries.enquire")(
        function* (attempt: Attempt) {
          const enquiry = yield* ask(attempt)
          const word = believed(attempt, enquiry, yield* Clock.currentTimeMillis)
          if (word._tag === "Absent" && attempt.leg === "settlement" && attempt.outcome !== "accepted") {
            return yield* sendAgain(attempt)
          }
          yield* progress.hearAbout(attempt, word, { cause: `status enquiry at ${attempt.provider}`, enquiry: true })
        },
        (effect, attempt) =>
          Effect.annotateLogs(effect, { payment_id: attempt.payment_id, attempt_id: attempt.attempt_id })
      )

      return {
        runOnce: Effect.gen(function* () {
          const due = yield* store.claimEnquiries(BATCH)
          yield* Effect.forEach(due, enquire, { concurrency: 8, discard: true })
          return due.length
        }).pipe(Effect.withSpan("Enquiries.runOnce"))
      }
    })
  )
}
