/**
 * Applies migrations while instances serve: one runner at a time, one transaction for each migration, indexes concurrently.
 * A lock that is not granted at once is given up and asked for again, so that no statement queues behind the migration.
 */
import platform from "../../../migrations/0001_platform.ts"
import people from "../../../migrations/0002_people.ts"
import providers from "../../../migrations/0003_providers.ts"
import money from "../../../migrations/0004_money.ts"
import payments from "../../../migrations/0005_payments.ts"
import settlement from "../../../migrations/0006_settlement.ts"
import treasury from "../../../migrations/0007_treasury.ts"
import webhooks from "../../../migrations/0008_webhooks.ts"
import operations from "../../../migrations/0009_operations.ts"
import { SqlClient, SqlError } from "@effect/sql"
import { Data, Duration, Effect, Option, Schema } from "effect"
import { sha256Hex } from "../../domain/Digest.ts"
import { migrationLockTimeout, migrationRetry, migrationPollInterval } from "../../domain/policies/DatabasePolicies.ts"
import { sessionLimits, sessionWithoutLimits, withoutLimits } from "./Connections.ts"
import type { Migration } from "./Migration.ts"
import { rowAs, rowsAs, theRowAs } from "./Query.ts"
import { LOCK_TIMEOUT, sqlReasonOf, sqlStateOf } from "./DatabaseFailure.ts"

export type Migrations = Readonly<Record<string, Migration>>

/** The migration cannot be applied as things are. The message says what to do. */
export class MigrationRefused extends Data.TaggedError("MigrationRefused")<{ readonly message: string }> {}

/** Migrations that were applied, one row each. */
export const MIGRATIONS_TABLE = "corridor_migrations"

/** Any number will do, as long as every instance takes the same. */
const LOCK = 7_402_118_613

const DEADLOCK = "40P01"
const STATEMENT_TIMEOUT = "57014"

const NAME = "corridor schema "

/** Application name of a version's connections: its last migration. */
export const applicationName = (migrations: Migrations): string =>
  `${NAME}${Math.max(0, ...Object.keys(migrations).map(idOf))}`

const idOf = (name: string): number => Number.parseInt(name, 10)

/** A row of the table. The checksum is null in tables of before there was one. */
export const RecordedMigration = Schema.Struct({
  id: Schema.Number,
  name: Schema.String,
  checksum: Schema.NullOr(Schema.String)
})
export type RecordedMigration = typeof RecordedMigration.Type

/** Reads the rows of any version's table. */
export const RECORDED = `select migration_id as id, name, to_jsonb(m) ->> 'checksum' as checksum
  from ${MIGRATIONS_TABLE} m order by 1`

export const recordedMigrations = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.flatMap(sql.unsafe(RECORDED), rowsAs(RecordedMigration))
)

/** Checksum of the SQL, without comments and white space. */
const checksumOf = (migration: Migration): string => {
  const text =
    migration.kind === "transaction" ? migration.statements : JSON.stringify([migration.create, migration.drop])
  return sha256Hex(text.replace(/--.*/g, "").replace(/\s+/g, " "))
}

const listed = (migrations: Migrations) =>
  Object.entries(migrations)
    .map(([file, migration]) => ({ id: idOf(file), name: file.slice(file.indexOf("_") + 1), migration }))
    .toSorted((a, b) => a.id - b.id)

/** Compares migrations that were applied somewhere with those of this version. `other`: one of the same number differs. */
export const compareHistory = (
  migrations: Migrations,
  recorded: ReadonlyArray<RecordedMigration>
): "known" | "newer" | "other" => {
  const known = new Map(listed(migrations).map((one) => [one.id, one]))
  const isOther = ({ checksum, id, name }: RecordedMigration): boolean => {
    const own = known.get(id)
    return own !== undefined && (own.name !== name || checksumOf(own.migration) !== checksum)
  }
  if (recorded.some(isOther)) return "other"
  return recorded.every(({ id }) => known.has(id)) ? "known" : "newer"
}

