/**
 * The PostgreSQL that runs when no DATABASE_URL is set: a cluster in DATA_DIR, started by the first process that needs
 * it, joined by the next ones, and stopped by the last one to leave.
 */
import { Effect, Fiber, Option, Redacted, Ref, type Scope } from "effect"
import { embeddedLeavesWithin, embeddedRestarts } from "../../domain/policies/EmbeddedDatabase.ts"
import { endWithin } from "../fibers/Shutdown.ts"
import { openDataFolder } from "./embedded/DataFolder.ts"
import { EmbeddedPostgresError } from "./embedded/EmbeddedPostgresError.ts"
import { ensureCluster } from "./embedded/InitDb.ts"
import { join, keepUp, type Restarts } from "./embedded/KeepUp.ts"
import { readPassword } from "./embedded/Password.ts"
import { DATABASE } from "./embedded/Presence.ts"
import type { Server } from "./embedded/Server.ts"
import { type Joined, leave, type Start } from "./embedded/Start.ts"

export { EmbeddedPostgresError }
export { hasCluster } from "./embedded/InitDb.ts"

export interface EmbeddedPostgres {
  readonly url: Redacted.Redacted<string>
  /** Whether this process has started it. */
  readonly started: boolean
  /** Fails when it has died and could not be brought back. */
  readonly gone: Effect.Effect<never, EmbeddedPostgresError>
}

const leaveAtTheEnd = (start: Start) =>
  Effect.addFinalizer(() =>
    Effect.flatMap(
      Ref.get(start.joined),
      Option.match({
        onNone: () => Effect.void,
        onSome: (joined) =>
          leave(start, joined).pipe(
            endWithin(embeddedLeavesWithin, () => "the embedded PostgreSQL, which may go on"),
            Effect.asVoid
          )
      })
    )
  )

/** Starts (or joins) the cluster in <dataDir>/postgres; the scope's end stops it when nobody else uses it. */
export const embeddedPostgres = (options: {
  readonly dataDir: string
  readonly restarts?: Restarts
}): Effect.Effect<EmbeddedPostgres, EmbeddedPostgresError, Scope.Scope> =>
  Effect.gen(function* () {
    const folder = yield* openDataFolder(options.dataDir)
    yield* ensureCluster(folder)
    const start: Start = {
      folder,
      password: yield* readPassword(folder),
      server: yield* Ref.make(Option.none<Server>()),
      joined: yield* Ref.make(Option.none<Joined>()),
      brokenSince: yield* Ref.make(Option.none<number>()),
      problem: yield* Ref.make("no connection yet")
    }
    yield* leaveAtTheEnd(start)
    const joined = yield* join(start)
    const watcher = yield* Effect.forkScoped(keepUp(start, joined, options.restarts ?? embeddedRestarts))
    const launched = yield* Ref.get(start.server)
    return {
      url: Redacted.make(`postgresql://postgres:${start.password}@127.0.0.1:${joined.port}/${DATABASE}`),
      started: Option.exists(launched, (server) => server.pid === joined.pid),
      gone: Fiber.join(watcher)
    }
  }).pipe(Effect.withSpan("embeddedPostgres"))
