/** What the page of a link is about: the link as a payer finds it, what it offers, what they send, what comes of it. */
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

/** Which methods can take a payment of a link at this moment. */

/** In the order in which payers are offered them. */
export const linkMethods = ["mobile_money", "card", "bank_transfer"] as const
export type LinkMethod = (typeof linkMethods)[number]

const hasNetworkFor = ({ country, payer_currency }: PaymentLink): boolean =>
  networksOfCountry(country).some(({ currency }) => currency === payer_currency)

/** `pays` is null as long as the payer has not chosen an amount: then no limit of a configuration counts. */
export class LinkMethods extends Context.Tag("corridor/LinkMethods")<
  LinkMethods,
  (link: PaymentLink, pays: Money | null) => Stored<ReadonlyArray<LinkMethod>>
>() {
  static readonly layer = Layer.effect(
    LinkMethods,
    Effect.gen(function* () {
      const router = yield* PaymentRouter

      return Effect.fn("LinkMethods.of")(function* (link, pays) {
        const { country, org_id, payer_currency } = link
        const money = pays ?? Money.zero(payer_currency)
        const routed = pays === null ? router.routeAny : router.routeOf
        return yield* Effect.filter(
          linkMethods.filter((method) => method !== "mobile_money" || hasNetworkFor(link)),
          (payment_method) =>
            Effect.map(
              routed(org_id, { country, direction: "inbound", payment_method, money, network: null }),
              ({ candidates }) => candidates.length > 0
            )
        )
      })
    })
  )
}

/** `Taken`: a payment of a fixed link is under way, known by the form that it came from. `freeAt`: its end, if it has one. */
export type LinkState =
  | { readonly _tag: "Payable" }
  | { readonly _tag: "Taken"; readonly submission: string; readonly freeAt: Date | null }
  | { readonly _tag: "Closed"; readonly because: "paid" | "canceled" | "expired" }

export interface LinkVisit {
  readonly link: PaymentLink
  /** As payers know it: by the link's brand, or by its name. */
  readonly merchant: string
  /** The organisation's own name, where the brand has another. */
  readonly behind: string | undefined
  readonly testMode: boolean
  readonly state: LinkState
}

/** What the form shows, and carries along. */
export interface Offer {
  readonly methods: ReadonlyArray<LinkMethod>
  /** Of a fixed link; of an open one what it suggests, if anything. */
  readonly price: Price | null
  /** Proves later which price was shown. */
  readonly seal: string | null
  /** Until when that price holds; null where no rate could move it, or where it is locked as the form is sent. */
  readonly holdsUntil: Date | null
  readonly submission: string
  /** Proves later that this very form was shown to whoever sends it. */
  readonly holder: string
}

export type PayerDetails = Pick<Collection, "payer_details" | "mobile_money_details" | "card_details" | "bank_details">

export interface LinkPaymentRequest {
  /** Null for a form that our page did not make, and that is on its own each time. */
  readonly submission: string | null
  readonly holder: string | null
  readonly method: LinkMethod
  /** What the payer chose to pay on an open link. */
  readonly chosen: Money | null
  readonly seal: string | null
  readonly details: PayerDetails
  readonly browser: Browser
}

/**
 * `Led`: to the payment's page, with the token that lets its browser act there, for whoever made the payment or had its
 * form. `Taken`: somebody else is paying. `Repriced`: the price that was shown does not hold any more. Nothing was charged.
 */
export type PayResult =
  | { readonly _tag: "Led"; readonly submission: string; readonly holder: string | null }
  | { readonly _tag: "Taken" }
  | { readonly _tag: "Repriced" }
  | { readonly _tag: "TooLittle" }
  | { readonly _tag: "NoRoute" }
  | { readonly _tag: "Refused" }
  /** The phone number was asked for payments too often. */
  | { readonly _tag: "PromptedTooOften" }
  | { readonly _tag: "Closed" }

export interface StatusVisit extends Omit<LinkVisit, "state"> {
  readonly payment: Payment
  /** Rather than refused. */
  readonly calledOff: boolean
  /** Seen by the browser in which it was begun: no other sees what its payer has to do, or does it. */
  readonly isHolder: boolean
}