/** For a database whose history is another. */
export const NO_UPGRADE =
  "This database was made by an earlier version of Corridor, and there is no upgrade from it. To reset it, which loses " +
  "its data: stop the server, then delete its data folder (DATA_DIR, .data unless set); where DATABASE_URL is set, drop " +
  "that database and create it empty. The next start makes the tables anew."

/** Fails on a database that this version cannot bring up to date. Changes nothing. */
export const requireUpgradable = (migrations: Migrations) =>
  Effect.flatMap(recordedMigrations, (recorded) =>
    compareHistory(migrations, recorded) === "other"
      ? Effect.fail(new MigrationRefused({ message: NO_UPGRADE }))
      : Effect.succeed(recorded)
  )

const turnRow = theRowAs(Schema.Struct({ taken: Schema.Boolean }))
const countRow = theRowAs(Schema.Struct({ count: Schema.Number }))
const indexRow = rowAs(Schema.Struct({ valid: Schema.Boolean }))
const oldestRow = rowAs(Schema.Struct({ pid: Schema.Number, name: Schema.String, seconds: Schema.Number }))

/** Keeps an idle transaction open for its advisory lock, which works behind a transaction pooler too. */
const takeTurn = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const connection = yield* sql.reserve
  const run = (text: string) => connection.executeUnprepared(text, [], undefined)
  yield* Effect.acquireRelease(run("BEGIN"), () =>
    Effect.catchAll(run("ROLLBACK"), (error) =>
      Effect.logWarning(`The migration lock's transaction ended early: ${sqlReasonOf(error)}`)
    )
  )
  yield* run(withoutLimits)
  // A statement that waits for the lock would hold a snapshot, for which a concurrent index build waits in its turn.
  return (yield* turnRow(yield* run(`select pg_try_advisory_xact_lock(${LOCK}) as taken`))).taken
})

const inTurn = Effect.fnUntraced(function* <A, E, R>(effect: Effect.Effect<A, E, R>) {
  while (true) {
    const done = yield* Effect.scoped(
      Effect.flatMap(takeTurn, (taken) => (taken ? Effect.asSome(effect) : Effect.succeedNone))
    )
    if (Option.isSome(done)) return done.value
    yield* Effect.sleep(migrationPollInterval)
  }
})

type Listed = ReturnType<typeof listed>[number]

const recordApplied = ({ id, migration, name }: Listed) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => {
    const row = { migration_id: id, name, checksum: checksumOf(migration) }
    return sql`insert into ${sql(MIGRATIONS_TABLE)} ${sql.insert(row)}`
  })

/** The transaction that has been open the longest is the usual reason for a lock that is not granted. */
const oldestTransaction = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const oldest = yield* sql`select pid, coalesce(application_name, '') as name,
      extract(epoch from now() - xact_start)::int as seconds
    from pg_stat_activity
    where datname = current_database() and xact_start is not null and pid <> pg_backend_pid()
      and not exists (select from pg_locks l where l.pid = pg_stat_activity.pid and l.locktype = 'advisory')
    order by xact_start limit 1`.pipe(Effect.flatMap(oldestRow))
  return Option.match(oldest, {
    onNone: () => "",
    onSome: ({ name, pid, seconds }) =>
      ` The oldest open transaction is that of process ${pid} (${name === "" ? "unnamed" : name}), ${seconds} s.`
  })
})

const isBlocked = (error: SqlError.SqlError): boolean => [LOCK_TIMEOUT, DEADLOCK].includes(sqlStateOf(error) ?? "")

const applyTransaction = (migration: Listed, statements: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.withTransaction(
      Effect.all([
        sql.unsafe(withoutLimits),
        sql.unsafe(`set local lock_timeout = ${Duration.toMillis(migrationLockTimeout)}`),
        sql.unsafe(statements),
        recordApplied(migration)
      ])
    )
  ).pipe(
    Effect.tapError((error) =>
      isBlocked(error)
        ? Effect.flatMap(oldestTransaction, (oldest) =>
            Effect.logWarning(`Migration ${migration.id} waits for a lock (${sqlReasonOf(error)}).${oldest}`)
          )
        : Effect.void
    ),
    Effect.retry({ while: isBlocked, schedule: migrationRetry })
  )

