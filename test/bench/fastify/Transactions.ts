/** GET /v1/transactions, by hand: the newest first, and a signed place to go on from. */
import { createHmac } from "node:crypto"
import type { Pool } from "pg"
import type { Caller } from "./Caller.ts"
import { newestRecords } from "./PaymentSql.ts"
import { recordOf, type Row } from "./Record.ts"
import { Refusal } from "./Refusal.ts"

const MAC_BYTES = 16

const cursorAfter = ({ created_at, payment_id }: Row, orgId: string, key: string): string => {
  const position = JSON.stringify([created_at.toISOString(), payment_id])
  const mac = createHmac("sha256", key).update(`transactions ${orgId} ${position}`).digest().subarray(0, MAC_BYTES)
  return Buffer.concat([mac, Buffer.from(position)]).toString("base64url")
}

/** One more than is shown is read, which tells whether there are more. */
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
