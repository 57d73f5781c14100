/** The durable PostgreSQL of a run, restarted when it dies. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Redacted, Schedule } from "effect"
import type { Client } from "pg"
import { connected } from "./OneConnection.ts"
import { urlOf } from "../../bench/BenchCluster.ts"
import type { Cluster } from "./Patroni.ts"
import { embeddedPostgres } from "../../../src/platform/database/embedded/EmbeddedPostgres.ts"

export interface Postgres {
  readonly port: () => number
  /** URL of the owner, without proxy. */
  readonly ownUrl: () => string
  /** URL for CLI commands, which follows the primary. */
  readonly commandUrl: string
  /** URL of the instances through a proxy, with a role that has limits. */
  readonly urlThrough: (port: number) => string
  readonly postmaster: () => number
  /** Set if there are several nodes. */
  readonly cluster?: Cluster
  /** Runs on a connection of its own. */
  readonly using: <A>(use: (client: Client) => Promise<A>) => Effect.Effect<A>
}

export const chaosDatabase = "chaos"
const ROLE = "chaos_instance"

const restarts = Schedule.spaced("200 millis")

/** PostgreSQL may be restarting. */
const patiently = <A>(url: string, use: (client: Client) => Promise<A>): Promise<A> => connected(url, use, 5_000)

export const startPostgres = (dataDir: string) =>
  Effect.gen(function* () {
    const cluster = Redacted.value((yield* embeddedPostgres({ dataDir, restarts })).url)
    yield* Effect.promise(() =>
      patiently(cluster, async (client) => {
        await client.query(`create role ${ROLE} login password '${ROLE}'`)
        await client.query(`create database ${chaosDatabase} owner ${ROLE}`)
      })
    )
    const ownUrl = urlOf(cluster, chaosDatabase)
    const postgres: Postgres = {
      port: () => Number(new URL(cluster).port),
      ownUrl: () => ownUrl,
      commandUrl: ownUrl,
      urlThrough: (port) => `postgres://${ROLE}:${ROLE}@127.0.0.1:${port}/${chaosDatabase}`,
      postmaster: () => Number.parseInt(readFileSync(join(dataDir, "postgres", "postmaster.pid"), "utf8"), 10),
      using: (use) => Effect.promise(() => patiently(ownUrl, use))
    }
    return postgres
  })

export const administer = (postgres: Postgres, text: string): Effect.Effect<void> =>
  postgres.using(async (client) => void (await client.query(text)))

export const instanceRole = ROLE
