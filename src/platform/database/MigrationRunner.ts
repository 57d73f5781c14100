/**
 * Applies migrations while instances serve: one runner at a time, one transaction for each migration, indexes concurrently.
 * A lock that is not granted at once is given up and asked for again, so that no statement queues behind the migration.
 */
import { SqlClient, SqlError } from "@effect/sql"
import { Data, Duration, Effect, Option, Schema, type Scope } from "effect"
import { migrationLockTimeout, migrationRetry, migrationTurn } from "../../domain/policies/Database.ts"
import { sessionLimits, sessionWithoutLimits, withoutLimits } from "./Connections.ts"
import type { Migration } from "./Migration.ts"
import { rowAs, rowsAs, theRowAs } from "./Rows.ts"
import { LOCK_TIMEOUT, sqlReasonOf, sqlStateOf } from "./Setback.ts"

export type Migrations = Readonly<Record<string, Migration>>

export type AppliedMigration = readonly [id: number, name: string]

/** The migration cannot be applied as things are. The message says what to do. */
export class MigrationRefused extends Data.TaggedError("MigrationRefused")<{ readonly message: string }> {}

const TABLE = "corridor_migrations"

/** Any number will do, as long as every instance takes the same. */
const LOCK = 7_402_118_613

const DEADLOCK = "40P01"
const STATEMENT_TIMEOUT = "57014"

const NAME = "corridor schema "

/** What connections of a version call themselves: the last migration that the version knows. */
export const applicationName = (migrations: Migrations): string =>
  `${NAME}${Math.max(0, ...Object.keys(migrations).map(idOf))}`

const idOf = (name: string): number => Number.parseInt(name, 10)

const turnRow = theRowAs(Schema.Struct({ taken: Schema.Boolean }))
const idRows = rowsAs(Schema.Struct({ id: Schema.Number }))
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

const inTurn = <A, E, R>(
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, E | SqlError.SqlError, Exclude<R, Scope.Scope> | SqlClient.SqlClient> =>
  Effect.scoped(
    Effect.flatMap(takeTurn, (taken) => (taken ? Effect.asSome(effect) : Effect.succeed(Option.none<A>())))
  ).pipe(
    Effect.flatMap(
      Option.match({
        onNone: () =>
          Effect.delay(
            Effect.suspend(() => inTurn(effect)),
            migrationTurn
          ),
        onSome: Effect.succeed
      })
    )
  )

const note = ([id, name]: AppliedMigration) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`insert into ${sql(TABLE)} (migration_id, name) values (${id}, ${name})`
  )

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

const isBlocked = (error: SqlError.SqlError): boolean => {
  const state = sqlStateOf(error)
  return state === LOCK_TIMEOUT || state === DEADLOCK
}

const applyTransaction = (
  migration: AppliedMigration,
  change: Effect.Effect<unknown, SqlError.SqlError, SqlClient.SqlClient>
) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.withTransaction(
      Effect.all([
        sql.unsafe(withoutLimits),
        sql.unsafe(`set local lock_timeout = ${Duration.toMillis(migrationLockTimeout)}`),
        change,
        note(migration)
      ])
    )
  ).pipe(
    Effect.tapError((error) =>
      isBlocked(error)
        ? Effect.flatMap(oldestTransaction, (oldest) =>
            Effect.logWarning(`Migration ${migration[0]} waits for a lock (${sqlReasonOf(error)}).${oldest}`)
          )
        : Effect.void
    ),
    Effect.retry({ while: isBlocked, schedule: migrationRetry })
  )

/** An index that an interrupted build left behind is not valid: it is dropped and built anew. */
const applyIndexes = (migration: AppliedMigration, { create, drop }: Extract<Migration, { kind: "indexes" }>) =>
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
    Effect.zipRight(note(migration)),
    Effect.catchIf(
      (error) => error instanceof SqlError.SqlError && sqlStateOf(error) === STATEMENT_TIMEOUT,
      () =>
        new MigrationRefused({
          message:
            `Migration ${migration[0]} builds an index, for which the pooler's time limit is too short. ` +
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

const pendingOf = (migrations: Migrations) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const rows = yield* sql`select migration_id as id from ${sql(TABLE)}`.pipe(Effect.flatMap(idRows))
    const applied = new Set(rows.map(({ id }) => id))
    return Object.entries(migrations)
      .map(([file, migration]) => ({ id: idOf(file), name: file.slice(file.indexOf("_") + 1), migration, applied }))
      .filter(({ id }) => !applied.has(id))
      .toSorted((a, b) => a.id - b.id)
  })

const applyPending = Effect.fnUntraced(function* (migrations: Migrations) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`create table if not exists ${sql(TABLE)} (
    migration_id integer primary key, created_at timestamptz not null default now(), name text not null)`
  const pending = yield* pendingOf(migrations)
  const done: Array<AppliedMigration> = []
  for (const { applied, id, migration, name } of pending) {
    if (!migration.besidePrevious && applied.size > 0) yield* requireAlone(id)
    yield* migration.kind === "transaction"
      ? applyTransaction([id, name], migration.change)
      : applyIndexes([id, name], migration)
    done.push([id, name])
  }
  return done
})

/** Answers with the migrations that were missing. Instances that start together wait for the one that applies them. */
export const runMigrations = (migrations: Migrations) =>
  inTurn(applyPending(migrations)).pipe(
    Effect.tap((applied) =>
      applied.length === 0 ? Effect.void : Effect.logInfo(`Migrations applied: ${applied.map(([id]) => id).join(", ")}`)
    ),
    Effect.catchTag("SqlError", Effect.die),
    Effect.withSpan("migrate")
  )
