/** The hosted checkout of one payment. Whoever holds its address may see it, pay it and call it off, and nothing else. */
import { timingSafeEqual } from "node:crypto"
import { Context, Effect, Layer, Option, type Redacted } from "effect"
import { PaymentId, idOrNil } from "../../domain/Ids.ts"
import { Settings } from "../../platform/config/Settings.ts"
import { isSettled } from "../../domain/PaymentStatus.ts"
import { Organizations } from "../../people/organizations/Organizations.ts"
import { CheckoutUrl } from "../../payments/route/ProviderOrder.ts"
import { CustomerPayments, isAbandoned } from "../../payments/read/CustomerPayments.ts"
import type { Attempt, Payment } from "../../payments/store/Payment.ts"
import type { Browser, Card } from "../../providers/port/Provider.ts"
import { SimulatorCustomer } from "../../providers/sandbox/SimulatorCustomer.ts"
import { LinkCheckout } from "../links/LinkCheckout.ts"
import { CardEntry } from "./CardEntry.ts"
import type { PaymentOnPage } from "./PageLayout.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"

/** What the customer can do about the payment at this moment. */
export type Stage =
  | { readonly _tag: "Confirm"; readonly attempt: Attempt }
  | { readonly _tag: "GiveCard" }
  | { readonly _tag: "Wait" }
  /** The rail knows that the customer would rather not; the payment is about to hear of it. */
  | { readonly _tag: "CalledOff" }
  | { readonly _tag: "Over" }

export interface Visit extends PaymentOnPage {
  /** Of the brand, as `#rrggbb`. */
  readonly color: string | null
  readonly stage: Stage
}

const sameText = (one: string, other: string): boolean => {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}

/** Asks the customer for something that this page can take. */
const asksHere = ({ next_action, status }: Payment): boolean =>
  status === "pending" && (next_action === "redirect" || next_action === "pay_by_link")

export class Checkout extends Context.Tag("corridor/Checkout")<
  Checkout,
  {
    /** None for a wrong token and for a payment that does not exist alike. */
    readonly open: (given: string, token: string) => Stored<Option.Option<Visit>>
    /** These change nothing where the stage does not ask for them, so that doing them twice does no harm. */
    readonly pay: (visit: Visit) => Stored<void>
    readonly cancel: (visit: Visit) => Stored<void>
    readonly payWithCard: (
      visit: Visit,
      card: Redacted.Redacted<Card>,
      browser: Browser
    ) => Stored<"asked" | "overtaken" | "no_route">
  }
>() {
  static readonly layer = Layer.effect(
    Checkout,
    Effect.gen(function* () {
      const payments = yield* CustomerPayments
      const organizations = yield* Organizations
      const customer = yield* SimulatorCustomer
      const cardEntry = yield* CardEntry
      const links = yield* LinkCheckout
      const checkoutUrl = yield* CheckoutUrl
      const { mode } = yield* Settings

      const tokenOf = (paymentId: PaymentId): string => new URL(checkoutUrl(paymentId)).searchParams.get("t") ?? ""

      /** The payment hears of it a moment later, by callback; the customer is not to be asked twice meanwhile. */
      const stageAtRail = Effect.fnUntraced(function* (payment: Payment, attempt: Attempt) {
        const signal = yield* payments.simulatorReport(payment, attempt)
        if (signal?._tag === "Report" && signal.state === "pending") return { _tag: "Confirm", attempt } satisfies Stage
        return { _tag: isAbandoned(signal) ? "CalledOff" : "Wait" } satisfies Stage
      })

      const stageOf = Effect.fnUntraced(function* (payment: Payment) {
        if (isSettled(payment.status)) return { _tag: "Over" } satisfies Stage
        if (!asksHere(payment)) return { _tag: "Wait" } satisfies Stage
        const attempt = yield* payments.openAttempt(payment)
        if (Option.isNone(attempt)) {
          const wantsCard = payment.payment_method === "card" && payment.next_action === "redirect"
          return { _tag: wantsCard ? "GiveCard" : "Wait" } satisfies Stage
        }
        return yield* stageAtRail(payment, attempt.value)
      })

      /** Whoever comes from a link's page stays under its brand. */
      const lookOf = Effect.fnUntraced(function* (payment: Payment) {
        const from = yield* links.leadingTo(payment)
        if (Option.isSome(from)) {
          const { behind, link, merchant } = from.value
          const logo = link.has_logo ? `../pay/${link.link_ref}/logo` : undefined
          return { merchant, behind, color: link.brand_color, logo }
        }
        const organization = yield* organizations.find(payment.org_id)
        return { merchant: Option.match(organization, { onNone: () => "", onSome: ({ name }) => name }), color: null }
      })

      const visit = Effect.fnUntraced(function* (payment: Payment) {
        const stage: Stage = yield* stageOf(payment)
        const opened: Visit = {
          payment,
          ...(yield* lookOf(payment)),
          testMode: mode === "sandbox",
          calledOff: stage._tag === "CalledOff" || (yield* payments.wasCalledOff(payment)),
          stage
        }
        return opened
      })

      return {
        open: Effect.fn("Checkout.open")(function* (given, token) {
          const paymentId = idOrNil(PaymentId)(given)
          if (!sameText(token, tokenOf(paymentId))) return Option.none()
          const payment = yield* payments.find(paymentId)
          return Option.isSome(payment) ? Option.some(yield* visit(payment.value)) : Option.none()
        }),
        pay: Effect.fn("Checkout.pay")(({ stage }) =>
          stage._tag === "Confirm" ? customer.pay(stage.attempt.attempt_id) : Effect.void
        ),
        cancel: Effect.fn("Checkout.cancel")(({ payment, stage }) => {
          if (stage._tag === "Confirm") return customer.abandon(stage.attempt.attempt_id)
          return stage._tag === "GiveCard" ? cardEntry.giveUp(payment) : Effect.void
        }),
        payWithCard: ({ payment }, card, browser) => cardEntry.payWithCard(payment, card, browser)
      }
    })
  )
}
