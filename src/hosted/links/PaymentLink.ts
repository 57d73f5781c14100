/** A payment link as the stores hold it, and what can be told of it at a moment. */
import type { LinkId, OrgId, PaymentId, UserId } from "../../domain/Identifiers.ts"
import { makerPermit } from "../../domain/Access.ts"
import type { CountryCode } from "../../domain/Country.ts"
import type { CurrencyCode } from "../../domain/Currency.ts"
import type { Money } from "../../domain/Money.ts"

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

export type LinkStatus = "active" | "paid" | "expired" | "canceled"

const isOver = ({ expires_at }: PaymentLink, now: Date): boolean =>
  expires_at !== null && expires_at.getTime() <= now.getTime()

/** Money that came through a fixed link counts, whatever was decided about the link meanwhile. */
export const statusOf = (link: PaymentLink, now: Date): LinkStatus => {
  const paid = link.paid_at !== null
  if (paid && link.amount_type === "fixed") return "paid"
  if (link.canceled_at !== null) return "canceled"
  if (paid) return "paid"
  return isOver(link, now) ? "expired" : "active"
}

/** Why no payment can begin now; an open link takes payments after the first one too. */
export const closedBecause = (link: PaymentLink, now: Date): "paid" | "canceled" | "expired" | undefined => {
  if (link.amount_type === "fixed" && link.paid_at !== null) return "paid"
  if (link.canceled_at !== null) return "canceled"
  return isOver(link, now) ? "expired" : undefined
}

/** What payers do through a link is done in the name of whoever made it. */
export const permitOf = ({ created_by, org_id }: PaymentLink) => makerPermit("any", org_id, created_by)
