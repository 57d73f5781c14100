/** Days of the books that are over, summed up once by PostgreSQL. Postings stay as they are, so no sum is ever wrong. */
import { SqlClient } from "@effect/sql"
import { Duration, Effect, Schema } from "effect"
import { booksClosingDelay, postingPatience, postingPause } from "../../domain/policies/Ledger.ts"
import { orTransactionFailure, type Stored } from "../../platform/database/DatabaseFailure.ts"
import { sameOrg } from "../../platform/database/Query.ts"
import { rowsAs, theRowAs } from "../../platform/database/Rows.ts"
import { unlimited } from "../../platform/database/Unlimited.ts"

/** As in the database's `ledger_posted_late`. */
const LOCK = 7_402_118_617

const planRow = theRowAs(Schema.Struct({ target: Schema.String, is_due: Schema.Boolean }))
const lockRow = theRowAs(Schema.Struct({ mine: Schema.Boolean }))
const differsRow = theRowAs(Schema.Struct({ differs: Schema.Boolean }))
const daysRow = theRowAs(Schema.Struct({ days: Schema.Number }))
const writerRows = rowsAs(Schema.Struct({ writer: Schema.String }))

const utc = (date: string) => `(${date})::timestamp at time zone 'UTC'`

const closedUntil = `coalesce((select ${utc("before")} from ledger_closed), '-infinity'::timestamptz)`

/** Always so. The planner takes a stretch with two ends for a short one, and reads it by the index: one that only begins it takes for a third of all postings. */
const isFew = "created_at < 'infinity'"

/** What settlement accounts moved after a day: of days that are over it is known, the others are summed up. */
export const movedAfter = (sql: SqlClient.SqlClient, date: string) => sql`
  select d.date, own.currency, d.amount from own join ledger_days d on d.account = own.account and ${sql.literal(sameOrg("d.org_id", "own.org_id"))}
  where d.date > ${date}::date
  union all
  select open.date, own.currency, open.amount from own cross join lateral (
    select (created_at at time zone 'UTC')::date as date, sum(amount) as amount from ledger_postings p
    where p.account = own.account
      and created_at >= greatest((${date}::date + 1)::timestamp at time zone 'UTC', ${sql.literal(closedUntil)})
      and ${sql.literal(isFew)}
    group by 1
  ) open`

export const closeLedgerDays = (sql: SqlClient.SqlClient): Stored<number> => {
  const plan = sql`select to_char(target, 'YYYY-MM-DD') as target,
      target > coalesce((select before from ledger_closed), '-infinity'::date) as is_due
    from (select ((now() - ${Duration.toSeconds(booksClosingDelay)} * interval '1 second') at time zone 'UTC')::date) t (target)`

  const writers = sql`select distinct virtualtransaction as writer from pg_locks
    where locktype = 'relation' and relation = 'ledger_postings'::regclass and mode = 'RowExclusiveLock' and granted
      and database = (select oid from pg_database where datname = current_database())`.pipe(Effect.flatMap(writerRows))

  /** Whoever posts at this moment may have begun on a day that is over. Whether they have all come to their end. */
  const othersEnded = Effect.gen(function* () {
    const begun = new Set(Array.from(yield* writers, ({ writer }) => writer))
    const looks = Math.ceil(Duration.toMillis(postingPatience) / Duration.toMillis(postingPause))
    for (let look = 0; begun.size > 0 && look < looks; look += 1) {
      yield* Effect.sleep(postingPause)
      const still = new Set(Array.from(yield* writers, ({ writer }) => writer))
      for (const writer of begun) if (!still.has(writer)) begun.delete(writer)
    }
    return begun.size === 0
  })

  /** A clock that was set back, or a hand in the tables: what is summed up and what is not must come to the balance. */
  const differs = sql.unsafe(`select exists (
      select from ledger_balances b where account like 'settlement/%' and balance <>
        coalesce((select sum(amount) from ledger_days d where d.account = b.account), 0)
        + coalesce((select sum(amount) from ledger_postings p
            where p.account = b.account and created_at >= ${closedUntil} and ${isFew}), 0)
    ) as differs`)

  const sumUp = (target: string) => sql`with summed as (
      insert into ledger_days (account, org_id, date, amount)
      select b.account, b.org_id, d.date, d.amount from ledger_balances b cross join lateral (
        select (created_at at time zone 'UTC')::date as date, sum(amount) as amount from ledger_postings p
        where p.account = b.account and created_at >= ${sql.literal(closedUntil)}
          and created_at < ${target}::date::timestamp at time zone 'UTC'
        group by 1
      ) d where b.account like 'settlement/%'
      returning date
    ), closed as (
      insert into ledger_closed (before) values (${target}::date)
      on conflict (one) do update set before = excluded.before
    )
    select count(distinct date)::int as days from summed`

  const close = (target: string) =>
    Effect.gen(function* () {
      const { mine } = yield* Effect.flatMap(sql`select pg_try_advisory_xact_lock(${LOCK}) as mine`, lockRow)
      const { is_due } = yield* Effect.flatMap(plan, planRow)
      if (!mine || !is_due) return 0
      if ((yield* Effect.flatMap(differs, differsRow)).differs) {
        yield* Effect.logWarning("The days of the books do not come to its balances: they are summed up anew")
        yield* sql`delete from ledger_days`
        yield* sql`delete from ledger_closed`
      }
      return (yield* Effect.flatMap(sumUp(target), daysRow)).days
    })

  return Effect.gen(function* () {
    const { is_due, target } = yield* Effect.flatMap(plan, planRow)
    // Some who post take longer: another time.
    if (!is_due || !(yield* othersEnded)) return 0
    return yield* unlimited(close(target))
  }).pipe(
    Effect.provideService(SqlClient.SqlClient, sql),
    orTransactionFailure,
    Effect.withSpan("LedgerStore.closeDays")
  )
}
