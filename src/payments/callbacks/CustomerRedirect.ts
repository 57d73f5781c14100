/** Resumes a payment whose customer returns from a provider's page: passes the query to the provider and records its answer. */
import { Clock, Context, Effect, Layer } from "effect"
import { cleanEnquiry } from "../../domain/ProviderText.ts"
import type { AttemptId } from "../../domain/Ids.ts"
import { Unknown } from "../../domain/Outcome.ts"
import { isFinal } from "../../domain/PaymentStatus.ts"
import { returnsPerMinute } from "../../domain/policies/PaymentPolicies.ts"
import { RateLimits } from "../../platform/rateLimits/RateLimits.ts"
import { Providers } from "../../providers/port/Provider.ts"
import { CallProvider } from "../route/CallProvider.ts"
import { openAttemptsOf } from "../settlement/PaymentCommand.ts"
import { RecordOutcome } from "../settlement/RecordOutcome.ts"
import { attemptContext } from "../route/BuildOrder.ts"
import { makeRunDetached } from "../../platform/fibers/Shutdown.ts"
import type { Attempt, Payment } from "../store/Payment.ts"
import { PaymentStore } from "../store/PaymentStore.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"
import { traced } from "../../platform/observability/Spans.ts"

type Query = Readonly<Record<string, string>>

export class CustomerRedirect extends Context.Tag("corridor/CustomerRedirect")<
  CustomerRedirect,
  {
    /** Safe to repeat: only the provider's answer counts. */
    readonly resumePayment: (payment: Payment, query: Query) => Stored<void>
  }
>() {
  static readonly layer = Layer.scoped(
    CustomerRedirect,
    Effect.gen(function* () {
      const store = yield* PaymentStore
      const providers = yield* Providers
      const outcomes = yield* RecordOutcome
      const answer = yield* CallProvider
      const { limiter } = yield* RateLimits
      const returns = limiter("returns", returnsPerMinute)

      /** Whether the return address of an attempt caused too many calls to its provider. */
      const isTooOften = (attemptId: string) =>
        Effect.map(Clock.currentTimeMillis, (now) => !returns.take(attemptId, now).allowed)

      const runDetached = yield* makeRunDetached
      const underWay = new Set<AttemptId>()

      /** Queues a poll, as any other hint does. */
      const hint = ({ attempt_id }: Attempt) => Effect.asVoid(store.hint(attempt_id))

      const finish = Effect.fnUntraced(function* (payment: Payment, attempt: Attempt, query: Query) {
        const { account, provider: name } = attempt
        const { resume } = (yield* providers.find(name, account)) ?? {}
        if (resume === undefined || (yield* isTooOften(attempt.attempt_id))) return yield* hint(attempt)
        const asked = resume(attemptContext(payment, attempt, []), query)
        const said = cleanEnquiry(yield* answer.call(asked, (reason) => new Unknown({ reason })))
        if (said._tag !== "Report") return yield* hint(attempt)
        const recorded = outcomes.recordByAttempt(attempt, said, { cause: `the customer came back from ${name}` })
        // An answer that was not written is polled again.
        yield* Effect.catchAllCause(recorded, (cause) =>
          Effect.zipRight(
            Effect.logError("What a customer's return brought could not be written down", cause),
            hint(attempt)
          )
        )
      })

      /** One call at a time for an attempt, however often its customer returns. */
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
        resumePayment: traced("CustomerRedirect.resumePayment")(function* (payment, query) {
          if (isFinal(payment.status)) return
          // The payout of a ramp has no page to return from.
          const attempt = openAttemptsOf(yield* store.attemptsOf(payment.payment_id)).findLast(
            ({ leg }) => leg !== "settlement"
          )
          // A capture that has begun is recorded even if the customer hangs up.
          if (attempt !== undefined) yield* runDetached(finishOnce(payment, attempt, query))
        })
      }
    })
  )
}
