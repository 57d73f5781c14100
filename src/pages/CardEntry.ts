/**
 * A card that its customer gives at the hosted checkout, for a payment whose first card could not be kept: routed and
 * dispatched from here as an initiation would be.
 */
import { Array as Arr, Context, Effect, Layer, type Redacted } from "effect"
import { checkoutPatience } from "../domain/Policies.ts"
import { makeDesk } from "../payments/actions/Desk.ts"
import { orderOf, providersMoney } from "../payments/actions/OrderOf.ts"
import { makeCheckoutUrl } from "../payments/CheckoutUrl.ts"
import { Dispatch } from "../payments/Dispatch.ts"
import type { Payment } from "../payments/Payment.ts"
import { makePaymentRouter } from "../payments/PaymentRouter.ts"
import { makeUndisturbed } from "../payments/Undisturbed.ts"
import type { Card } from "../providers/Provider.ts"

export class CardEntry extends Context.Tag("corridor/CardEntry")<
  CardEntry,
  {
    /** `overtaken`: the payment has changed since it was read, and nobody was asked. The call goes on after the answer. */
    readonly payWithCard: (
      payment: Payment,
      card: Redacted.Redacted<Card>
    ) => Effect.Effect<"asked" | "overtaken" | "no_route">
    /** The customer would rather not. A payment that has changed since it was read stays as it is. */
    readonly giveUp: (payment: Payment) => Effect.Effect<void>
  }
>() {
  static readonly layer = Layer.scoped(
    CardEntry,
    Effect.gen(function* () {
      const desk = yield* makeDesk
      const dispatch = yield* Dispatch
      const router = yield* makePaymentRouter
      const checkoutUrl = yield* makeCheckoutUrl
      const undisturbed = yield* makeUndisturbed

      const payWithCard = Effect.fn("CardEntry.payWithCard")(
        function* (payment: Payment, card: Redacted.Redacted<Card>) {
          const { candidates } = yield* router(payment.org_id, payment, providersMoney(payment))
          if (!Arr.isNonEmptyReadonlyArray(candidates)) return "no_route" as const
          const chosen = yield* dispatch.choose(candidates, "payment")
          // The version decides between two cards that are given at once: the later one finds the payment changed.
          const opened = yield* desk.write(payment, {
            status: payment.status,
            patch: { next_action: "wait", action_data: {} },
            nextAttempt: chosen.attempt,
            cause: "the customer gave a card at the hosted checkout"
          })
          const order = { ...orderOf(opened, checkoutUrl(payment.payment_id)), card }
          yield* Effect.timeoutOption(undisturbed(dispatch.ask(opened, order, chosen)), checkoutPatience)
          return "asked" as const
        },
        Effect.catchTag("Overtaken", () => Effect.succeed("overtaken" as const))
      )

      return {
        payWithCard,
        giveUp: Effect.fn("CardEntry.giveUp")((payment) =>
          desk
            .write(payment, {
              status: "canceled",
              patch: { next_action: null, action_data: {} },
              cause: "canceled by the customer at the hosted checkout"
            })
            .pipe(
              Effect.asVoid,
              Effect.catchTag("Overtaken", () => Effect.void)
            )
        )
      }
    })
  )
}
