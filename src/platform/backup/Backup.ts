/** A consistent copy of the whole database, taken while the service works. */
import { existsSync } from "node:fs"
import { rename, rm, stat, writeFile } from "node:fs/promises"
import { Data, Effect, Option, Redacted } from "effect"
import type Pg from "pg"
import { hostsOf } from "../config/DatabaseUrl.ts"
import { Settings } from "../config/Settings.ts"
import { withoutLimits } from "../database/Connections.ts"
import { DatabaseServer } from "../database/DatabaseServer.ts"
import { poolHosts, makeFence } from "../database/PrimaryFence.ts"
import { RECORDED, type RecordedMigration } from "../database/Migrations.ts"
import { knownMasterKey } from "../masterKey/MasterKeyGuard.ts"
import { type BackupHeader, writeBackup } from "./BackupFile.ts"
import { copyOut, tablesOf } from "./BackupTables.ts"
import { traced } from "../observability/Spans.ts"

export class BackupFailed extends Data.TaggedError("BackupFailed")<{ readonly message: string }> {}

/** `what`: beginning of the message of a failure. */
export const attempt = <A>(what: string, run: () => Promise<A>): Effect.Effect<A, BackupFailed> =>
  Effect.tryPromise({
    try: run,
    catch: (cause) =>
      new BackupFailed({ message: `${what}: ${cause instanceof Error ? cause.message : String(cause)}` })
  })

/** Own connection to the primary, without the time limits of the pool. */
export const connected = Effect.gen(function* () {
  const urls = hostsOf((yield* DatabaseServer).url)
  return yield* Effect.acquireRelease(
    attempt("The database cannot be reached", async () => {
      const { Client } = poolHosts(urls, { kind: "primary", fence: makeFence() })
      const client = new Client({ connectionString: urls[0]!, application_name: "corridor backup" })
      // Without a listener, a connection that breaks would end the process.
      client.on("error", () => undefined)
      await new Promise<void>((resolve, reject) => {
        client.connect((error: Error | null | undefined) => (error instanceof Error ? reject(error) : resolve()))
      })
      return client
    }),
    (client) => Effect.promise(() => client.end())
  )
})

const factsOf = async (client: Pg.Client, version: string): Promise<BackupHeader> => {
  const { rows } = await client.query<Pick<BackupHeader, "database_id" | "key_id" | "taken_at">>(
    `select (select database_id::text from database_identity) as database_id, (select key_id from master_key) as key_id,
      to_json(now()) #>> '{}' as taken_at`
  )
  const { rows: migrations } = await client.query<RecordedMigration>(RECORDED)
  return {
    corridor_backup: 2,
    version,
    database_id: rows[0]?.database_id ?? null,
    key_id: rows[0]?.key_id ?? null,
    taken_at: rows[0]?.taken_at ?? "",
    migrations,
    tables: await tablesOf(client)
  }
}

/** Writes a generated master key beside the backup: without it the secrets in the backup are lost. */
const keepKey = Effect.fnUntraced(function* (path: string) {
  const { masterKey } = yield* Settings
  if (Option.isSome(masterKey)) return Option.none<string>()
  const known = yield* Effect.orDie(knownMasterKey)
  if (Option.isNone(known)) return Option.none<string>()
  const text = `${Buffer.from(Redacted.value(known.value.masterKey.key)).toString("hex")}\n`
  const keyFile = `${path}.key`
  yield* attempt(`${keyFile} cannot be written`, () => writeFile(keyFile, text, { mode: 0o600, flag: "wx" }))
  return Option.some(keyFile)
})

/** Writes a backup to a new file. A failed backup leaves no file. */
export const backup = traced("Backup.backup")(function* (path: string) {
  for (const taken of [path, `${path}.key`]) {
    if (existsSync(taken)) return yield* new BackupFailed({ message: `${taken} exists already: name another file.` })
  }
  const { version } = yield* Settings
  const client = yield* connected
  const part = `${path}.part`
  yield* Effect.addFinalizer(() => Effect.promise(() => rm(part, { force: true })))
  // One snapshot for all tables.
  const header = yield* attempt("The database cannot be read", async () => {
    await client.query("begin isolation level repeatable read read only")
    await client.query(withoutLimits)
    return factsOf(client, version)
  })
  const rows = yield* attempt(`${path} cannot be written`, () =>
    writeBackup(part, header, (table, into) => copyOut(client, table, into))
  )
  const keyFile = yield* keepKey(path)
  const { size } = yield* attempt(`${path} cannot be written`, async () => {
    await rename(part, path)
    return stat(path)
  })
  return { header, keyFile, rows, size }
}, Effect.scoped)
