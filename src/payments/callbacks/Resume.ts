/** A customer who comes back from a provider's page: what the address brings is handed to the provider, which then decides. */
import { Array as Arr, Context, Effect, Layer } from "effect"
import { Unknown } from "../../domain/Outcome.ts"
import { isSettled } from "../../domain/PaymentStatus.ts"
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

      return {
        comeBack: Effect.fn("Resume.comeBack")(function* (payment, query) {
          if (isSettled(payment.status)) return
          const attempt = Arr.last(openAttemptsOf(yield* store.attemptsOf(payment.payment_id)))
          if (attempt._tag === "None") return
          const { account, attempt_id, provider: name } = attempt.value
          const { resume } = (yield* providers.find(name, account)) ?? {}
          // That the customer is back is a hint like any other.
          if (resume === undefined) return yield* Effect.asVoid(store.hint(attempt_id))
          const said = yield* answer.to(
            resume(contextOf(payment, attempt.value, []), query),
            (reason) => new Unknown({ reason })
          )
          if (said._tag !== "Report") return yield* Effect.asVoid(store.hint(attempt_id))
          yield* outcomes.hear({ payment, attempt: attempt.value }, said, {
            cause: `the customer came back from ${name}`
          })
        })
      }
    })
  )
}
