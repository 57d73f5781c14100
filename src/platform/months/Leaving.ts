/**
 * How rows that are to be kept no longer leave a table with months: a month as a whole once all of it is old enough, what
 * is still needed of it moves to the default part; from there single rows go, each batch to a file of its own.
 */
import { SqlClient, type SqlError } from "@effect/sql"
import { Duration, Effect, Option, Schema } from "effect"
import { join } from "node:path"
import { monthLockTimeout, retentionBatch } from "../../domain/policies/Server.ts"
import { rowsAs } from "../database/Rows.ts"
import { unlimited } from "../database/Unlimited.ts"
import { trouble } from "../observability/Trouble.ts"
import { openArchive } from "./Archive.ts"

const months = rowsAs(Schema.Struct({ name: Schema.String }))

/** Any number will do, as long as every instance takes the same: one of them works on the months at a time. */
export const MONTHS_LOCK = 7_402_118_614

export const LEAVING = "leaving_"

/** First in a transaction: whoever else needs the table waits no longer than this for those that are waited for. */
export const patiently = (sql: SqlClient.SqlClient) =>
  sql.unsafe(`set local statement_timeout = 0; set local lock_timeout = ${Duration.toMillis(monthLockTimeout)}`)

export interface Leaving {
  readonly table: string
  readonly keptFor: Duration.Duration
  /** Of a row `l`, in SQL; nobody can write to its month while it is asked. */
  readonly stillNeeded?: string
}

const leave = (sql: SqlClient.SqlClient, { stillNeeded = "false", table }: Leaving, month: string) =>
  unlimited(
    Effect.gen(function* () {
      yield* patiently(sql)
      yield* sql.unsafe(`lock table "${month}" in share row exclusive mode`)
      yield* sql.unsafe(
        `create temporary table kept_back on commit drop as select l.* from "${month}" l where ${stillNeeded}`
      )
      yield* sql.unsafe(`alter table "${table}" detach partition "${month}"`)
      yield* sql.unsafe(`alter table "${month}" rename to "${LEAVING}${month}"`)
      // Not by way of the table itself: what is written there for the first time has consequences.
      yield* sql.unsafe(`insert into "${table}_default" select * from kept_back`)
    })
  ).pipe(
    Effect.provideService(SqlClient.SqlClient, sql),
    Effect.as(1),
    Effect.catchAll((error) =>
      Effect.as(Effect.logInfo(`${month} stays for now, somebody else has it in hand`, error), 0)
    )
  )

/** Answers with how many months have left. One that somebody has in hand at this moment leaves another time. */
export const leaveByMonth = (sql: SqlClient.SqlClient, leaving: Leaving): Effect.Effect<number> =>
  sql`select name from table_months where parent = ${leaving.table}
      and to_at <= now() - make_interval(secs => ${Duration.toSeconds(leaving.keptFor)})
      and to_regclass(${LEAVING} || name) is null order by to_at`.pipe(
    Effect.flatMap(months),
    Effect.flatMap(Effect.reduce(0, (all, { name }) => Effect.map(leave(sql, leaving, name), (left) => all + left))),
    Effect.orDie
  )

const rows = rowsAs(Schema.Struct({ line: Schema.String }))

/**
 * Rows that go one by one. `forget` is a statement that removes a batch and gives each as `line`; they are in a file
 * before that is committed. Where no file can be written they stay.
 */
export const forgetRows = (
  sql: SqlClient.SqlClient,
  archiveDir: Option.Option<string>,
  table: string,
  forget: Effect.Effect<ReadonlyArray<unknown>, SqlError.SqlError>
): Effect.Effect<number, SqlError.SqlError> =>
  sql
    .withTransaction(
      Effect.gen(function* () {
        const gone = yield* Effect.flatMap(forget, rows)
        if (gone.length > 0 && Option.isSome(archiveDir)) {
          const archive = yield* openArchive(join(archiveDir.value, table), `${table}_rest`)
          yield* archive.write(gone.map(({ line }) => `${line}\n`).join(""))
          yield* archive.close(gone.length)
        }
        return gone.length
      }).pipe(Effect.scoped)
    )
    .pipe(
      Effect.catchTag("ArchiveFailed", (failed) =>
        Effect.as(trouble("archive_failed", `Old rows of ${table} stay: ${failed.message}`, { table }), 0)
      )
    )

/** For tables of which nothing is needed for longer than the rest: by month, and what the default part has of that age. */
export const forgetOldOf = (
  sql: SqlClient.SqlClient,
  archiveDir: Option.Option<string>,
  { keptFor, table }: Leaving
): Effect.Effect<number> =>
  Effect.zipWith(
    leaveByMonth(sql, { table, keptFor }),
    Effect.orDie(
      forgetRows(
        sql,
        archiveDir,
        table,
        sql.unsafe(
          `delete from "${table}_default" t where ctid = any (array(
            select ctid from "${table}_default" where created_at < now() - make_interval(secs => $1) limit $2))
          returning row_to_json(t)::text as line`,
          [Duration.toSeconds(keptFor), retentionBatch]
        )
      )
    ),
    (left, gone) => left + gone
  )
