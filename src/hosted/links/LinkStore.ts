/** Store of payment links and of the payments made through them. */
import { Context, type Option, Schema } from "effect"
import { AccountId, LinkId, OrgId, PaymentId, UserId } from "../../domain/Ids.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"
import type { Scope, Window } from "../../platform/database/Query.ts"
import { makerPermit } from "../../domain/Access.ts"
import { CountryCode } from "../../domain/Country.ts"
import { CurrencyCode } from "../../domain/Currency.ts"
import type { Money } from "../../domain/Money.ts"

/** Columns of `payment_links`; an amount is its text. */
export const StoredRow = {
  link_id: LinkId,
  org_id: OrgId,
  /** Owner of the payments made through the link. */
  created_by: UserId,
  link_ref: Schema.String,
  email: Schema.NullOr(Schema.String),
  amount_type: Schema.Literal("fixed", "open"),
  /** Amount that the organisation receives; a suggestion on an open link. */
  amount: Schema.NullOr(Schema.String),
  currency: Schema.typeSchema(CurrencyCode),
  payer_currency: Schema.typeSchema(CurrencyCode),
  country: Schema.typeSchema(CountryCode),
  description: Schema.NullOr(Schema.String),
  /** The organisation's reference, copied to its payments. */
  client_reference: Schema.NullOr(Schema.String),
  /** Address that payers return to after the final outcome. */
  return_url: Schema.NullOr(Schema.String),
  /** Account that its payments credit; null: the settlement balance. */
  virtual_account_id: Schema.NullOr(AccountId),
  brand_name: Schema.NullOr(Schema.String),
  /** Colour as `#rrggbb`. */
  brand_color: Schema.NullOr(Schema.String),
  expires_at: Schema.NullOr(Schema.DateFromSelf),
  canceled_at: Schema.NullOr(Schema.DateFromSelf),
  /** The latest payment. */
  payment_id: Schema.NullOr(PaymentId),
  created_at: Schema.DateFromSelf
}

/** With columns computed at read time. */
export const LinkRow = Schema.Struct({
  ...StoredRow,
  has_logo: Schema.Boolean,
  /** The form submission that created the latest payment. */
  submission: Schema.NullOr(Schema.String),
  /** Time of the first completed payment. */
  paid_at: Schema.NullOr(Schema.DateFromSelf)
})

export interface PaymentLink extends Omit<typeof LinkRow.Type, "amount"> {
  readonly amount: Money | null
}

type LinkStatus = "active" | "paid" | "expired" | "canceled"

const isLinkExpired = ({ expires_at }: PaymentLink, now: Date): boolean =>
  expires_at !== null && expires_at.getTime() <= now.getTime()

/** A paid fixed link stays paid, even if it was canceled meanwhile. */
export const linkStatusAt = (link: PaymentLink, now: Date): LinkStatus => {
  const paid = link.paid_at !== null
  if (paid && link.amount_type === "fixed") return "paid"
  if (link.canceled_at !== null) return "canceled"
  if (paid) return "paid"
  return isLinkExpired(link, now) ? "expired" : "active"
}

/** Reason why no payment can begin; open links accept more than one payment. */
export const closedReason = (link: PaymentLink, now: Date): "paid" | "canceled" | "expired" | undefined => {
  if (link.amount_type === "fixed" && link.paid_at !== null) return "paid"
  if (link.canceled_at !== null) return "canceled"
  return isLinkExpired(link, now) ? "expired" : undefined
}

/** Payers act in the name of the link's creator. */
export const linkPermit = ({ created_by, org_id }: PaymentLink) => makerPermit("any", org_id, created_by)

/** Includes the logo's bytes, which are otherwise read separately. */
export interface NewLink extends Omit<
  PaymentLink,
  "canceled_at" | "payment_id" | "submission" | "paid_at" | "created_at" | "has_logo"
> {
  readonly brand_logo: Uint8Array | null
}

/** Without the columns computed at read time. */
export type StoredLink = Omit<PaymentLink, "submission" | "paid_at" | "has_logo"> & Pick<NewLink, "brand_logo">

export interface LinkPayment {
  readonly payment_id: PaymentId
  readonly link_id: LinkId
  readonly org_id: OrgId
  readonly submission: string
}

export interface Claim extends LinkPayment {
  /** The latest payment at the time of the decision. A fixed link with another one by now is taken. */
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
    /** Inside a transaction: no payment can begin until its end. */
    readonly findForUpdate: (scope: Scope, linkId: LinkId) => Stored<Option.Option<PaymentLink>>
    /**
     * The reference is the credential, so there is no scope. `paid_at` of open links is not computed, as they may have
     * many payments.
     */
    readonly findByRef: (linkRef: string) => Stored<Option.Option<PaymentLink>>
    readonly logoOf: (linkRef: string) => Stored<Option.Option<Uint8Array>>
    readonly cancel: (scope: Scope, linkId: LinkId, at: Date) => Stored<void>
    /** Runs in the payment's transaction. False: the link does not accept this payment. */
    readonly claim: (claim: Claim) => Stored<boolean>
    readonly paymentOf: (link: PaymentLink, submission: string) => Stored<Option.Option<PaymentId>>
    /** The link of a payment, as its payers see it. */
    readonly linkOf: (scope: Scope, paymentId: PaymentId) => Stored<Option.Option<PaymentLink>>
  }
>() {}
