/** An organisation as the stores hold it. */
export interface Organization {
  readonly org_id: string
  readonly name: string
  readonly country: string
  readonly currency: string
  readonly email: string
  readonly kyb_status: "not_started" | "pending" | "approved" | "rejected"
  readonly kyb_customer_id: string | null
  readonly features: ReadonlyArray<string>
  readonly sandbox: boolean
  /** Payments of this much and more, in the organisation's currency, wait for a review. Decimal text; null or 0: none. */
  readonly review_threshold: string | null
  /** How much less than the base rate its customers get, in basis points. */
  readonly spread_bps: number
  readonly created_at: Date
  readonly updated_at: Date
}
