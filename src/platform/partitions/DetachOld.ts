/**
 * How rows that are to be kept no longer leave a table with months: a month as a whole once all of it is old enough, what
 * is still needed of it moves to the default part; from there single rows go, each batch to a file of its own.
 */
import { SqlClient, type SqlError } from "@effect/sql"
import { Array, Duration, Effect, Option, Schema } from "effect"
import { join } from "node:path"
import { monthLockTimeout, retentionBatch } from "../../domain/policies/ServerPolicies.ts"
import { rowsAs, theRowAs } from "../database/Query.ts"
import {
  LOCK_TIMEOUT,
  orDatabaseFailure,
  orTransactionFailure,
  sqlReasonOf,
  sqlStateOf,
  type Stored
} from "../database/DatabaseFailure.ts"
import { unlimited } from "../database/Transactor.ts"
import { alertOperator } from "../observability/OperatorAlert.ts"
import { openArchive } from "./ArchiveFile.ts"

const months = rowsAs(Schema.Struct({ name: Schema.String }))
const locked = theRowAs(Schema.Struct({ mine: Schema.Boolean }))

/** Any number will do, as long as every instance takes the same: one of them works on the months at a time. */
export const PARTITIONS_LOCK = 7_402_118_615

export const DETACHED_PREFIX = "leaving_"

/** Which table a month is of, by its name. */
export const tableOfPartition = (month: string): string => month.replace(/_\d{4}_\d\d$/, "")

/** First in a transaction: whoever else needs the table waits no longer than this for those that are waited for. */
export const limitLockWait = (sql: SqlClient.SqlClient) =>
  sql.unsafe(`set local statement_timeout = 0; set local lock_timeout = ${Duration.toMillis(monthLockTimeout)}`)

/** Which rows stay, in SQL. */
interface Needed {
  readonly key: string
  /** Of a row `l`, which may take long to tell of a whole month: others go on writing meanwhile. */
  readonly rows: string
  /** A query that quickly gives the keys of those that may have come to be needed since: nobody can write any more then. */
  readonly lately?: string
}

export interface DetachRule {
  readonly table: string
  readonly keptFor: Duration.Duration
  readonly stillNeeded?: Needed
  /** Its months leave after those of this table. */
  readonly after?: string
}

const stays = (month: string, error: unknown): Effect.Effect<void> =>
  sqlStateOf(error) === LOCK_TIMEOUT
    ? Effect.logInfo(`${month} stays for now, somebody else has it in hand`, error)
    : Effect.logError(`${month} cannot leave its table: ${sqlReasonOf(error)}`, error)

/**
 * Whoever changes a row of the table locks all of its months: to lock one for as long as it is looked through would keep
 * everybody waiting, and they hold what is needed for it to leave.
 */
const leave = (sql: SqlClient.SqlClient, { stillNeeded, table }: DetachRule, month: string) =>
  unlimited(
    Effect.gen(function* () {
      // Two who look through one month at a time would wait for each other.
      const { mine } = yield* Effect.flatMap(sql`select pg_try_advisory_xact_lock(${PARTITIONS_LOCK}) as mine`, locked)
      if (!mine) return 0
      yield* limitLockWait(sql)
      if (stillNeeded !== undefined) {
        const { key, rows } = stillNeeded
        yield* sql.unsafe(
          `create temporary table kept_back on commit drop as select distinct l.${key} from "${month}" l where ${rows}`
        )
        yield* sql.unsafe("analyze kept_back")
      }
      yield* sql.unsafe(`alter table "${table}" detach partition "${month}"`)
      yield* sql.unsafe(`alter table "${month}" rename to "${DETACHED_PREFIX}${month}"`)
      if (stillNeeded === undefined) return 1
      const { key, lately } = stillNeeded
      const keys = `select ${key} from kept_back${lately === undefined ? "" : ` union ${lately}`}`
      // Not by way of the table itself: what is written there for the first time has consequences.
      yield* sql.unsafe(
        `insert into "${table}_default" select l.* from "${DETACHED_PREFIX}${month}" l where l.${key} in (${keys})`
      )
      return 1
    })
  ).pipe(
    Effect.provideService(SqlClient.SqlClient, sql),
    Effect.catchAll((error) => Effect.as(stays(month, error), 0))
  )

/** Answers with how many months have left. One that somebody has in hand at this moment leaves another time. */
export const detachOldPartitions = (sql: SqlClient.SqlClient, leaving: DetachRule): Stored<number> =>
  sql`select name from table_months where parent = ${leaving.table}
      and to_at <= now() - make_interval(secs => ${Duration.toSeconds(leaving.keptFor)})
      and not exists (select from table_months o where o.parent = ${leaving.after ?? ""} and o.to_at <= table_months.to_at)
      and to_regclass(${DETACHED_PREFIX} || name) is null order by to_at`.pipe(
    Effect.flatMap(months),
    Effect.flatMap(Effect.reduce(0, (all, { name }) => Effect.map(leave(sql, leaving, name), (left) => all + left))),
    orDatabaseFailure
  )

const rows = rowsAs(Schema.Struct({ line: Schema.String, of: Schema.optional(Schema.String) }))

/**
 * Rows that go one by one. `forget` is a statement that removes a batch and gives each as `line`, with the table that it
 * was `of` where it goes with a row of this one; they are in files before that is committed. Where no file can be written
 * they stay. Answers with how many of the table itself are gone.
 */
export const deleteArchivedRows = (
  sql: SqlClient.SqlClient,
  archiveDir: Option.Option<string>,
  table: string,
  forget: Effect.Effect<ReadonlyArray<unknown>, SqlError.SqlError>
): Effect.Effect<number, SqlError.SqlError> =>
  sql
    .withTransaction(
      Effect.gen(function* () {
        const gone = yield* Effect.flatMap(forget, rows)
        for (const [name, lines] of Object.entries(Array.groupBy(gone, ({ of = table }) => of))) {
          if (Option.isNone(archiveDir)) break
          const archive = yield* openArchive(join(archiveDir.value, name), `${name}_rest`)
          yield* archive.write(lines.map(({ line }) => `${line}\n`).join(""))
          yield* archive.close(lines.length)
        }
        return gone.filter(({ of }) => of === undefined).length
      }).pipe(Effect.scoped)
    )
    .pipe(
      Effect.catchTag("ArchiveFailed", (failed) =>
        Effect.as(alertOperator("archive_failed", `Old rows of ${table} stay: ${failed.message}`, { table }), 0)
      )
    )

/** For tables of which nothing is needed for longer than the rest: by month, and what the default part has of that age. */
export const removeOldRows = (
  sql: SqlClient.SqlClient,
  archiveDir: Option.Option<string>,
  { keptFor, table }: DetachRule
): Stored<number> =>
  Effect.zipWith(
    detachOldPartitions(sql, { table, keptFor }),
    orTransactionFailure(
      deleteArchivedRows(
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
