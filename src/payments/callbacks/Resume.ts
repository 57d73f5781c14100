/** A customer who comes back from a provider's page: what the address brings is handed to the provider, which then decides. */
import { Array as Arr, Clock, Context, Effect, Layer } from "effect"
import { cleanEnquiry } from "../../domain/ForeignText.ts"
import { Unknown } from "../../domain/Outcome.ts"
import { isSettled } from "../../domain/PaymentStatus.ts"
import { returnsPerMinute } from "../../domain/Policies.ts"
import { RateLimiter } from "../../platform/http/RateLimiter.ts"
import { Providers } from "../../providers/port/Provider.ts"
import { ProviderAnswer } from "../dispatch/ProviderAnswer.ts"
import { openAttemptsOf } from "../record/PaymentCommand.ts"
import { RecordOutcome } from "../record/RecordOutcome.ts"
import { contextOf } from "../route/AttemptContext.ts"
import type { Payment } from "../store/Payment.ts"
import { PaymentStore } from "../store/PaymentStore.ts"

export class Resume extends Context.Tag("corridor/Resume")<
  Resume,
  {
    /** Any number of times: what was done is not done again, and nobody is believed but the provider. */
    readonly comeBack: (payment: Payment, query: Readonly<Record<string, string>>) => Effect.Effect<void>
  }
>() {
  static readonly layer = Layer.effect(
    Resume,
    Effect.gen(function* () {
      const store = yield* PaymentStore
      const providers = yield* Providers
      const outcomes = yield* RecordOutcome
      const answer = yield* ProviderAnswer
      const returns = new RateLimiter(returnsPerMinute)

      /** Whoever holds the address of one payment takes neither the provider's time nor the payment's row from others. */
      const isTooOften = (attemptId: string) =>
        Effect.map(Clock.currentTimeMillis, (now) => !returns.take(attemptId, now).allowed)

      return {
        comeBack: Effect.fn("Resume.comeBack")(function* (payment, query) {
          if (isSettled(payment.status)) return
          const attempt = Arr.last(openAttemptsOf(yield* store.attemptsOf(payment.payment_id)))
          if (attempt._tag === "None") return
          const { account, attempt_id, provider: name } = attempt.value
          const ask = Effect.asVoid(store.hint(attempt_id))
          const { resume } = (yield* providers.find(name, account)) ?? {}
          // That the customer is back is a hint like any other.
          if (resume === undefined || (yield* isTooOften(attempt_id))) return yield* ask
          const said = cleanEnquiry(
            yield* answer.to(resume(contextOf(payment, attempt.value, []), query), (reason) => new Unknown({ reason }))
          )
          if (said._tag !== "Report") return yield* ask
          const heard = outcomes.hear({ payment, attempt: attempt.value }, said, {
            cause: `the customer came back from ${name}`
          })
          // The customer finds the payment as it stands; what could not be written down is asked for again.
          yield* Effect.catchAllCause(heard, (cause) =>
            Effect.zipRight(Effect.logError("What a customer's return brought could not be written down", cause), ask)
          )
        })
      }
    })
  )
}
