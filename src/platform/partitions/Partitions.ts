/**
 * Tables with a partition for each month. Partitions are created before their month begins. Once past their retention
 * they are detached (`DetachOld.ts`), archived to a file and dropped.
 */
import { join } from "node:path"
import { SqlClient } from "@effect/sql"
import { Cause, Effect, Layer, Option, Schema, Context } from "effect"
import { partitionsAhead } from "../../domain/policies/ServerPolicies.ts"
import { Settings } from "../config/Settings.ts"
import { rowsAs, theRowAs } from "../database/Query.ts"
import { orTransactionFailure, sqlStateOf, type Stored } from "../database/DatabaseFailure.ts"
import { unlimited } from "../database/Transactor.ts"
import { alertOperator } from "../observability/OperatorAlert.ts"
import { openArchive } from "./ArchiveFile.ts"
import { DETACHED_PREFIX, limitLockWait, lockPartitions, tableOfPartition } from "./DetachOld.ts"

export class Partitions extends Context.Tag("corridor/Partitions")<
  Partitions,
  {
    /**
     * Creates the partitions of the coming months and moves rows from the default partition into them. Returns their
     * names.
     */
    readonly createAhead: Stored<ReadonlyArray<string>>
    /** Archives and drops detached partitions, also those of a killed process. Returns their names. */
    readonly archiveDetached: Stored<ReadonlyArray<string>>
  }
>() {}

/** Memory tables have no partitions. */
export const partitionsMemory = Layer.succeed(Partitions, {
  createAhead: Effect.succeed([]),
  archiveDetached: Effect.succeed([])
})

/** Pages per batch of an archive. */
const PAGES = 128

const parents = rowsAs(Schema.Struct({ table: Schema.String, column: Schema.String }))
const waiting = rowsAs(Schema.Struct({ at: Schema.DateFromSelf }))
const made = theRowAs(Schema.Struct({ made: Schema.Boolean }))
const names = rowsAs(Schema.Struct({ name: Schema.String }))
const extent = theRowAs(Schema.Struct({ pages: Schema.Number, rows: Schema.Number }))
const page = theRowAs(Schema.Struct({ lines: Schema.NullOr(Schema.String) }))

/** Another instance works on the table, or has dropped it. */
const isElsewhere = (error: unknown): boolean => ["55P03", "42P01"].includes(sqlStateOf(error) ?? "")

const tables = `select c.relname::text as table, a.attname::text as column from pg_partitioned_table p
  join pg_class c on c.oid = p.partrelid join pg_attribute a on a.attrelid = c.oid and a.attnum = p.partattrs[0]
  where c.relnamespace = current_schema()::regnamespace order by 1`

/** Months without a partition: the next ones, and those of rows in the default partition. */
const missing = (table: string, column: string) => `
  select at from (
    select date_trunc('month', now() at time zone 'UTC') + n * interval '1 month' as month from generate_series(0, ${partitionsAhead}) n
    union
    select date_trunc('month', "${column}" at time zone 'UTC') from "${table}_default"
    where "${column}" >= now() and "${column}" < now() + interval '1 year'
  ) wanted cross join lateral (select month at time zone 'UTC' as at) t
  where not exists (select from table_months m where m.parent = '${table}' and coalesce(m.from_at, '-infinity') <= at
    and coalesce(m.to_at, 'infinity') > at) order by at`

export const partitionsSql = Layer.effect(
  Partitions,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { archiveDir } = yield* Settings

    const create = (table: string, column: string, at: Date) =>
      unlimited(
        Effect.gen(function* () {
          if (!(yield* lockPartitions(sql))) return []
          const done = yield* Effect.flatMap(sql`select make_month(${table}, ${column}, ${at}) as made`, made)
          return done.made ? [`${table} ${at.toISOString().slice(0, 7)}`] : []
        })
      ).pipe(
        Effect.provideService(SqlClient.SqlClient, sql),
        // Rows go to the default partition meanwhile.
        Effect.catchAll((error) => Effect.as(Effect.logWarning(`No month was made for ${table} yet`, error), []))
      )

    const createAhead = Effect.gen(function* () {
      const all = yield* Effect.flatMap(sql.unsafe(tables), parents)
      const created: Array<string> = []
      for (const { column, table } of all) {
        const months = yield* Effect.flatMap(sql.unsafe(missing(table, column)), waiting)
        for (const { at } of months) created.push(...(yield* create(table, column, at)))
      }
      return created
    }).pipe(orTransactionFailure, Effect.withSpan("Partitions.createAhead"))

    /** Archives a detached partition. The lock keeps a second instance from writing the same file. */
    const archive = (folder: string, name: string) =>
      Effect.gen(function* () {
        const table = `"${DETACHED_PREFIX}${name}"`
        const { pages, rows } = yield* Effect.flatMap(
          sql.unsafe(`select (pg_relation_size('${table}') / current_setting('block_size')::int)::int as pages,
            (select count(*)::int from ${table}) as rows`),
          extent
        )
        const file = yield* openArchive(join(folder, tableOfPartition(name)), name)
        for (let first = 0; first < pages; first += PAGES) {
          const { lines } = yield* Effect.flatMap(
            sql.unsafe(`select string_agg(row_to_json(t)::text || e'\\n', '') as lines from ${table} t
              where ctid >= '(${first},0)' and ctid < '(${first + PAGES},0)'`),
            page
          )
          if (lines !== null) yield* file.write(lines)
        }
        return yield* file.close(rows)
      }).pipe(Effect.scoped)

    /** Archives and drops in one transaction, so a killed process leaves the table for the next run. */
    const archiveOne = (name: string) =>
      unlimited(
        Effect.gen(function* () {
          yield* sql.unsafe(`lock table "${DETACHED_PREFIX}${name}" in access exclusive mode nowait`)
          const path = Option.isSome(archiveDir) ? yield* archive(archiveDir.value, name) : undefined
          yield* limitLockWait(sql)
          yield* sql.unsafe(`drop table "${DETACHED_PREFIX}${name}"`)
          return path
        })
      ).pipe(
        Effect.tap((path) => Effect.logInfo(path === undefined ? `${name} is gone` : `${name} is in ${path}`)),
        Effect.as([name]),
        Effect.catchAllCause((cause) => {
          const alerted = alertOperator(
            "archive_failed",
            `${name} could not be put away and stays`,
            { table: name },
            cause
          )
          return Effect.as(isElsewhere(Cause.squash(cause)) ? Effect.void : alerted, [])
        })
      )

    const archiveDetached = Effect.gen(function* () {
      const detached = yield* Effect.flatMap(
        sql`select substr(tablename, ${DETACHED_PREFIX.length + 1}::int) as name from pg_tables
          where schemaname = current_schema() and starts_with(tablename, ${DETACHED_PREFIX}) order by tablename`,
        names
      )
      return (yield* Effect.forEach(detached, ({ name }) => archiveOne(name))).flat()
    }).pipe(
      Effect.provideService(SqlClient.SqlClient, sql),
      orTransactionFailure,
      Effect.withSpan("Partitions.archiveDetached")
    )

    return { createAhead, archiveDetached }
  })
)
