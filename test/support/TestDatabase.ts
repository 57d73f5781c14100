/** A database of one's own in the run's cluster: a copy of the migrated template, or an empty one. Gone with its scope. */
import { Effect, Layer, Redacted } from "effect"
import { Client } from "pg"
import { inject } from "vitest"
import { DatabaseLive } from "../../src/platform/database/Database.ts"
import { DatabaseServer } from "../../src/platform/database/DatabaseServer.ts"
import { databaseName, TEMPLATE, urlOfDatabase } from "./Cluster.ts"

const onCluster = (statement: string) =>
  Effect.promise(async () => {
    const client = new Client({ connectionString: inject("clusterUrl") })
    await client.connect()
    try {
      await client.query(statement)
    } finally {
      await client.end()
    }
  })

const freshDatabase = (options: string) =>
  Effect.acquireRelease(
    Effect.suspend(() => {
      const name = databaseName("test")
      return Effect.as(onCluster(`create database ${name} ${options}`), name)
    }),
    // It takes a checkpoint, for which nobody need wait.
    (name) => Effect.forkDaemon(onCluster(`drop database ${name} with (force)`))
  ).pipe(Effect.map((name) => urlOfDatabase(inject("clusterUrl"), name)))

const serverOf = (options: string) =>
  Layer.scoped(
    DatabaseServer,
    Effect.map(freshDatabase(options), (url) => ({ url: Redacted.make(url), embedded: false, gone: Effect.never }))
  )

/** A migrated copy that nobody is connected to yet. */
export const TestDatabaseServer = serverOf(`template ${TEMPLATE}`)

/** Connected to a migrated copy; needs Settings for the size of its pool. */
export const TestDatabase = DatabaseLive.pipe(Layer.provideMerge(TestDatabaseServer))

/** Connected to a database without any table of ours. */
export const EmptyDatabase = DatabaseLive.pipe(Layer.provideMerge(serverOf("")))
