/** The one PostgreSQL of a run: real, durable, brought back by itself when it dies, and at hand for whoever disturbs it. */
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { Effect, Redacted, Schedule } from "effect"
import type { Client } from "pg"
import { connected } from "./Connected.ts"
import { urlOf } from "../../bench/Cluster.ts"
import type { Cluster } from "./Patroni.ts"
import { embeddedPostgres } from "../../../src/platform/database/embedded/EmbeddedPostgres.ts"

export interface Postgres {
  /** Where it is now. */
  readonly port: () => number
  /** As its owner, past every proxy. */
  readonly ownUrl: () => string
  /** The same for those who keep it, wherever it will be. */
  readonly commandUrl: string
  /** As the instances reach it through a proxy at this port: a role that is not exempt from limits. */
  readonly urlThrough: (port: number) => string
  readonly postmaster: () => number
  /** Where there are several, one of them the primary. */
  readonly cluster?: Cluster
  /** On a connection of its own, which ends with the use. */
  readonly using: <A>(use: (client: Client) => Promise<A>) => Effect.Effect<A>
}

export const chaosDatabase = "chaos"
const ROLE = "chaos_instance"

/** Whoever kills it so often wants it back each time. */
const restarts = Schedule.spaced("200 millis")

/** It may just be on its way back. */
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

/** For statements of an administrator. */
export const administer = (postgres: Postgres, text: string): Effect.Effect<void> =>
  postgres.using(async (client) => void (await client.query(text)))

export const instanceRole = ROLE
