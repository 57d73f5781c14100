/**
 * Detaches monthly partitions past their retention. Rows that are still needed move to the default partition, which
 * is emptied in batches.
 */
import { SqlClient, type SqlError } from "@effect/sql"
import { Array, Duration, Effect, Option, Schema } from "effect"
import { join } from "node:path"
import { partitionLockTimeout, retentionBatch } from "../../domain/policies/ServerPolicies.ts"
import { rowsAs, tryLock } from "../database/Query.ts"
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

/** Advisory lock: one instance at a time works on partitions. */
const PARTITIONS_LOCK = 7_402_118_615

export const DETACHED_PREFIX = "leaving_"

/** Table of a partition, by its name. */
export const tableOfPartition = (month: string): string => month.replace(/_\d{4}_\d\d$/, "")

/** Sets a short lock timeout for the transaction: later statements queue behind its lock requests. */
export const limitLockWait = (sql: SqlClient.SqlClient) =>
  sql.unsafe(`set local statement_timeout = 0; set local lock_timeout = ${Duration.toMillis(partitionLockTimeout)}`)

/** Rows to keep, in SQL. */
interface Needed {
  readonly key: string
  /** Condition on a row `l`. Evaluated over the whole partition while writes go on. */
  readonly rows: string
  /** Query for keys that became needed since then. Runs under the lock, so it must be quick. */
  readonly lately?: string
}

interface DetachRule {
  readonly table: string
  readonly keptFor: Duration.Duration
  readonly stillNeeded?: Needed
  /** Its partitions are detached after those of this table. */
  readonly after?: string
}

/** Takes the lock of the transaction, unless another instance works on partitions: two on one would deadlock. */
export const lockPartitions = (sql: SqlClient.SqlClient) =>
  Effect.tap(tryLock(sql, PARTITIONS_LOCK), (mine) => (mine ? limitLockWait(sql) : Effect.void))

/** Detaches one partition. Rows to keep are selected before the lock: writers of the table lock all its partitions. */
const detach = (sql: SqlClient.SqlClient, { stillNeeded, table }: DetachRule, month: string) =>
  unlimited(
    Effect.gen(function* () {
      if (!(yield* lockPartitions(sql))) return 0
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
      // Inserts past the parent table, whose triggers act on new rows.
      yield* sql.unsafe(
        `insert into "${table}_default" select l.* from "${DETACHED_PREFIX}${month}" l where l.${key} in (${keys})`
      )
      return 1
    })
  ).pipe(
    Effect.provideService(SqlClient.SqlClient, sql),
    Effect.catchAll((error) =>
      sqlStateOf(error) === LOCK_TIMEOUT
        ? Effect.as(Effect.logInfo(`${month} stays for now, another process is detaching it`, error), 0)
        : Effect.as(Effect.logError(`${month} cannot leave its table: ${sqlReasonOf(error)}`, error), 0)
    )
  )

/** Returns the number of detached partitions. A locked partition is left for the next run. */
export const detachOldPartitions = (sql: SqlClient.SqlClient, rule: DetachRule): Stored<number> =>
  sql`select name from table_months where parent = ${rule.table}
      and to_at <= now() - make_interval(secs => ${Duration.toSeconds(rule.keptFor)})
      and not exists (select from table_months o where o.parent = ${rule.after ?? ""} and o.to_at <= table_months.to_at)
      and to_regclass(${DETACHED_PREFIX} || name) is null order by to_at`.pipe(
    Effect.flatMap(months),
    Effect.flatMap(Effect.reduce(0, (all, { name }) => Effect.map(detach(sql, rule, name), (one) => all + one))),
    orDatabaseFailure
  )

const rows = rowsAs(Schema.Struct({ line: Schema.String, of: Schema.optional(Schema.String) }))

/**
 * Deletes single rows, archived before the commit. `deleteBatch` returns each row as `line`; `of` names another table that
 * a row belongs to. Without a writable archive the rows stay. Returns the number of rows of the table itself.
 */
export const deleteArchivedRows = (
  sql: SqlClient.SqlClient,
  archiveDir: Option.Option<string>,
  table: string,
  deleteBatch: Effect.Effect<ReadonlyArray<unknown>, SqlError.SqlError>
): Effect.Effect<number, SqlError.SqlError> =>
  sql
    .withTransaction(
      Effect.gen(function* () {
        const deleted = yield* Effect.flatMap(deleteBatch, rows)
        for (const [name, lines] of Object.entries(Array.groupBy(deleted, ({ of = table }) => of))) {
          if (Option.isNone(archiveDir)) break
          const archive = yield* openArchive(join(archiveDir.value, name), `${name}_rest`)
          yield* archive.write(lines.map(({ line }) => `${line}\n`).join(""))
          yield* archive.close(lines.length)
        }
        return deleted.filter(({ of }) => of === undefined).length
      }).pipe(Effect.scoped)
    )
    .pipe(
      Effect.catchTag("ArchiveFailed", (failed) =>
        Effect.as(alertOperator("archive_failed", `Old rows of ${table} stay: ${failed.message}`, { table }), 0)
      )
    )

/** Removes everything past its retention: whole partitions, and old rows of the default partition. */
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
    (partitions, deleted) => partitions + deleted
  )
