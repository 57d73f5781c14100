/** The hosted checkout of one payment. Its address allows to see, pay and cancel this payment only. */
import { timingSafeEqual } from "node:crypto"
import { Context, Effect, Layer, Option, type Redacted } from "effect"
import { PaymentId, idOrNil } from "../../domain/Ids.ts"
import { isolatedName } from "../../domain/IsolatedName.ts"
import { Settings } from "../../platform/config/Settings.ts"
import { isFinal } from "../../domain/PaymentStatus.ts"
import { Organizations } from "../../people/organizations/Organizations.ts"
import { CheckoutUrl } from "../../payments/route/BuildOrder.ts"
import { CustomerPayments, isAbandoned } from "../../payments/read/Payments.ts"
import type { Attempt, Payment } from "../../payments/store/Payment.ts"
import type { Browser, Card } from "../../providers/port/Provider.ts"
import { SimulatorCustomer } from "../../providers/sandbox/SimulatorCustomer.ts"
import { LinkCheckout } from "../links/LinkCheckout.ts"
import { CardEntry } from "./CardEntry.ts"
import type { PaymentOnPage } from "./PageLayout.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"
import { traced } from "../../platform/observability/Spans.ts"

/** The customer's possible next step. */
export type Stage =
  | { readonly _tag: "Confirm"; readonly attempt: Attempt }
  /** `asksNumber`: on this page. Otherwise the customer goes on to the provider's. */
  | { readonly _tag: "GiveCard"; readonly asksNumber: boolean }
  /** The customer pays on the provider's page, at this address. */
  | { readonly _tag: "Onward"; readonly address: string }
  | { readonly _tag: "Wait" }
  /** Canceled at the simulator; the payment's callback follows. */
  | { readonly _tag: "CalledOff" }
  | { readonly _tag: "Over" }

export interface Visit extends PaymentOnPage {
  /** Brand colour as `#rrggbb`. */
  readonly color: string | null
  readonly stage: Stage
}

const sameText = (one: string, other: string): boolean => {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}

/** The next action can be done on this page. */
const asksHere = ({ next_action, status }: Payment): boolean =>
  status === "pending" && (next_action === "redirect" || next_action === "pay_by_link")

/** The page where the customer pays: this one or the provider's. */
const pageOf = ({ action_data, next_action }: Payment): string | null =>
  action_data[next_action === "redirect" ? "redirect_url" : "payment_link"] ?? null

export class Checkout extends Context.Tag("corridor/Checkout")<
  Checkout,
  {
    /** Page of a payment; none for a wrong token and for an unknown payment. */
    readonly open: (given: string, token: string) => Stored<Option.Option<Visit>>
    /** The following have no effect at other stages, so repeating them is safe. */
    readonly pay: (visit: Visit) => Stored<void>
    readonly cancel: (visit: Visit) => Stored<void>
    readonly payWithCard: (
      visit: Visit,
      card: Redacted.Redacted<Card> | null,
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

      /** Reads the state at the simulator, so that the customer is not asked again before the callback arrives. */
      const stageAtRail = Effect.fnUntraced(function* (payment: Payment, attempt: Attempt) {
        const signal = yield* payments.simulatorReport(payment, attempt)
        if (signal?._tag === "Report" && signal.state === "pending") return { _tag: "Confirm", attempt } satisfies Stage
        return { _tag: isAbandoned(signal) ? "CalledOff" : "Wait" } satisfies Stage
      })

      const stageOf = Effect.fnUntraced(function* (payment: Payment) {
        if (isFinal(payment.status)) return { _tag: "Over" } satisfies Stage
        if (!asksHere(payment)) return { _tag: "Wait" } satisfies Stage
        const address = pageOf(payment)
        if (address !== null && address !== checkoutUrl(payment.payment_id)) {
          return { _tag: "Onward", address } satisfies Stage
        }
        const attempt = yield* payments.openAttempt(payment)
        if (Option.isNone(attempt)) {
          const wantsCard = payment.payment_method === "card" && payment.next_action === "redirect"
          if (!wantsCard) return { _tag: "Wait" } satisfies Stage
          return { _tag: "GiveCard", asksNumber: yield* cardEntry.asksNumber(payment) } satisfies Stage
        }
        return yield* stageAtRail(payment, attempt.value)
      })

      /** A payment through a link keeps the link's brand. */
      const lookOf = Effect.fnUntraced(function* (payment: Payment) {
        const from = yield* links.leadingTo(payment)
        if (Option.isSome(from)) {
          const { behind, link, merchant } = from.value
          const logo = link.has_logo ? `../pay/${link.link_ref}/logo` : undefined
          return { merchant, behind, color: link.brand_color, logo }
        }
        const organization = yield* organizations.find(payment.org_id)
        const merchant = Option.match(organization, { onNone: () => "", onSome: ({ name }) => isolatedName(name) })
        return { merchant, color: null }
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
        open: traced("Checkout.open")(function* (given, token) {
          const paymentId = idOrNil(PaymentId)(given)
          if (!sameText(token, tokenOf(paymentId))) return Option.none()
          const payment = yield* payments.find(paymentId)
          return Option.isSome(payment) ? Option.some(yield* visit(payment.value)) : Option.none()
        }),
        pay: traced("Checkout.pay")(({ stage }) =>
          stage._tag === "Confirm" ? customer.pay(stage.attempt.attempt_id) : Effect.void
        ),
        cancel: traced("Checkout.cancel")(({ payment, stage }) => {
          if (stage._tag === "Confirm") return customer.abandon(stage.attempt.attempt_id)
          return stage._tag === "GiveCard" ? cardEntry.giveUp(payment) : Effect.void
        }),
        payWithCard: ({ payment }, card, browser) => cardEntry.payWithCard(payment, card, browser)
      }
    })
  )
}
