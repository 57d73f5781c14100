/** Verifies that every answered request has its rows. */
import { Effect, Schedule } from "effect"
import type { Pool } from "pg"
import { BenchFailed } from "./BenchFailed.ts"

/** Rows of one completed initiation. */
const perPayment = {
  payments: 1,
  completed_payments: 1,
  accepted_attempts: 1,
  attempts: 1,
  payment_history: 3,
  events: 4,
  provider_callbacks: 1,
  movements: 1,
  rail_payments: 1,
  rail_timers: 0,
  operator_items: 0,
  ledger_postings: 2
} as const

export type Counts = Readonly<Record<keyof typeof perPayment | "rate_locks", number>>

/** Numbers of answered requests. */
export interface Answered {
  readonly initiate: number
  readonly rate: number
}

const counting = `select
  (select count(*)::int from payments) as payments,
  (select count(*)::int from payments where status = 'completed') as completed_payments,
  (select count(*)::int from attempts where outcome = 'accepted') as accepted_attempts,
  (select count(*)::int from attempts) as attempts,
  (select count(*)::int from payment_history) as payment_history,
  (select count(*)::int from events) as events,
  (select count(*)::int from provider_callbacks) as provider_callbacks,
  (select count(*)::int from movements) as movements,
  (select count(*)::int from rail_payments) as rail_payments,
  (select count(*)::int from rail_timers) as rail_timers,
  (select count(*)::int from operator_items) as operator_items,
  (select count(*)::int from ledger_postings) as ledger_postings,
  (select count(*)::int from rate_locks) as rate_locks`

/** Waits until every accepted payment is completed. */
export const settled = (name: string, pool: Pool) =>
  Effect.tryPromise({
    try: () => pool.query<{ open: boolean }>("select exists (select from rail_timers) as open"),
    catch: (cause) => new BenchFailed({ message: String(cause) })
  }).pipe(
    Effect.filterOrFail(
      ({ rows }) => rows[0]?.open === false,
      () => new BenchFailed({ message: `${name} did not complete its payments within two minutes.` })
    ),
    Effect.retry(Schedule.spaced("20 millis").pipe(Schedule.upTo("2 minutes")))
  )

export const verify = (name: string, pool: Pool, { initiate, rate }: Answered) =>
  Effect.gen(function* () {
    const counts = yield* Effect.promise(async () => (await pool.query<Counts>(counting)).rows[0]!)
    if (counts.rate_locks !== rate) {
      const message = `${name} answered ${rate} look-ups of a rate, and locked ${counts.rate_locks} rates.`
      return yield* new BenchFailed({ message })
    }
    for (const [table, rows] of Object.entries(perPayment)) {
      const found = counts[table as keyof Counts]
      if (found !== rows * initiate) {
        const message =
          `${name} answered ${initiate} initiations, so ${table} should be ${rows * initiate}, not ${found}. ` +
          "(On a machine so busy that a commit takes a second, completions overtake answers: measure on a quiet one.)"
        return yield* new BenchFailed({ message })
      }
    }
    return counts
  })