/** An index that an interrupted build left behind is not valid: it is dropped and built anew. */
const applyIndexes = (migration: Listed, { create, drop }: Extract<Migration, { kind: "indexes" }>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const connection = yield* sql.reserve
    const run = (text: string) => connection.executeUnprepared(text, [], undefined)
    yield* Effect.acquireRelease(run(sessionWithoutLimits), () =>
      Effect.catchAll(run(sessionLimits), (error) => Effect.logWarning(sqlReasonOf(error)))
    )
    for (const [name, definition] of Object.entries(create)) {
      const found = yield* indexRow(
        yield* run(`select indisvalid as valid from pg_index where indexrelid = to_regclass('${name}')`)
      )
      if (Option.isSome(found) && found.value.valid) continue
      if (Option.isSome(found)) yield* run(`drop index concurrently ${name}`)
      yield* run(`create index concurrently ${name} ${definition}`)
    }
    for (const name of drop) yield* run(`drop index concurrently if exists ${name}`)
  }).pipe(
    Effect.scoped,
    // The pool may have no third connection.
    Effect.zipRight(recordApplied(migration)),
    Effect.catchIf(
      (error) => error instanceof SqlError.SqlError && sqlStateOf(error) === STATEMENT_TIMEOUT,
      () =>
        new MigrationRefused({
          message:
            `Migration ${migration.id} builds an index, for which the pooler's time limit is too short. ` +
            'Run "corridor migrate" once with DATABASE_POOLER=none and a DATABASE_URL that leads to PostgreSQL itself.'
        })
    )
  )

/** A migration that the version before cannot live with waits until its instances are gone. */
const requireAlone = (id: number) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { count } = yield* sql`select count(*)::int as count from pg_stat_activity
      where datname = current_database()
        and substring(application_name from ${`^${NAME}(\\d{1,9})$`})::int < ${id}`.pipe(Effect.flatMap(countRow))
    if (count === 0) return
    return yield* new MigrationRefused({
      message:
        `Migration ${id} cannot be applied beside instances of the version before, and ${count} of their connections ` +
        "are open. Stop those instances, then start this version."
    })
  })

const applyPending = Effect.fnUntraced(function* (migrations: Migrations) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create table if not exists ${sql(MIGRATIONS_TABLE)} (
    migration_id integer primary key, created_at timestamptz not null default now(), name text not null,
    checksum text not null)`
  const recorded = new Set((yield* requireUpgradable(migrations)).map(({ id }) => id))
  const done: Array<readonly [id: number, name: string]> = []
  const waiting = listed(migrations).filter(({ id }) => !recorded.has(id))
  if (waiting.length > 0) yield* Effect.logInfo(`Applying migrations: ${waiting.map(({ id }) => id).join(", ")}`)
  for (const pending of waiting) {
    const { id, migration, name } = pending
    if (!migration.besidePrevious && recorded.size > 0) yield* requireAlone(id)
    yield* migration.kind === "transaction"
      ? applyTransaction(pending, migration.statements)
      : applyIndexes(pending, migration)
    done.push([id, name])
  }
  return done
})

/** Returns the applied migrations. Instances that start together wait for the one that applies them. */
export const runMigrations = (migrations: Migrations) =>
  inTurn(applyPending(migrations)).pipe(
    Effect.tap((applied) =>
      applied.length === 0 ? Effect.void : Effect.logInfo(`Migrations applied: ${applied.map(([id]) => id).join(", ")}`)
    ),
    Effect.catchTag("SqlError", Effect.die),
    Effect.withSpan("migrate")
  )

export const migrations = {
  "0001_platform": platform,
  "0002_people": people,
  "0003_providers": providers,
  "0004_money": money,
  "0005_payments": payments,
  "0006_settlement": settlement,
  "0007_treasury": treasury,
  "0008_webhooks": webhooks,
  "0009_operations": operations
}

export const migrate = runMigrations(migrations)

/** Migrates up to this migration, for a backup of an older version. */
export const migrateTo = (last: number) =>
  runMigrations(Object.fromEntries(Object.entries(migrations).filter(([name]) => idOf(name) <= last)))
