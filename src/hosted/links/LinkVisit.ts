/** Types of a visit to a link's page: state, offer, request and result; and the methods that a link offers. */
import type { Browser } from "../../providers/port/Provider.ts"
import { Money } from "../../domain/Money.ts"
import type { Collection } from "../../payments/initiate/Initiation.ts"
import type { Payment } from "../../payments/store/Payment.ts"
import type { PaymentLink } from "./LinkStore.ts"
import type { Price } from "./LinkPrices.ts"
import { Context, Effect, Layer } from "effect"
import { networksOfCountry } from "../../domain/MobileNetwork.ts"
import { PaymentRouter } from "../../payments/route/PaymentRouter.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"
import { traced } from "../../platform/observability/Spans.ts"

/** In display order. */
export const linkMethods = ["mobile_money", "card", "bank_transfer"] as const
export type LinkMethod = (typeof linkMethods)[number]

const hasNetworkFor = ({ country, payer_currency }: PaymentLink): boolean =>
  networksOfCountry(country).some(({ currency }) => currency === payer_currency)

export interface OfferedMethods {
  readonly methods: ReadonlyArray<LinkMethod>
  /** Whether the form asks for a card number: the first provider takes it. Otherwise the provider's page does. */
  readonly asksCardNumber: boolean
  /** Whether the first provider for mobile money, on the payer's network, demands the payer's e-mail address. */
  readonly mobileMoneyNeedsEmail: boolean
}

/**
 * Methods that some provider can take now. `pays` null: no amount chosen yet, so amount limits are ignored. `network`:
 * the payer's for mobile money, null until it is chosen.
 */
export class LinkMethods extends Context.Tag("corridor/LinkMethods")<
  LinkMethods,
  (link: PaymentLink, pays: Money | null, network: string | null) => Stored<OfferedMethods>
>() {
  static readonly layer = Layer.effect(
    LinkMethods,
    Effect.gen(function* () {
      const router = yield* PaymentRouter

      return traced("LinkMethods.of")(function* (link, pays, network) {
        const { country, org_id, payer_currency, virtual_account_id } = link
        const isPlatformOnly = virtual_account_id !== null
        const money = pays ?? Money.zero(payer_currency)
        const routed = pays === null ? router.routeAny : router.routeOf
        const all = yield* Effect.forEach(
          linkMethods.filter((method) => method !== "mobile_money" || hasNetworkFor(link)),
          (payment_method) => {
            const ofPayer = payment_method === "mobile_money" ? network : null
            const leg = { country, direction: "inbound", payment_method, money, network: ofPayer } as const
            return Effect.map(routed(org_id, leg, isPlatformOnly), ({ candidates: [first] }) => ({
              method: payment_method,
              first
            }))
          }
        )
        const offered = all.filter(({ first }) => first !== undefined)
        const firstOf = (method: LinkMethod) => offered.find((one) => one.method === method)?.first
        return {
          methods: offered.map(({ method }) => method),
          asksCardNumber: firstOf("card")?.takesCardNumbers === true,
          mobileMoneyNeedsEmail: firstOf("mobile_money")?.needsPayerEmail === true
        }
      })
    })
  )
}

/** `Taken`: a payment of a fixed link is in progress. `freeAt`: when it expires. */
export type LinkState =
  | { readonly _tag: "Payable" }
  | { readonly _tag: "Taken"; readonly submission: string; readonly freeAt: Date | null }
  /** `submission`: of the payment that paid it. */
  | {
      readonly _tag: "Closed"
      readonly because: "paid" | "canceled" | "expired"
      readonly submission: string | null
    }

export interface LinkVisit {
  readonly link: PaymentLink
  /** The link's brand name, or the organisation's name. */
  readonly merchant: string
  /** The organisation's name, if the brand has another. */
  readonly behind: string | undefined
  readonly testMode: boolean
  readonly state: LinkState
}

/** Content of the form. */
export interface Offer extends OfferedMethods {
  /** Price of a fixed link; suggestion of an open one, if any. */
  readonly price: Price | null
  /** Proves which price was shown. */
  readonly seal: string | null
  /** End of the price's validity; null if no rate is involved, or if the rate is locked on submission. */
  readonly holdsUntil: Date | null
  readonly submission: string
  /** Proves that the sender was shown this form. */
  readonly holder: string
}

export type PayerDetails = Pick<
  Collection,
  "payer_details" | "mobile_money_details" | "card_entry" | "card_details" | "bank_details"
>

/** Form that was sent. */
export interface SentForm {
  /** Null: the form was not made by our page, and is not deduplicated. */
  readonly submission: string | null
  readonly holder: string | null
}

export interface LinkPaymentRequest extends SentForm {
  readonly method: LinkMethod
  /** Amount chosen by the payer on an open link. */
  readonly chosen: Money | null
  readonly seal: string | null
  readonly details: PayerDetails
  readonly browser: Browser
}

export interface LedResult {
  readonly _tag: "Led"
  readonly submission: string
  readonly holder: string | null
}

/**
 * `Led`: go to the payment's page, with the holder's token if the payer has the form. `Taken`: another payer is paying.
 * `Repriced`: the shown price is no longer valid; nothing was charged.
 */
export type PayResult =
  | LedResult
  | { readonly _tag: "Taken" }
  | { readonly _tag: "Repriced" }
  | { readonly _tag: "TooLittle" }
  | { readonly _tag: "NoRoute" }
  | { readonly _tag: "Refused" }
  /** The form lacks what the route of this amount takes. */
  | { readonly _tag: "FieldNeeded"; readonly field: "number" | "email" }
  /** Too many payment prompts to this phone number. */
  | { readonly _tag: "PromptedTooOften" }
  | { readonly _tag: "Closed" }

export interface StatusVisit extends Omit<LinkVisit, "state"> {
  readonly payment: Payment
  /** Canceled by a person, as opposed to declined. */
  readonly calledOff: boolean
  /** The visitor's browser began the payment. Other browsers see no action and cannot act. */
  readonly isHolder: boolean
}
