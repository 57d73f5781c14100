/** Fills an empty database from a backup, of this version or an older one, and brings it up to date. */
import { Effect, Option } from "effect"
import type Pg from "pg"
import { sessionWithoutLimits, withoutLimits } from "../database/Connections.ts"
import {
  compareHistory,
  MIGRATIONS_TABLE,
  type RecordedMigration,
  migrate,
  migrateTo,
  migrations
} from "../database/Migrations.ts"
import { recordServer } from "../database/DatabaseServer.ts"
import { currentMasterKey, guardMasterKey, keptMasterKey, knownMasterKey } from "../masterKey/MasterKeyGuard.ts"
import { BackupFailed, connected, failing, reachedBy, serverMajor } from "./Backup.ts"
import { type BackupHeader, type BackupTable, kindOfBackup, readBackup, readHeader } from "./BackupFile.ts"
import { copyIn } from "./CopyStreams.ts"
import { majorOf, restoreDump, tableInDump } from "./PgTools.ts"
import { columnNames, isEmpty, leavingTable, makeEmpty, referencesOf, tableName } from "./Schema.ts"

const refuse = (message: string) => new BackupFailed({ message })

const known = Object.keys(migrations).map((name) => Number.parseInt(name, 10))

/** Any number will do, as long as every restore takes the same. */
const LOCK = 7_402_118_616

/** One at a time, and nowhere but where nothing is. */
const requireEmpty = Effect.fnUntraced(function* (client: Pg.Client) {
  const { free, empty } = yield* Effect.tryPromise({
    try: async () => {
      const { rows } = await client.query<{ free: boolean }>(`select pg_try_advisory_lock(${LOCK}) as free`)
      return { free: rows[0]?.free === true, empty: await isEmpty(client) }
    },
    catch: failing("The database cannot be read")
  })
  if (!free) return yield* refuse("Somebody else restores into this database at this moment.")
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
  const lacking = known.filter((id) => id <= last && !ids.includes(id))
  if (last === 0 || lacking.length > 0) return yield* refuse("The backup does not say which version's tables it holds.")
  return last
})

const sealed = (keyId: string, own: string) =>
  refuse(
    `The secrets of this backup are sealed under master key ${keyId}, but this process has ${own}. ` +
      "Set CORRIDOR_MASTER_KEY to the key of then; where none was set, the file beside the backup that ends in .key has it."
  )

/** Before anything is written: secrets that nobody can open are found out about too late. */
const requireKey = Effect.fnUntraced(function* (keyId: string | null) {
  const own = yield* Effect.orDie(knownMasterKey)
  if (keyId === null || Option.isNone(own) || own.value.masterKey.id === keyId) return
  return yield* sealed(keyId, `master key ${own.value.masterKey.id}`)
})

const fill = async (client: Pg.Client, path: string, tables: ReadonlyArray<BackupTable>) => {
  const references = await referencesOf(client)
  const each = async (statement: (table: BackupTable) => string) => {
    for (const table of tables) await client.query(statement(table))
  }
  await client.query("begin")
  await client.query(withoutLimits)
  // Months that had left their table and were in no file yet: no migration makes them.
  for (const statement of tables.flatMap(leavingTable)) await client.query(statement)
  // What the migrations have written is in the backup too, and what triggers would write.
  await client.query(`truncate ${tables.map(tableName).join(", ")}`)
  await each((table) => `alter table ${tableName(table)} disable trigger user`)
  for (const { drop } of references) await client.query(drop)
  const rows = await readBackup(path, (table, source) =>
    copyIn(client, `copy ${tableName(table)} (${columnNames(table)}) from stdin`, source)
  )
  for (const { add } of references) await client.query(add)
  await each((table) => `alter table ${tableName(table)} enable trigger user`)
  await client.query("commit")
  return rows
}

type Rows = Readonly<Record<string, number>>

const requireCopy = Effect.fnUntraced(function* (header: BackupHeader) {
  const last = yield* requireKnown(header.migrations)
  yield* requireKey(header.key_id)
  return { header, last }
})

