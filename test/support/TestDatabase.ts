/** A database in the run's cluster: a copy of the migrated template, or an empty one. */
import { Effect, Layer, Redacted } from "effect"
import { inject } from "vitest"
import { DatabaseLive } from "../../src/platform/database/Database.ts"
import { DatabaseServer } from "../../src/platform/database/DatabaseServer.ts"
import { urlOfDatabase } from "./TestCluster.ts"
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

export const TestDatabaseServer = serverOf(lendDatabase, returnDatabase)

/** Connected; needs Settings for the pool size. */
export const TestDatabase = DatabaseLive.pipe(Layer.provideMerge(TestDatabaseServer))

/** Not awaited: it takes a checkpoint. */
const dropInPassing = (name: string) => void dropDatabase(name)

export const EmptyDatabase = DatabaseLive.pipe(Layer.provideMerge(serverOf(createEmptyDatabase, dropInPassing)))
