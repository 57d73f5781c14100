/** Fills an empty database from a backup, of this version or an older one, and brings it up to date. */
import { Effect, Option } from "effect"
import type Pg from "pg"
import { sessionWithoutLimits, withoutLimits } from "../database/Connections.ts"
import { compareHistory, type RecordedMigration, migrate, migrateTo, migrations } from "../database/Migrations.ts"
import { recordServer } from "../database/DatabaseServer.ts"
import { currentMasterKey, guardMasterKey, keptMasterKey, knownMasterKey } from "../masterKey/MasterKeyGuard.ts"
import { attempt, BackupFailed, connected } from "./Backup.ts"
import { type BackupTable, kindOfBackup, readBackup, readHeader } from "./BackupFile.ts"
import { copyIn, detachedTable, isEmpty, makeEmpty, referencesOf, tableName } from "./BackupTables.ts"
import { traced } from "../observability/Spans.ts"

const refuse = (message: string) => new BackupFailed({ message })

/** Advisory lock of a restore. */
const LOCK = 7_402_118_616

/** Requires an empty database and no other restore. */
const requireEmpty = Effect.fnUntraced(function* (client: Pg.Client) {
  const { free, empty } = yield* attempt("The database cannot be read", async () => {
    const { rows } = await client.query<{ free: boolean }>(`select pg_try_advisory_lock(${LOCK}) as free`)
    return { free: rows[0]?.free === true, empty: await isEmpty(client) }
  })
  if (!free) return yield* refuse("Another restore into this database is running.")
  if (!empty)
    return yield* refuse("This database is not empty: a backup is restored into a new one, and replaces nothing.")
})

const requireKnown = Effect.fnUntraced(function* (applied: ReadonlyArray<RecordedMigration>) {
  const ids = applied.map(({ id }) => id)
  const last = Math.max(0, ...ids)
  const history = compareHistory(migrations, applied)
  if (history === "other") {
    return yield* refuse("An earlier version of Corridor has made this backup, and there is no upgrade from it.")
  }
  if (history === "newer") {
    return yield* refuse(`A newer version of Corridor has made this backup (migration ${last}): update this one first.`)
  }
  const known = Object.keys(migrations).map((name) => Number.parseInt(name, 10))
  if (last === 0 || known.some((id) => id <= last && !ids.includes(id)))
    return yield* refuse("The backup does not say which version's tables it holds.")
  return last
})

const otherKey = (keyId: string, own: string) =>
  refuse(
    `The secrets of this backup are encrypted under master key ${keyId}, but this process has ${own}. ` +
      "Set CORRIDOR_MASTER_KEY to the key of then; where none was set, the file beside the backup that ends in .key has it."
  )

/** Refuses another master key before anything is written. */
const requireKey = Effect.fnUntraced(function* (keyId: string | null) {
  const own = yield* Effect.orDie(knownMasterKey)
  if (keyId === null || Option.isNone(own) || own.value.masterKey.id === keyId) return
  return yield* otherKey(keyId, `master key ${own.value.masterKey.id}`)
})

const fill = async (client: Pg.Client, path: string, tables: ReadonlyArray<BackupTable>) => {
  const references = await referencesOf(client)
  const each = async (statement: (table: BackupTable) => string) => {
    for (const table of tables) await client.query(statement(table))
  }
  await client.query("begin")
  await client.query(withoutLimits)
  // Detached partitions that were not archived yet: no migration creates them.
  for (const statement of tables.flatMap(detachedTable)) await client.query(statement)
  // Rows that migrations and triggers write are in the backup too.
  await client.query(`truncate ${tables.map(tableName).join(", ")}`)
  await each((table) => `alter table ${tableName(table)} disable trigger user`)
  for (const { drop } of references) await client.query(drop)
  const rows = await readBackup(path, (table, source) => copyIn(client, table, source))
  for (const { add } of references) await client.query(add)
  await each((table) => `alter table ${tableName(table)} enable trigger user`)
  await client.query("commit")
  return rows
}

const takeBack = (client: Pg.Client) =>
  attempt("The restored tables could not be removed: drop the database and create it again", async () => {
    await client.query("rollback")
    await client.query(makeEmpty)
  }).pipe(Effect.catchAll(({ message }) => Effect.logError(message)))

/** Checks the master key after the rows are there: a backup may hold the generated key. */
const requireMasterKey = Effect.flatMap(currentMasterKey, (key) =>
  Effect.catchTag(guardMasterKey(key), "OtherMasterKey", () =>
    Effect.flatMap(
      Effect.orDie(keptMasterKey),
      Option.match({
        onNone: () => refuse("The backup does not say which master key it belongs to."),
        onSome: ({ key_id }) => otherKey(key_id, "none: CORRIDOR_MASTER_KEY is not set")
      })
    )
  )
)

/** Reports progress after each table. */
type Progress = (done: number, total: number) => Effect.Effect<void>

/** Analyses all tables: backups hold no statistics, and autovacuum takes minutes. */
const analyse = Effect.fnUntraced(function* (client: Pg.Client, analysed: Progress) {
  const query = (text: string) =>
    attempt("Everything is restored, but the tables cannot be analysed: run vacuumdb --analyze-only", () =>
      client.query<{ name: string }>(text)
    )
  yield* query(sessionWithoutLimits)
  const { rows } = yield* query(`select oid::regclass::text as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition order by oid`)
  for (const [place, { name }] of rows.entries()) {
    yield* query(`analyze ${name}`)
    yield* analysed(place + 1, rows.length)
  }
})

/** Restores the rows, applies later migrations, checks the master key and analyses the tables. */
export const restore = traced("Restore.restore")(function* (path: string, analysed: Progress) {
  const kind = yield* attempt(`${path} cannot be read`, () => kindOfBackup(path))
  if (kind === "unknown") return yield* refuse(`${path} is not a backup of Corridor.`)
  if (kind === "pg_dump") {
    return yield* refuse(`${path} was made by pg_dump: restore it with pg_restore, then run "corridor migrate".`)
  }
  const header = yield* attempt(`${path} cannot be restored`, () => readHeader(path))
  const client = yield* connected
  yield* requireEmpty(client)
  const last = yield* requireKnown(header.migrations)
  yield* requireKey(header.key_id)
  const { applied, rows } = yield* Effect.onError(
    Effect.gen(function* () {
      yield* migrateTo(last)
      const written = yield* attempt("Nothing was restored", () => fill(client, path, header.tables))
      const later = yield* migrate
      yield* requireMasterKey
      yield* recordServer
      return { applied: later, rows: written }
    }),
    () => takeBack(client)
  )
  yield* analyse(client, analysed)
  return { applied, header, rows }
}, Effect.scoped)
