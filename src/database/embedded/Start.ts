/** The way to a running server: whatever state the data folder was left in, look again until there is one to join. */
import { Effect, Option, Ref, type Scope } from "effect"
import { embeddedRestartPause } from "../../domain/Policies.ts"
import type { DataFolder } from "./DataFolder.ts"
import { ELSEWHERE, EmbeddedPostgresError } from "./EmbeddedPostgresError.ts"
import { findPostmaster, type Postmaster } from "./PostmasterPid.ts"
import { connect, type ConnectionFailed, enter } from "./Presence.ts"
import { type Server, startFailure, startServer } from "./Server.ts"
import { stop, stopIfLast } from "./Stop.ts"

/** SQLSTATE of a wrong password or a refused login. */
const REFUSED = new Set(["28P01", "28000"])

export interface Joined {
  readonly port: number
  readonly pid: number
}

export interface Start {
  readonly folder: DataFolder
  readonly password: string
  /** The server that this process has launched. */
  readonly server: Ref.Ref<Option.Option<Server>>
  /** Why the last look did not end in a connection. */
  readonly problem: Ref.Ref<string>
}

const launch = (start: Start, postmaster: Postmaster): Effect.Effect<void, EmbeddedPostgresError> =>
  Effect.gen(function* () {
    const launched = Option.getOrUndefined(yield* Ref.get(start.server))
    if (launched !== undefined) {
      const end = launched.ended()
      if (end === undefined) return
      const failure = yield* startFailure(start.folder, launched, end)
      if (Option.isSome(failure)) return yield* failure.value
      yield* Effect.sleep(embeddedRestartPause)
    }
    const formerPid = postmaster._tag === "Stale" ? Option.some(postmaster.pid) : Option.none()
    yield* startServer(start.folder, formerPid).pipe(
      Effect.tap((server) => Ref.set(start.server, Option.some(server))),
      Effect.uninterruptible
    )
  })

const refused = (folder: DataFolder, error: ConnectionFailed) =>
  new EmbeddedPostgresError({
    message:
      `The embedded PostgreSQL in ${folder.cluster} runs but does not accept the password in ` +
      `${folder.passwordFile}: ${error.message}. Restore that file, or ${ELSEWHERE}.`
  })

/** The presence may have been lost to a crash of the server, which restarts by itself: then it is asked anew. */
const leave = (start: Start, joined: Joined, presence: Parameters<typeof stopIfLast>[2]): Effect.Effect<void> =>
  stopIfLast(joined.pid, start.folder.cluster, presence).pipe(
    Effect.orElse(() =>
      Effect.flatMap(connect(joined.port, start.password), (client) =>
        stopIfLast(joined.pid, start.folder.cluster, client)
      )
    ),
    Effect.catchTag("ConnectionFailed", (error) =>
      Effect.logWarning(`The embedded PostgreSQL was gone before it was stopped: ${error.message}`)
    )
  )

/** One look: joins a server that is ready, waits for one that is on its way up or down, starts one if there is none. */
export const look = (start: Start): Effect.Effect<Option.Option<Joined>, EmbeddedPostgresError, Scope.Scope> =>
  Effect.gen(function* () {
    const postmaster = yield* findPostmaster(start.folder.cluster)
    if (postmaster._tag !== "Live") return yield* Effect.as(launch(start, postmaster), Option.none())
    if (!postmaster.ready) return Option.none()
    const joined: Joined = { port: postmaster.port, pid: postmaster.pid }
    return yield* Effect.acquireRelease(enter(joined.port, start.password), (presence) =>
      leave(start, joined, presence)
    ).pipe(
      Effect.as(Option.some(joined)),
      Effect.catchTag("ConnectionFailed", (error) =>
        REFUSED.has(error.code ?? "")
          ? Effect.fail(refused(start.folder, error))
          : Effect.as(Ref.set(start.problem, error.message), Option.none())
      )
    )
  })

/** A start that failed or was interrupted takes the server it launched with it. */
export const abandon = (start: Start): Effect.Effect<void> =>
  Effect.flatMap(Ref.get(start.server), (server) =>
    Option.match(server, {
      onNone: () => Effect.void,
      onSome: ({ ended, pid }) =>
        pid === undefined || ended() !== undefined ? Effect.void : stop(pid, start.folder.cluster)
    })
  )
