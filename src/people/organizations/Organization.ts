/** An organisation as the stores hold it. */
import { Schema } from "effect"
import { OrgId } from "../../domain/Identifiers.ts"

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
  /** Payments of this much and more, in the organisation's currency, wait for a review. Decimal text; null or 0: none. */
  review_threshold: Schema.NullOr(Schema.String),
  /** How much less than the base rate its customers get, in basis points. */
  spread_bps: Schema.Number,
  created_at: Schema.DateFromSelf,
  updated_at: Schema.DateFromSelf
})
export type Organization = typeof Organization.Type