const requireDump = Effect.fnUntraced(function* (client: Pg.Client, path: string) {
  const [tool, server] = yield* Effect.promise(() => Promise.all([majorOf("pg_restore"), serverMajor(client)]))
  if (tool === undefined) return yield* refuse("This backup was made by pg_dump: install pg_restore, which reads it.")
  const applied = yield* Effect.promise(() => tableInDump(path, MIGRATIONS_TABLE))
  yield* requireKnown(applied.map(([id, , name = "", checksum = null]) => ({ id: Number(id), name, checksum })))
  const [key] = yield* Effect.promise(() => tableInDump(path, "master_key"))
  yield* requireKey(key?.find((value) => /^[0-9a-f]{8}$/.test(value)) ?? null)
  return { url: yield* reachedBy(client), tool, server }
})

const writeCopy = Effect.fnUntraced(function* (
  client: Pg.Client,
  path: string,
  { header, last }: Effect.Effect.Success<ReturnType<typeof requireCopy>>
) {
  yield* migrateTo(last)
  const rows: Rows = yield* Effect.tryPromise({
    try: () => fill(client, path, header.tables),
    catch: failing("Nothing was restored")
  })
  return Option.some(rows)
})

const writeDump = Effect.fnUntraced(function* (
  path: string,
  { server, tool, url }: Effect.Effect.Success<ReturnType<typeof requireDump>>
) {
  const { code, stderr } = yield* Effect.promise(() => restoreDump(url, path))
  if (code === 0) return Option.none<Rows>()
  return yield* refuse(`Nothing was restored: pg_restore ${tool} on PostgreSQL ${server} says: ${stderr.trim()}`)
})

const takeBack = (client: Pg.Client) =>
  Effect.tryPromise({
    try: async () => {
      await client.query("rollback")
      await client.query(makeEmpty)
    },
    catch: failing("What had been restored could not be taken back: drop the database, and make it anew")
  }).pipe(Effect.catchAll(({ message }) => Effect.logError(message)))

/** Where no key was set, the backup itself may hold the one in force, which is known only once it is there. */
const tied = Effect.flatMap(currentMasterKey, (key) =>
  Effect.catchTag(guardMasterKey(key), "OtherMasterKey", () =>
    Effect.flatMap(
      Effect.orDie(keptMasterKey),
      Option.match({
        onNone: () => refuse("The backup does not say which master key it belongs to."),
        onSome: ({ key_id }) => sealed(key_id, "none: CORRIDOR_MASTER_KEY is not set")
      })
    )
  )
)

/** Told after each table: so many of so many. */
type Told = (done: number, total: number) => Effect.Effect<void>

/** No backup has statistics. Without them PostgreSQL guesses how to read large tables, until autovacuum has analysed them. */
const analyse = Effect.fnUntraced(function* (client: Pg.Client, analysed: Told) {
  const query = (text: string) =>
    Effect.tryPromise({
      try: () => client.query<{ name: string }>(text),
      catch: failing("Everything is restored, but the tables cannot be analysed: run vacuumdb --analyze-only")
    })
  yield* query(sessionWithoutLimits)
  const { rows } = yield* query(`select oid::regclass::text as name from pg_class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition order by oid`)
  for (const [place, { name }] of rows.entries()) {
    yield* query(`analyze ${name}`)
    yield* analysed(place + 1, rows.length)
  }
})

/** The database is then as it was, analysed, brought up to date, and tied to the master key of this process. */
export const restore = Effect.fn("Restore.restore")(function* (path: string, analysed: Told) {
  const kind = yield* Effect.tryPromise({ try: () => kindOfBackup(path), catch: failing(`${path} cannot be read`) })
  if (kind === "unknown") return yield* refuse(`${path} is not a backup of Corridor.`)
  const header =
    kind === "copy"
      ? Option.some(
          yield* Effect.tryPromise({ try: () => readHeader(path), catch: failing(`${path} cannot be restored`) })
        )
      : Option.none<BackupHeader>()
  const client = yield* connected
  yield* requireEmpty(client)
  const write = Option.isSome(header)
    ? writeCopy(client, path, yield* requireCopy(header.value))
    : writeDump(path, yield* requireDump(client, path))
  const { applied, rows } = yield* Effect.onError(
    Effect.gen(function* () {
      const written = yield* write
      const later = yield* migrate
      yield* tied
      yield* recordServer
      return { applied: later, rows: written }
    }),
    () => takeBack(client)
  )
  yield* analyse(client, analysed)
  return { applied, header, rows }
}, Effect.scoped)
