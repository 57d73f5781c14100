/** One durable PostgreSQL in a temporary folder for all servers of a run. */
import { chmod, mkdtemp, rm, statfs } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Redacted } from "effect"
import { Client, Pool } from "pg"
import { embeddedPostgres } from "../../src/platform/database/embedded/EmbeddedPostgres.ts"
import { BenchFailed } from "./BenchFailed.ts"

const TMPFS = 0x01021994

export const temporaryFolder = (name: string) =>
  Effect.acquireRelease(
    Effect.promise(async () => {
      const folder = await mkdtemp(join(tmpdir(), `corridor-${name}-`))
      // PostgreSQL runs as another user if we are root.
      await chmod(folder, 0o755)
      return folder
    }),
    (folder) => Effect.promise(() => rm(folder, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 }))
  )

export const urlOf = (clusterUrl: string, database: string): string => {
  const url = new URL(clusterUrl)
  url.pathname = `/${database}`
  return url.toString()
}

export const poolOn = (url: string) =>
  Effect.acquireRelease(
    Effect.sync(() => new Pool({ connectionString: url, max: 1, application_name: "bench" })),
    (pool) => Effect.promise(() => pool.end())
  )

export const statement = (url: string, text: string) =>
  Effect.promise(async () => {
    const client = new Client({ connectionString: url })
    await client.connect()
    try {
      await client.query(text)
    } finally {
      await client.end()
    }
  })

export interface Durability {
  readonly version: string
  readonly fsync: string
  readonly synchronousCommit: string
  readonly fullPageWrites: string
}

const durabilityOf = (url: string) =>
  Effect.scoped(
    Effect.flatMap(poolOn(url), (pool) =>
      Effect.promise(async () => {
        const { rows } = await pool.query<Durability>(`select current_setting('server_version') as version,
          current_setting('fsync') as fsync, current_setting('synchronous_commit') as "synchronousCommit",
          current_setting('full_page_writes') as "fullPageWrites"`)
        return rows[0]!
      })
    )
  )

/** The cluster of a folder with its own settings. */
export const clusterIn = (folder: string) =>
  Effect.map(embeddedPostgres({ dataDir: folder }), ({ url }) => ({ url: Redacted.value(url) }))

/** Fails unless commits wait for a disk. */
export const durableCluster = (folder: string) =>
  Effect.gen(function* () {
    const { type } = yield* Effect.promise(() => statfs(folder))
    if (type === TMPFS) {
      return yield* new BenchFailed({ message: `${folder} is in memory: set TMPDIR to a folder on a disk.` })
    }
    const { url } = yield* clusterIn(folder)
    const durability = yield* durabilityOf(url)
    const { fsync, fullPageWrites, synchronousCommit } = durability
    if ([fsync, synchronousCommit, fullPageWrites].some((setting) => setting !== "on")) {
      return yield* new BenchFailed({ message: `PostgreSQL is not durable: ${JSON.stringify(durability)}.` })
    }
    return { url, durability }
  })
