/**
 * Reads a payment for its customer's page. The page's address is the credential: it names one payment, of any
 * organisation, and callers have checked it.
 */
import { Context, Effect, Layer, Option } from "effect"
import type { PaymentId } from "../../domain/Ids.ts"
import { isBuiltInRail } from "../../domain/Corridor.ts"
import type { Enquiry } from "../../domain/Outcome.ts"
import { Providers } from "../../providers/port/Provider.ts"
import { ABANDONED_REASON } from "../../providers/sandbox/SimulatorCustomer.ts"
import { attemptContext } from "../route/BuildOrder.ts"
import { type Attempt, isOpen, type Payment } from "../store/Payment.ts"
import { PaymentStore } from "../store/PaymentStore.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"

export const isAbandoned = (signal: Enquiry | undefined): boolean =>
  signal?._tag === "Report" && signal.state === "failed" && signal.reason === ABANDONED_REASON

export class CustomerPayments extends Context.Tag("corridor/CustomerPayments")<
  CustomerPayments,
  {
    readonly find: (paymentId: PaymentId) => Stored<Option.Option<Payment>>
    /** The attempt that is under way. */
    readonly openAttempt: (payment: Payment) => Stored<Option.Option<Attempt>>
    /** Report of a built-in simulator about an attempt; only simulators use the built-in checkout. */
    readonly simulatorReport: (payment: Payment, attempt: Attempt) => Stored<Enquiry | undefined>
    /** Whether an unpaid payment was cancelled, by or for its customer, rather than declined. */
    readonly wasCalledOff: (payment: Payment) => Stored<boolean>
  }
>() {
  static readonly layer = Layer.effect(
    CustomerPayments,
    Effect.gen(function* () {
      const store = yield* PaymentStore
      const providers = yield* Providers

      const simulatorReport = Effect.fnUntraced(function* (payment: Payment, attempt: Attempt) {
        const { account, outcome, provider } = attempt
        if (outcome !== "accepted" || !isBuiltInRail(provider)) return undefined
        const rail = yield* providers.find(provider, account)
        return rail === undefined ? undefined : yield* rail.enquire(attemptContext(payment, attempt, []))
      })

      return {
        find: (paymentId) => store.find(Option.none(), paymentId),
        openAttempt: ({ payment_id }) =>
          Effect.map(store.attemptsOf(payment_id), (attempts) => Option.fromNullable(attempts.find(isOpen))),
        simulatorReport,
        wasCalledOff: Effect.fnUntraced(function* (payment) {
          const { payment_id, status } = payment
          if (status !== "failed") return status === "canceled"
          const attempts = yield* store.attemptsOf(payment_id)
          return yield* Effect.exists(attempts, (attempt) => Effect.map(simulatorReport(payment, attempt), isAbandoned))
        })
      }
    })
  )
}
