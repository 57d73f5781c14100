/** Payment links at rest, each with the payments that were made through it. */
import { Context, type Option } from "effect"
import type { LinkId, OrgId, PaymentId } from "../../domain/Identifiers.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"
import type { Scope } from "../../platform/database/Query.ts"
import type { Window } from "../../platform/database/Window.ts"
import type { PaymentLink } from "./PaymentLink.ts"

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
