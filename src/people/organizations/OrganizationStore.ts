/** Stores organisations. */
import { Context, type Option, Schema } from "effect"
import { OrgId } from "../../domain/Ids.ts"
import { ReserveRule } from "../../domain/Reserve.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"
import type { Scope, Window } from "../../platform/database/Query.ts"

export const Organization = Schema.Struct({
  org_id: OrgId,
  name: Schema.String,
  country: Schema.String,
  currency: Schema.String,
  email: Schema.String,
  kyb_status: Schema.Literal("not_started", "pending", "approved", "rejected"),
  kyb_customer_id: Schema.NullOr(Schema.String),
  features: Schema.Array(Schema.String),
  sandbox: Schema.Boolean,
  /** Payments from this amount on, in the organisation's currency, are held for review. Decimal text; null: none. */
  review_threshold: Schema.NullOr(Schema.String),
  /** Margin on the base rate, in basis points. */
  spread_bps: Schema.Number,
  /** Reserve and payout delay of payins, by payment method. */
  reserves: Schema.Array(ReserveRule),
  created_at: Schema.DateFromSelf,
  updated_at: Schema.DateFromSelf
})
export type Organization = typeof Organization.Type

export type NewOrganization = Pick<
  Organization,
  "org_id" | "name" | "country" | "currency" | "email" | "features" | "sandbox"
>

export type ChangedOrganization = Pick<
  Organization,
  "org_id" | "name" | "country" | "email" | "kyb_status" | "features" | "review_threshold" | "spread_bps"
>

interface Store {
  readonly insert: (organization: NewOrganization) => Stored<Organization>
  readonly find: (scope: Scope, orgId: OrgId) => Stored<Option.Option<Organization>>
  /** Locks the row against changes until the end of the transaction; payments continue. */
  readonly findForUpdate: (scope: Scope, orgId: OrgId) => Stored<Option.Option<Organization>>
  readonly update: (scope: Scope, changed: ChangedOrganization) => Stored<Option.Option<Organization>>
  readonly setReserves: (orgId: OrgId, reserves: ReadonlyArray<ReserveRule>) => Stored<void>
  readonly withReserves: (most: number) => Stored<ReadonlyArray<Organization>>
  readonly list: (scope: Scope, window: Window) => Stored<ReadonlyArray<Organization>>
}

export class OrganizationStore extends Context.Tag("corridor/OrganizationStore")<OrganizationStore, Store>() {}
