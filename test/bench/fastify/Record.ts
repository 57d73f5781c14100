/** GET /v1/payments/transaction/{id} and GET /v1/transactions. */
import type { Pool } from "pg"
import { CountryCode, subRegionOf } from "../../../src/domain/Country.ts"
import { type Caller, Refusal } from "./Caller.ts"
import { recordByTransaction, newestRecords } from "./FastifyPaymentSql.ts"
import { createHmac } from "node:crypto"

interface Row extends Record<string, unknown> {
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

/** The answer's schema omits other columns. */
const recordOf = (row: Row) => ({
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
  virtual_account_id: null,
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

const MAC_BYTES = 16

const cursorAfter = ({ created_at, payment_id }: Row, orgId: string, key: string): string => {
  const position = JSON.stringify([created_at.toISOString(), payment_id])
  const mac = createHmac("sha256", key).update(`transactions ${orgId} ${position}`).digest().subarray(0, MAC_BYTES)
  return Buffer.concat([mac, Buffer.from(position)]).toString("base64url")
}

/** Reads one more row to see whether there are more. */
export const transactions = async (pool: Pool, { orgId, role }: Caller, limit: number, cursorKey: string) => {
  if (role === "member") throw new Refusal(403, "FORBIDDEN", "Members may not list transactions.")
  const { rows } = await pool.query<Row>({ name: "newest", text: newestRecords, values: [orgId, limit + 1] })
  const hasMore = rows.length > limit
  const shown = hasMore ? rows.slice(0, limit) : rows
  const last_evaluated_key = hasMore ? cursorAfter(shown.at(-1)!, orgId, cursorKey) : null
  return {
    status: "success",
    message: "Transactions",
    data: shown.map(recordOf),
    meta: { count: shown.length, has_more: hasMore, last_evaluated_key },
    last_evaluated_key
  }
}
