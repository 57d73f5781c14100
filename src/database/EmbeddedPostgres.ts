/**
 * The PostgreSQL that runs when no DATABASE_URL is set: a cluster in DATA_DIR, started by the first process that needs
 * it, joined by the next ones, and stopped by the last one to leave.
 */
import { Effect, Option, Redacted, Ref, type Scope } from "effect"
import { embeddedReadiness } from "../domain/Policies.ts"
import { openDataFolder } from "./embedded/DataFolder.ts"
import { ELSEWHERE, EmbeddedPostgresError } from "./embedded/EmbeddedPostgresError.ts"
import { ensureCluster } from "./embedded/InitDb.ts"
import { readPassword } from "./embedded/Password.ts"
import { poll } from "./embedded/Poll.ts"
import { DATABASE } from "./embedded/Presence.ts"
import { logTail, type Server } from "./embedded/Server.ts"
import { abandon, look, type Start } from "./embedded/Start.ts"

export { EmbeddedPostgresError }
export { hasCluster } from "./embedded/InitDb.ts"

const tooSlow = ({ folder, problem, server }: Start): Effect.Effect<never, EmbeddedPostgresError> =>
  Effect.gen(function* () {
    const launched = yield* Ref.getAndSet(server, Option.none())
    const tail = yield* logTail(folder, Option.match(launched, { onNone: () => 0, onSome: (one) => one.logStart }))
    return yield* new EmbeddedPostgresError({
      message:
        `The embedded PostgreSQL in ${folder.cluster} is not ready after 30 seconds (${yield* Ref.get(problem)}). ` +
        `The end of its log, ${folder.logFile}:\n${tail}\n` +
        `It may be recovering from a crash: it goes on, and the next start joins it. Or ${ELSEWHERE}.`
    })
  })

/** Starts (or joins) the cluster in <dataDir>/postgres; the scope's end stops it when nobody else uses it. */
export const embeddedPostgres = (options: {
  readonly dataDir: string
}): Effect.Effect<
  { readonly url: Redacted.Redacted<string>; readonly started: boolean },
  EmbeddedPostgresError,
  Scope.Scope
> =>
  Effect.gen(function* () {
    const folder = yield* openDataFolder(options.dataDir)
    yield* ensureCluster(folder)
    const start: Start = {
      folder,
      password: yield* readPassword(folder),
      server: yield* Ref.make(Option.none<Server>()),
      problem: yield* Ref.make("no connection yet")
    }
    const joined = yield* poll(look(start), embeddedReadiness).pipe(Effect.onError(() => abandon(start)))
    if (Option.isNone(joined)) return yield* tooSlow(start)
    const { pid, port } = joined.value
    const launched = yield* Ref.get(start.server)
    return {
      url: Redacted.make(`postgresql://postgres:${start.password}@127.0.0.1:${port}/${DATABASE}`),
      started: Option.exists(launched, (server) => server.pid === pid)
    }
  }).pipe(Effect.withSpan("embeddedPostgres"))
