/**
 * A payment as the page of its own customer reads it. The address of such a page is the credential: it names one
 * payment, of whichever organisation, and whoever asks here has proved to hold it.
 */
import { Context, Effect, Layer, Option } from "effect"
import type { PaymentId } from "../../domain/Identifiers.ts"
import { type Attempt, isOpen, type Payment } from "../store/Payment.ts"
import { PaymentStore } from "../store/PaymentStore.ts"

export class CustomerPayments extends Context.Tag("corridor/CustomerPayments")<
  CustomerPayments,
  {
    readonly find: (paymentId: PaymentId) => Effect.Effect<Option.Option<Payment>>
    /** The attempt that is under way. */
    readonly openAttempt: (payment: Payment) => Effect.Effect<Option.Option<Attempt>>
  }
>() {
  static readonly layer = Layer.effect(
    CustomerPayments,
    Effect.map(PaymentStore, (store) => ({
      find: (paymentId) => store.find(Option.none(), paymentId),
      openAttempt: ({ payment_id }) =>
        Effect.map(store.attemptsOf(payment_id), (attempts) => Option.fromNullable(attempts.find(isOpen)))
    }))
  )
}
