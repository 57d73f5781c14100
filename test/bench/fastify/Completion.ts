/** Completes payments when their callbacks fall due, in batches. */
import type { Pool } from "pg"
import { eventsOf, type PaymentFacts, completePayment, paymentOfAttempt, uuidv7 } from "./FastifyPaymentSql.ts"

const BATCH = 64
const CONCURRENCY = 16
const POLL_MILLIS = 250
const REST_MILLIS = 25

const claim = `
  with due as (
    select t.timer_id from rail_timers t join rail_payments p on p.reference = t.reference
    where t.due_at <= now() order by t.due_at limit ${BATCH} for update of t, p skip locked
  ), claimed as (
    update rail_timers t set due_at = now() + interval '10 seconds', lease_token = $1
    from due where t.timer_id = due.timer_id
    returning t.timer_id, t.rail, t.reference, t.event_id
  ), reached as (
    update rail_payments p set state = 'completed' from claimed c
    where p.reference = c.reference and p.state in ('pending', 'processing')
  )
  select timer_id, rail, reference, event_id from claimed`

const done = `delete from rail_timers where lease_token = $1 and timer_id = any($2::uuid[])`

interface Timer {
  readonly timer_id: string
  readonly rail: string
  readonly reference: string
  readonly event_id: string
}

type PaymentRow = Omit<PaymentFacts, "amount" | "target_amount"> & {
  readonly version: number
  readonly amount: string
  readonly target_amount: string
}

const complete = async (pool: Pool, { event_id, rail, reference }: Timer): Promise<void> => {
  const values = [reference, rail]
  const { rows } = await pool.query<PaymentRow>({ name: "of-attempt", text: paymentOfAttempt, values })
  const [row] = rows
  if (row === undefined) throw new Error(`no payment has the attempt ${reference}`)
  const at = new Date()
  const { version, ...payment } = row
  const amounts = { amount: Number(row.amount), target_amount: Number(row.target_amount) }
  const facts = { ...payment, ...amounts, status: "completed" }
  const { data, ids, types } = eventsOf(["payment.completed", "transaction.updated"], facts, row.status)
  const { rowCount } = await pool.query({
    name: "complete",
    text: completePayment,
    values: [
      row.payment_id,
      row.org_id,
      reference,
      version,
      at,
      JSON.stringify({ event_id, received_at: at.toISOString() }),
      row.status,
      `callback from ${rail}`,
      uuidv7(),
      rail,
      event_id,
      ids,
      types,
      data
    ]
  })
  if (rowCount !== 1) throw new Error(`payment ${row.payment_id} changed meanwhile`)
}

const round = async (pool: Pool): Promise<number> => {
  const token = uuidv7()
  const { rows } = await pool.query<Timer>({ name: "claim", text: claim, values: [token] })
  const taken: Array<string> = []
  const left = rows.values()
  const lane = async () => {
    for (const timer of left) {
      await complete(pool, timer)
      taken.push(timer.timer_id)
    }
  }
  await Promise.all(Array.from({ length: CONCURRENCY }, lane))
  if (taken.length > 0) await pool.query({ name: "done", text: done, values: [token, taken] })
  return rows.length
}

/** Returns the function that stops it. A failed completion ends the process. */
export const startCompletion = (pool: Pool): (() => Promise<void>) => {
  let stopped = false
  const run = async () => {
    while (!stopped) {
      const claimed = await round(pool)
      if (claimed === BATCH) continue
      const pause = claimed > 0 ? REST_MILLIS : POLL_MILLIS
      await new Promise((resolve) => setTimeout(resolve, pause))
    }
  }
  const running = run()
  return () => {
    stopped = true
    return running
  }
}
