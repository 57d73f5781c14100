/** The way to a running server: whatever state the data folder was left in, look again until there is one to join. */
import { rm } from "node:fs/promises"
import { Duration, Effect, Option, Ref } from "effect"
import { embeddedLockPatience, embeddedRestartPause } from "../../../domain/policies/EmbeddedDatabase.ts"
import { monotonicMillis } from "../../fibers/Monotonic.ts"
import type { DataFolder } from "./DataFolder.ts"
import { attempt, ELSEWHERE, EmbeddedPostgresError } from "./EmbeddedPostgresError.ts"
import { findPostmaster, isServed, type Postmaster } from "./PostmasterPid.ts"
import { connect, type ConnectionFailed, enter, type Presence } from "./Presence.ts"
import { type Server, startFailure, startServer } from "./Server.ts"
import { stop, stopIfLast } from "./Stop.ts"

/** SQLSTATE of a wrong password or a refused login. */
const REFUSED = new Set(["28P01", "28000"])

export interface Joined {
  readonly port: number
  readonly pid: number
  readonly presence: Presence
}

export interface Start {
  readonly folder: DataFolder
  readonly password: string
  /** The server that this process has launched. */
  readonly server: Ref.Ref<Option.Option<Server>>
  /** The server that this process uses, or used last. */
  readonly joined: Ref.Ref<Option.Option<Joined>>
  /** Since when the lock file has named nobody. */
  readonly brokenSince: Ref.Ref<Option.Option<number>>
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
    const formerPort = Option.map(yield* Ref.get(start.joined), ({ port }) => port)
    yield* startServer(start.folder, formerPid, formerPort).pipe(
      Effect.tap((server) => Ref.set(start.server, Option.some(server))),
      Effect.uninterruptible
    )
  })

/** PostgreSQL itself refuses to start beside such a file, and a server that is about to write it does so at once. */
const mendLock = (start: Start, file: string): Effect.Effect<void, EmbeddedPostgresError> =>
  Effect.gen(function* () {
    const now = yield* monotonicMillis
    const since = Option.getOrElse(yield* Ref.get(start.brokenSince), () => now)
    yield* Ref.set(start.brokenSince, Option.some(since))
    yield* Ref.set(start.problem, `${file} is empty or broken, and a process still works in its folder`)
    if (now - since < Duration.toMillis(embeddedLockPatience) || (yield* isServed(start.folder.cluster))) return
    yield* attempt(`remove ${file}`, () => rm(file, { force: true }))
    yield* Ref.set(start.brokenSince, Option.none())
    yield* Effect.logWarning(`${file} was empty or broken, as a full disk or a crash leaves it, and was removed`)
  })

const refused = (folder: DataFolder, error: ConnectionFailed) =>
  new EmbeddedPostgresError({
    message:
      `The embedded PostgreSQL in ${folder.cluster} runs but does not accept the password in ` +
      `${folder.passwordFile}: ${error.message}. Restore that file, or ${ELSEWHERE}.`
  })

/** The presence may have been lost to a crash of the server, which restarts by itself: then it is asked anew. */
export const leave = (start: Start, { pid, port, presence }: Joined): Effect.Effect<void> =>
  stopIfLast(pid, start.folder.cluster, presence.client).pipe(
    Effect.orElse(() =>
      Effect.flatMap(connect(port, start.password), ({ client }) => stopIfLast(pid, start.folder.cluster, client))
    ),
    Effect.catchTag("ConnectionFailed", (error) =>
      Effect.logWarning(`The embedded PostgreSQL was gone before it was stopped: ${error.message}`)
    )
  )

/** One look: joins a server that is ready, waits for one that is on its way up or down, starts one if there is none. */
export const look = (start: Start): Effect.Effect<Option.Option<Joined>, EmbeddedPostgresError> =>
  Effect.gen(function* () {
    const postmaster = yield* findPostmaster(start.folder.cluster)
    if (postmaster._tag === "Broken") return yield* Effect.as(mendLock(start, postmaster.file), Option.none())
    if (postmaster._tag !== "Live") return yield* Effect.as(launch(start, postmaster), Option.none())
    if (!postmaster.ready) return Option.none()
    const { pid, port } = postmaster
    return yield* enter(port, start.password).pipe(
      Effect.map((presence): Option.Option<Joined> => Option.some({ pid, port, presence })),
      Effect.tap((joined) => Ref.set(start.joined, joined)),
      Effect.uninterruptible,
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
