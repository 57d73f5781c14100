/** Whether a payment that did not come to be was called off, by its customer or for them, rather than refused. */
import { Context, Effect, Layer } from "effect"
import { isBuiltInRail } from "../../domain/Corridor.ts"
import type { Enquiry } from "../../domain/Outcome.ts"
import { Providers } from "../../providers/port/Provider.ts"
import { ABANDONED } from "../../providers/sandbox/Abandoned.ts"
import { contextOf } from "../route/AttemptContext.ts"
import type { Attempt, Payment } from "../store/Payment.ts"
import { PaymentStore } from "../store/PaymentStore.ts"

export const isAbandoned = (signal: Enquiry | undefined): boolean =>
  signal?._tag === "Report" && signal.state === "failed" && signal.reason === ABANDONED

export class CalledOff extends Context.Tag("corridor/CalledOff")<
  CalledOff,
  {
    /** What a built-in rail says of an attempt that it has; our checkout is a page of theirs alone. */
    readonly railWord: (payment: Payment, attempt: Attempt) => Effect.Effect<Enquiry | undefined>
    readonly wasCalledOff: (payment: Payment) => Effect.Effect<boolean>
  }
>() {
  static readonly layer = Layer.effect(
    CalledOff,
    Effect.gen(function* () {
      const payments = yield* PaymentStore
      const providers = yield* Providers

      const railWord = Effect.fnUntraced(function* (payment: Payment, attempt: Attempt) {
        const { account, outcome, provider } = attempt
        if (outcome !== "accepted" || !isBuiltInRail(provider)) return undefined
        const rail = yield* providers.find(provider, account)
        return yield* rail?.enquire(contextOf(payment, attempt, [])) ?? Effect.succeed(undefined)
      })

      return {
        railWord,
        wasCalledOff: Effect.fnUntraced(function* (payment) {
          const { payment_id, status } = payment
          if (status !== "failed") return status === "canceled"
          const attempts = yield* payments.attemptsOf(payment_id)
          return yield* Effect.exists(attempts, (attempt) => Effect.map(railWord(payment, attempt), isAbandoned))
        })
      }
    })
  )
}
