/** A consistent copy of the whole database, taken while the service works. */
import { rename, rm, stat, writeFile } from "node:fs/promises"
import { Data, Effect, Option, Redacted } from "effect"
import Pg from "pg"
import { hostsOf } from "../config/DatabaseUrl.ts"
import { Settings } from "../config/Settings.ts"
import { withoutLimits } from "../database/Connections.ts"
import { DatabaseServer } from "../database/DatabaseServer.ts"
import { poolHosts, makeFence } from "../database/PrimaryFence.ts"
import { RECORDED, type RecordedMigration } from "../database/Migrations.ts"
import { knownMasterKey } from "../masterKey/MasterKeyGuard.ts"
import { type BackupHeader, writeBackup } from "./BackupFile.ts"
import { copyOut } from "./CopyStreams.ts"
import { dump, majorOf } from "./PgTools.ts"
import { columnNames, tableName, tablesOf } from "./Schema.ts"

export class BackupFailed extends Data.TaggedError("BackupFailed")<{ readonly message: string }> {}

const reasonOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

export const failing =
  (what: string) =>
  (cause: unknown): BackupFailed =>
    new BackupFailed({ message: `${what}: ${reasonOf(cause)}` })

/** A connection of its own, to the primary: the limits of the pool's are for requests. */
export const connected = Effect.gen(function* () {
  const urls = hostsOf((yield* DatabaseServer).url)
  return yield* Effect.acquireRelease(
    Effect.tryPromise({
      try: async () => {
        const { Client } = poolHosts(urls, { kind: "primary", fence: makeFence() })
        const client = new Client({ connectionString: urls[0]!, application_name: "corridor backup" })
        // Without a listener, a connection that breaks would end the process.
        client.on("error", () => undefined)
        await new Promise<void>((resolve, reject) => {
          client.connect((error: Error | null | undefined) => (error instanceof Error ? reject(error) : resolve()))
        })
        return client
      },
      catch: failing("The database cannot be reached")
    }),
    (client) => Effect.promise(() => client.end())
  )
})

/** For programs that are told where to go: to the server that is reached by this connection. */
export const reachedBy = (client: Pg.Client) =>
  Effect.map(DatabaseServer, ({ url }) => {
    const isIt = (connectionString: string): boolean => {
      const { host, port } = new Pg.Client({ connectionString })
      return host === client.host && port === client.port
    }
    return hostsOf(url).find(isIt) ?? Redacted.value(url)
  })

export type Means = "pg_dump" | "copy"

export const serverMajor = async (client: Pg.Client): Promise<number> => {
  const { rows } = await client.query<{ version: number }>(
    "select current_setting('server_version_num')::int as version"
  )
  return Math.trunc((rows[0]?.version ?? 0) / 10_000)
}

/** pg_dump where it is installed and not older than the server, else COPY, which needs nothing. */
const meansFor = Effect.fnUntraced(function* (client: Pg.Client, wanted: Option.Option<Means>) {
  if (Option.contains(wanted, "copy")) return "copy" as const
  const [tool, server] = yield* Effect.promise(() => Promise.all([majorOf("pg_dump"), serverMajor(client)]))
  const isUsable = tool !== undefined && tool >= server
  if (isUsable) return "pg_dump" as const
  if (Option.isNone(wanted)) return "copy" as const
  const found = tool === undefined ? "is not installed" : `is of version ${tool}`
  return yield* new BackupFailed({ message: `pg_dump ${found}, and the server of ${server}: leave --by out.` })
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

const exists = (path: string) =>
  Effect.promise(() =>
    stat(path).then(
      () => true,
      () => false
    )
  )

/** The key that nobody has set is kept beside the copy: without it, what is sealed in the copy is lost. */
const keepKey = Effect.fnUntraced(function* (path: string) {
  const { masterKey } = yield* Settings
  if (Option.isSome(masterKey)) return Option.none<string>()
  const known = yield* Effect.orDie(knownMasterKey)
  if (Option.isNone(known)) return Option.none<string>()
  const text = `${Buffer.from(Redacted.value(known.value.masterKey.key)).toString("hex")}\n`
  const keyFile = `${path}.key`
  yield* Effect.tryPromise({
    try: () => writeFile(keyFile, text, { mode: 0o600, flag: "wx" }),
    catch: failing(`${keyFile} cannot be written`)
  })
  return Option.some(keyFile)
})

const byCopy = (client: Pg.Client, header: BackupHeader, path: string) =>
  Effect.tryPromise({
    try: () =>
      writeBackup(path, header, (table, into) =>
        copyOut(client, `copy (select ${columnNames(table)} from ${tableName(table)}) to stdout`, into)
      ),
    catch: failing(`${path} cannot be written`)
  })

const byDump = Effect.fnUntraced(function* (client: Pg.Client, path: string) {
  const url = yield* reachedBy(client)
  // For its owner alone before anything is in it: pg_dump would make it for everybody.
  yield* Effect.tryPromise({
    try: () => writeFile(path, "", { mode: 0o600, flag: "wx" }),
    catch: failing(`${path} cannot be written`)
  })
  const { code, stderr } = yield* Effect.promise(() => dump(url, path))
  if (code !== 0) return yield* new BackupFailed({ message: `pg_dump failed: ${stderr.trim()}` })
})

/** To a file that is not there yet, and that is not there afterwards either where something goes wrong. */
export const backup = Effect.fn("Backup.backup")(function* (path: string, wanted: Option.Option<Means>) {
  for (const taken of [path, `${path}.key`]) {
    if (yield* exists(taken))
      return yield* new BackupFailed({ message: `${taken} is there already: name another file.` })
  }
  const { version } = yield* Settings
  const client = yield* connected
  const means = yield* meansFor(client, wanted)
  const part = `${path}.part`
  yield* Effect.addFinalizer(() => Effect.promise(() => rm(part, { force: true })))
  // What is read from here on is what was there at one moment.
  const header = yield* Effect.tryPromise({
    try: async () => {
      await client.query("begin isolation level repeatable read read only")
      await client.query(withoutLimits)
      return factsOf(client, version)
    },
    catch: failing("The database cannot be read")
  })
  const rows = means === "copy" ? Option.some(yield* byCopy(client, header, part)) : Option.none()
  if (means === "pg_dump") yield* byDump(client, part)
  const keyFile = yield* keepKey(path)
  const { size } = yield* Effect.tryPromise({
    try: async () => {
      await rename(part, path)
      return stat(path)
    },
    catch: failing(`${path} cannot be written`)
  })
  return { header, keyFile, means, rows, size }
}, Effect.scoped)
