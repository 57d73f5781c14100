/**
 * Routes and dispatches a payment whose card could not be stored while it was reviewed. Its payer gives the card at the
 * hosted checkout, or on the provider's page.
 */
import { Array as Arr, Clock, Context, Effect, Layer, Option, Redacted } from "effect"
import { maskCard } from "../../domain/Card.ts"
import { Ids } from "../../domain/Ids.ts"
import { checkoutPatience } from "../../domain/policies/PaymentPolicies.ts"
import { PaymentCommand } from "../../payments/settlement/PaymentCommand.ts"
import { reviewItem } from "../../payments/review/ReviewThreshold.ts"
import { Dispatch } from "../../payments/dispatch/Dispatch.ts"
import { ReviewRate } from "../../payments/review/ReviewRate.ts"
import { RuleCheck } from "../../payments/rules/RuleCheck.ts"
import type { Payment } from "../../payments/store/Payment.ts"
import { appendNote } from "../../payments/settlement/SignalContext.ts"
import { PaymentRouter } from "../../payments/route/PaymentRouter.ts"
import { CheckoutUrl, buildOrder } from "../../payments/route/BuildOrder.ts"
import { Organizations } from "../../people/organizations/Organizations.ts"
import { alertOperator } from "../../platform/observability/OperatorAlert.ts"
import { makeRunDetached } from "../../platform/fibers/Shutdown.ts"
import type { Browser, Card } from "../../providers/port/Provider.ts"
import { orDefect, type Stored } from "../../platform/database/DatabaseFailure.ts"
import { traced } from "../../platform/observability/Spans.ts"

/** Names the rate, so that each expired rate is noted once. */
const rateOver = ({ org_rate_id }: Payment): string =>
  `The rate ${org_rate_id} ran out before the customer gave the card: review it with accept_rate to go on.`

const sentAs = ({ expiryMonth, expiryYear, holder, number }: Card) => ({
  card_number: number,
  expiry_month: expiryMonth,
  expiry_year: expiryYear,
  ...(holder === null ? {} : { card_holder_name: holder })
})

export class CardEntry extends Context.Tag("corridor/CardEntry")<
  CardEntry,
  {
    /** Whether the page asks for a card number: the first provider takes it. Otherwise the provider's page does. */
    readonly asksNumber: (payment: Payment) => Stored<boolean>
    /** `overtaken`: the payment has changed since it was read, and no provider was called. */
    readonly payWithCard: (
      payment: Payment,
      card: Redacted.Redacted<Card> | null,
      browser: Browser
    ) => Stored<"asked" | "overtaken" | "no_route">
    /** Cancels the payment, unless it has changed since it was read. */
    readonly giveUp: (payment: Payment) => Stored<void>
  }
>() {
  static readonly layer = Layer.scoped(
    CardEntry,
    Effect.gen(function* () {
      const command = yield* PaymentCommand
      const dispatch = yield* Dispatch
      const router = yield* PaymentRouter
      const heldRate = yield* ReviewRate
      const rules = yield* RuleCheck
      const organizations = yield* Organizations
      const ids = yield* Ids
      const checkoutUrl = yield* CheckoutUrl
      const runDetached = yield* makeRunDetached

      /** The rate has expired: opens a review item, and waits until a reviewer accepts another rate. */
      const waitsForPrice = Effect.fnUntraced(function* (payment: Payment) {
        const note = rateOver(payment)
        if (payment.comments?.includes(note) === true) return
        const opened_at = new Date(yield* Clock.currentTimeMillis)
        yield* command.write(payment, {
          status: payment.status,
          patch: { comments: appendNote(payment.comments, note) },
          openItems: [reviewItem(yield* ids.next, { ...payment, created_at: opened_at }, note)],
          cause: note
        })
      })

      /** The payer's page shows a payment that failed, and not why. */
      const failed = (payment: Payment, message: string) =>
        command.write(payment, {
          status: "failed",
          patch: { next_action: null, action_data: {}, failure: { code: "REJECTED", message, provider: null } },
          cause: message
        })

      const shownCard = ({ org_id }: Payment, card: Redacted.Redacted<Card>) => ({
        ...maskCard(sentAs(Redacted.value(card))),
        fingerprint: rules.fingerprint(org_id, card)
      })

      const payWithCard = traced("CardEntry.payWithCard")(
        function* (payment: Payment, given: Redacted.Redacted<Card> | null, browser: Browser) {
          if (!(yield* heldRate.holds(payment))) return yield* Effect.as(waitsForPrice(payment), "no_route" as const)
          const { candidates } = yield* router.route(payment.org_id, payment)
          if (!Arr.isNonEmptyReadonlyArray(candidates)) return "no_route" as const
          const card = candidates[0].takesCardNumbers ? given : null
          // The route decides where the card is entered, and the page has to ask for its number now.
          if (candidates[0].takesCardNumbers && card === null) return "overtaken" as const
          const organization = yield* organizations.find(payment.org_id)
          const checked = yield* rules.checkEntered(payment, { card, ip: browser.ip, organization })
          if (checked.isLater) return "no_route" as const
          if (Option.isSome(checked.refusal)) {
            return yield* Effect.as(failed(payment, checked.refusal.value), "asked" as const)
          }
          const chosen = yield* router.choose(payment.org_id, candidates, "payment")
          // Of two cards submitted at once, the second finds a changed version.
          const opened = yield* command
            .write(payment, {
              status: payment.status,
              patch: {
                next_action: "wait",
                action_data: {},
                card_details: card === null ? {} : shownCard(payment, card),
                ...(checked.alerts.length === 0
                  ? {}
                  : { comments: checked.alerts.reduce<string | null>(appendNote, payment.comments) })
              },
              nextAttempt: chosen.attempt,
              cause:
                card === null
                  ? "the customer goes on to the provider's page"
                  : "the customer gave a card at the hosted checkout"
            })
            .pipe(Effect.onError(() => router.unsent(payment.org_id, chosen)))
          for (const alert of checked.alerts) {
            const { org_id, payment_id } = payment
            yield* alertOperator("rule_alert", alert, { org_id, payment_id })
          }
          const order = buildOrder(opened, "payment", {
            card,
            browser,
            organization,
            checkoutUrl: checkoutUrl(payment.payment_id)
          })
          yield* Effect.timeoutOption(runDetached(dispatch.ask(opened, order, chosen)), checkoutPatience)
          return "asked" as const
        },
        Effect.catchTags({
          VersionConflict: () => Effect.succeed("overtaken" as const),
          InsufficientFunds: () => Effect.succeed("no_route" as const),
          Conflict: () => Effect.succeed("no_route" as const)
        })
      )

      return {
        asksNumber: (payment) =>
          Effect.map(
            router.route(payment.org_id, payment),
            ({ candidates: [first] }) => first?.takesCardNumbers === true
          ),
        payWithCard,
        giveUp: traced("CardEntry.giveUp")((payment) =>
          command
            .write(payment, {
              status: "canceled",
              patch: { next_action: null, action_data: {} },
              cause: "canceled by the customer at the hosted checkout",
              closeItems: [{ kind: "review", attempt_id: null, by: "the customer" }]
            })
            .pipe(
              Effect.asVoid,
              Effect.catchTag("VersionConflict", () => Effect.void),
              orDefect
            )
        )
      }
    })
  )
}
