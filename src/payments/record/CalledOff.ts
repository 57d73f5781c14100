/** Whether a payment that did not come to be was called off, by its customer or for them, rather than refused. */
import { Effect } from "effect"
import { isBuiltInRail } from "../../domain/Corridor.ts"
import type { Enquiry } from "../../domain/Outcome.ts"
import { Providers } from "../../providers/port/Provider.ts"
import { ABANDONED } from "../../providers/sandbox/Abandoned.ts"
import type { Attempt, Payment } from "../store/Payment.ts"
import { PaymentStore } from "../store/PaymentStore.ts"

export const isAbandoned = (signal: Enquiry | undefined): boolean =>
  signal?._tag === "Report" && signal.state === "failed" && signal.reason === ABANDONED

/** What a built-in rail says of an attempt that it has; our checkout is a page of theirs alone. */
export const makeRailWord = Effect.map(
  Providers,
  (providers) =>
    ({ attempt_id, outcome, provider, provider_payment_id }: Attempt): Effect.Effect<Enquiry | undefined> => {
      const rail = outcome === "accepted" && isBuiltInRail(provider) ? providers.find(provider) : undefined
      return rail === undefined
        ? Effect.succeed(undefined)
        : rail.enquire({ reference: attempt_id, providerPaymentId: provider_payment_id })
    }
)

export const makeCalledOff = Effect.gen(function* () {
  const payments = yield* PaymentStore
  const railWord = yield* makeRailWord
  return Effect.fnUntraced(function* ({ payment_id, status }: Payment) {
    if (status !== "failed") return status === "canceled"
    const attempts = yield* payments.attemptsOf(payment_id)
    return yield* Effect.exists(attempts, (attempt) => Effect.map(railWord(attempt), isAbandoned))
  })
})
