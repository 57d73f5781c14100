/** The provider: it takes every order, remembers it and the callback to come as rows, and answers at once. */
import { createHash } from "node:crypto"
import type { Pool } from "pg"
import { uuidv7 } from "./Uuid.ts"

export const RAIL = "fiat"

const openOrder = `
  with owner as (
    insert into rail_payments (reference, rail, state, behaviour, amount, currency, reason, detail)
    values ($1, $2, 'processing', 'completes', $3, $4, null, $5) on conflict do nothing returning rail, reference
  ), scheduled as (
    insert into rail_timers (timer_id, rail, reference, report, event_id, reason, occurred_at, due_at)
    select $6, rail, reference, 'completed', $6, null, now() + interval '1 second', now() + interval '1 second' from owner
  )
  select reference from owner`

const answer = { state: "processing", nextAction: "wait", actionData: {} }
const detail = JSON.stringify({ answer, kind: "collection", wrongPasswords: 0 })

/** Answers with the provider's own id of the payment. */
export const sendOrder = async (pool: Pool, reference: string, amount: string, currency: string): Promise<string> => {
  const values = [reference, RAIL, amount, currency, detail, uuidv7()]
  await pool.query({ name: "open-order", text: openOrder, values })
  return `${RAIL}_${createHash("sha256").update(reference).digest("hex").slice(0, 24)}`
}
