/** A customer who comes back from a provider's page: what the address brings is handed to the provider, which then decides. */
import { Clock, Context, Effect, Layer } from "effect"
import { cleanEnquiry } from "../../domain/ProviderText.ts"
import type { AttemptId } from "../../domain/Ids.ts"
import { Unknown } from "../../domain/Outcome.ts"
import { isSettled } from "../../domain/PaymentStatus.ts"
import { returnsPerMinute } from "../../domain/policies/PaymentPolicies.ts"
import { RateLimits } from "../../platform/rateLimits/RateLimits.ts"
import { Providers } from "../../providers/port/Provider.ts"
import { ProviderAnswer } from "../route/ProviderAnswer.ts"
import { openAttemptsOf } from "../settlement/PaymentCommand.ts"
import { RecordOutcome } from "../settlement/RecordOutcome.ts"
import { contextOf } from "../route/ProviderOrder.ts"
import { makeRunDetached } from "../../platform/fibers/Shutdown.ts"
import type { Attempt, Payment } from "../store/Payment.ts"
import { PaymentStore } from "../store/PaymentStore.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"

type Query = Readonly<Record<string, string>>

export class CustomerReturn extends Context.Tag("corridor/CustomerReturn")<
  CustomerReturn,
  {
    /** Any number of times: what was done is not done again, and nobody is believed but the provider. */
    readonly comeBack: (payment: Payment, query: Query) => Stored<void>
  }
>() {
  static readonly layer = Layer.scoped(
    CustomerReturn,
    Effect.gen(function* () {
      const store = yield* PaymentStore
      const providers = yield* Providers
      const outcomes = yield* RecordOutcome
      const answer = yield* ProviderAnswer
      const { limiter } = yield* RateLimits
      const returns = limiter("returns", returnsPerMinute)

      /** Whoever holds the address of one payment takes neither the provider's time nor the payment's row from others. */
      const isTooOften = (attemptId: string) =>
        Effect.map(Clock.currentTimeMillis, (now) => !returns.take(attemptId, now).allowed)

      const runDetached = yield* makeRunDetached
      const underWay = new Set<AttemptId>()

      /** That the customer is back is a hint like any other. */
      const hint = ({ attempt_id }: Attempt) => Effect.asVoid(store.hint(attempt_id))

      const finish = Effect.fnUntraced(function* (payment: Payment, attempt: Attempt, query: Query) {
        const { account, provider: name } = attempt
        const { resume } = (yield* providers.find(name, account)) ?? {}
        if (resume === undefined || (yield* isTooOften(attempt.attempt_id))) return yield* hint(attempt)
        const asked = resume(contextOf(payment, attempt, []), query)
        const said = cleanEnquiry(yield* answer.to(asked, (reason) => new Unknown({ reason })))
        if (said._tag !== "Report") return yield* hint(attempt)
        const heard = outcomes.recordByAttempt(attempt, said, { cause: `the customer came back from ${name}` })
        // The customer finds the payment as it stands; what could not be written down is asked for again.
        yield* Effect.catchAllCause(heard, (cause) =>
          Effect.zipRight(
            Effect.logError("What a customer's return brought could not be written down", cause),
            hint(attempt)
          )
        )
      })

      /** One at a time: whoever comes again and again takes up no more of the provider than that. */
      const finishOnce = (payment: Payment, attempt: Attempt, query: Query) =>
        Effect.suspend(() => {
          const { attempt_id } = attempt
          if (underWay.has(attempt_id)) return hint(attempt)
          underWay.add(attempt_id)
          return Effect.ensuring(
            finish(payment, attempt, query),
            Effect.sync(() => underWay.delete(attempt_id))
          )
        })

      return {
        comeBack: Effect.fn("Resume.comeBack")(function* (payment, query) {
          if (isSettled(payment.status)) return
          // Nobody is sent to whoever settles a ramp.
          const attempt = openAttemptsOf(yield* store.attemptsOf(payment.payment_id)).findLast(
            ({ leg }) => leg !== "settlement"
          )
          // What is begun for a customer who hangs up, such as a capture, is heard to its end.
          if (attempt !== undefined) yield* runDetached(finishOnce(payment, attempt, query))
        })
      }
    })
  )
}
