/** Payment links at rest, each with the payments that were made through it. */
import { Context, type Option } from "effect"
import type { LinkId, OrgId, PaymentId, UserId } from "../../domain/Ids.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"
import type { Scope, Window } from "../../platform/database/Query.ts"
import { makerPermit } from "../../domain/Access.ts"
import type { CountryCode } from "../../domain/Country.ts"
import type { CurrencyCode } from "../../domain/Currency.ts"
import type { Money } from "../../domain/Money.ts"

/** A payment link as the stores hold it, and what can be told of it at a moment. */
export interface PaymentLink {
  readonly link_id: LinkId
  readonly org_id: OrgId
  /** Whose payments those through the link are. */
  readonly created_by: UserId
  readonly link_ref: string
  readonly email: string | null
  readonly amount_type: "fixed" | "open"
  /** What the organisation is to receive; of an open link a suggestion. */
  readonly amount: Money | null
  readonly currency: CurrencyCode
  readonly payer_currency: CurrencyCode
  readonly country: CountryCode
  readonly description: string | null
  /** The organisation's own reference, which its payments carry too. */
  readonly client_reference: string | null
  /** Where payers are led once the outcome is final. */
  readonly return_url: string | null
  readonly brand_name: string | null
  /** As `#rrggbb`. */
  readonly brand_color: string | null
  readonly has_logo: boolean
  readonly expires_at: Date | null
  readonly canceled_at: Date | null
  /** The latest payment, and the form that it came from. */
  readonly payment_id: PaymentId | null
  readonly submission: string | null
  /** When the first of its payments was completed. */
  readonly paid_at: Date | null
  readonly created_at: Date
}

type LinkStatus = "active" | "paid" | "expired" | "canceled"

const isLinkExpired = ({ expires_at }: PaymentLink, now: Date): boolean =>
  expires_at !== null && expires_at.getTime() <= now.getTime()

/** Money that came through a fixed link counts, whatever was decided about the link meanwhile. */
export const linkStatusAt = (link: PaymentLink, now: Date): LinkStatus => {
  const paid = link.paid_at !== null
  if (paid && link.amount_type === "fixed") return "paid"
  if (link.canceled_at !== null) return "canceled"
  if (paid) return "paid"
  return isLinkExpired(link, now) ? "expired" : "active"
}

/** Why no payment can begin now; an open link takes payments after the first one too. */
export const closedReason = (link: PaymentLink, now: Date): "paid" | "canceled" | "expired" | undefined => {
  if (link.amount_type === "fixed" && link.paid_at !== null) return "paid"
  if (link.canceled_at !== null) return "canceled"
  return isLinkExpired(link, now) ? "expired" : undefined
}

/** What payers do through a link is done in the name of whoever made it. */
export const linkPermit = ({ created_by, org_id }: PaymentLink) => makerPermit("any", org_id, created_by)

/** The bytes of its logo come along, and are read again by whoever shows them alone. */
export interface NewLink extends Omit<
  PaymentLink,
  "canceled_at" | "payment_id" | "submission" | "paid_at" | "created_at" | "has_logo"
> {
  readonly brand_logo: Uint8Array | null
}

/** What is worked out on reading is not at rest. */
export type StoredLink = Omit<PaymentLink, "submission" | "paid_at" | "has_logo"> & Pick<NewLink, "brand_logo">

export interface LinkPayment {
  readonly payment_id: PaymentId
  readonly link_id: LinkId
  readonly org_id: OrgId
  readonly submission: string
}

export interface Claim extends LinkPayment {
  /** The latest payment as it was when this one was decided on: a fixed link that has another by now is taken. */
  readonly replacing: string | null
  readonly now: Date
}

export class LinkStore extends Context.Tag("corridor/LinkStore")<
  LinkStore,
  {
    readonly insert: (link: NewLink) => Stored<PaymentLink>
    /** Newest first. */
    readonly list: (scope: Scope, window: Window) => Stored<ReadonlyArray<PaymentLink>>
    readonly find: (scope: Scope, linkId: LinkId) => Stored<Option.Option<PaymentLink>>
    /** Inside a transaction no payment through it can begin until the end. */
    readonly findForUpdate: (scope: Scope, linkId: LinkId) => Stored<Option.Option<PaymentLink>>
    /**
     * The reference is the credential: it names this one link, of whichever organisation. When an open link was first
     * paid is not looked up: payers are shown it as often as they like, and it may have had very many of them.
     */
    readonly findByRef: (linkRef: string) => Stored<Option.Option<PaymentLink>>
    readonly logoOf: (linkRef: string) => Stored<Option.Option<Uint8Array>>
    readonly cancel: (scope: Scope, linkId: LinkId, at: Date) => Stored<void>
    /** Belongs in the transaction of the payment. False: the link takes no payment, or not this one. */
    readonly claim: (claim: Claim) => Stored<boolean>
    readonly paymentOf: (link: PaymentLink, submission: string) => Stored<Option.Option<PaymentId>>
    /** The one that a payment was made through, as its payers see it. */
    readonly linkOf: (scope: Scope, paymentId: PaymentId) => Stored<Option.Option<PaymentLink>>
  }
>() {}
