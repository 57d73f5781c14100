/** A database of one's own in the run's cluster: a copy of the migrated template, or an empty one. Gone with its scope. */
import { Effect, Layer, Redacted } from "effect"
import { inject } from "vitest"
import { DatabaseLive } from "../../src/platform/database/Database.ts"
import { DatabaseServer } from "../../src/platform/database/DatabaseServer.ts"
import { urlOfDatabase } from "./Cluster.ts"
import { createEmptyDatabase, dropDatabase, lendDatabase, returnDatabase } from "./OwnDatabase.ts"

const serverOf = (acquire: () => Promise<string>, release: (name: string) => void) =>
  Layer.scoped(
    DatabaseServer,
    Effect.acquireRelease(Effect.promise(acquire), (name) => Effect.sync(() => release(name))).pipe(
      Effect.map((name) => ({
        url: Redacted.make(urlOfDatabase(inject("clusterUrl"), name)),
        embedded: false,
        gone: Effect.never
      }))
    )
  )

/** A migrated copy that nobody is connected to yet. */
export const TestDatabaseServer = serverOf(lendDatabase, returnDatabase)

/** Connected to a migrated copy; needs Settings for the size of its pool. */
export const TestDatabase = DatabaseLive.pipe(Layer.provideMerge(TestDatabaseServer))

/** It takes a checkpoint, for which nobody need wait. */
const dropInPassing = (name: string) => void dropDatabase(name)

/** Connected to a database without any table of ours. */
export const EmptyDatabase = DatabaseLive.pipe(Layer.provideMerge(serverOf(createEmptyDatabase, dropInPassing)))
