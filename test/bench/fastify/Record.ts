/** GET /v1/payments/transaction/{id}, by hand. */
import type { Pool } from "pg"
import { CountryCode, subRegionOf } from "../../../src/domain/Country.ts"
import type { Caller } from "./Caller.ts"
import { recordByTransaction } from "./PaymentSql.ts"
import { Refusal } from "./Refusal.ts"

export interface Row extends Record<string, unknown> {
  readonly payment_id: string
  readonly amount: string
  readonly currency: string
  readonly target_amount: string
  readonly country: string
  readonly provider: string | null
  readonly payout_id: string | null
  readonly total_fees: string | null
  readonly created_at: Date
  readonly updated_at: Date
}

/** The schema of the answer leaves out the columns that are not shown. */
export const recordOf = (row: Row) => ({
  ...row,
  amount: Number(row.amount),
  target_amount: Number(row.target_amount),
  from_currency: row.currency,
  region_id: subRegionOf(CountryCode.make(row.country)),
  payment_path_method: row.provider === null ? null : "direct",
  total_fees: row.total_fees === null ? null : Number(row.total_fees),
  payout_initiated: row.payout_id !== null,
  instructions: null,
  failure: null,
  refunds: [],
  refunded_amount: 0,
  created_at: row.created_at.toISOString(),
  updated_at: row.updated_at.toISOString()
})

export const record = async (pool: Pool, { orgId }: Caller, transactionId: string) => {
  const values = [transactionId, orgId]
  const { rows } = await pool.query<Row>({ name: "record", text: recordByTransaction, values })
  const [row] = rows
  if (row === undefined) throw new Refusal(404, "NOT_FOUND", "There is no such payment.")
  return recordOf(row)
}
