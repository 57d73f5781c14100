/** What the page of a link is about: the link as a payer finds it, what it offers, what they send, what comes of it. */
import type { Browser } from "../../providers/port/Provider.ts"
import type { Money } from "../../domain/Money.ts"
import type { Collection } from "../../payments/initiate/Initiation.ts"
import type { Payment } from "../../payments/store/Payment.ts"
import type { LinkMethod } from "./LinkMethods.ts"
import type { PaymentLink } from "./PaymentLink.ts"
import type { Price } from "./Price.ts"

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

export interface LinkOrder {
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
