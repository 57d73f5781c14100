/**
 * The PostgreSQL that runs when no DATABASE_URL is set: a cluster in DATA_DIR, started by the first process that needs
 * it, joined by the next ones, and stopped by the last one to leave.
 */
import { Effect, Fiber, Option, Redacted, Ref, type Scope, Deferred, Duration, Schedule } from "effect"
import {
  embeddedStopsWithin,
  embeddedRestarts,
  embeddedHealthyAfter,
  embeddedReadiness,
  embeddedLockPatience,
  embeddedRestartPause
} from "../../../domain/policies/DatabasePolicies.ts"
import { endWithin } from "../../fibers/Shutdown.ts"
import {
  openDataFolder,
  ensureCluster,
  readPassword,
  isPostmaster,
  type DataFolder,
  findPostmaster,
  isServed,
  type Postmaster
} from "./DataFolder.ts"
import { EmbeddedPostgresError, ELSEWHERE, attempt } from "./HostSystem.ts"
import {
  DATABASE,
  poll,
  connect,
  type ConnectionFailed,
  enter,
  type Presence,
  stop,
  stopIfLast
} from "./PresenceLock.ts"
import { type Server, logTail, startFailure, startServer } from "./PostgresProcess.ts"
import { monotonicMillis } from "../../fibers/Deadlines.ts"
import { alertOperator } from "../../observability/OperatorAlert.ts"
import { rm } from "node:fs/promises"

/** The way to a running server: whatever state the data folder was left in, look again until there is one to join. */

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
  /** When the lock file was first found empty. */
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

/** Brings the embedded PostgreSQL back when it dies under a process that uses it, in the same place and not for ever. */
export type Restarts = Schedule.Schedule<unknown>

const wordsOf = ({ folder }: Start, from: number): Effect.Effect<string, EmbeddedPostgresError> =>
  Effect.map(logTail(folder, from), (tail) => `The end of its log, ${folder.logFile}:\n${tail || "(nothing)"}`)

const tooSlow = (start: Start): Effect.Effect<never, EmbeddedPostgresError> =>
  Effect.gen(function* () {
    const launched = yield* Ref.getAndSet(start.server, Option.none<Server>())
    const words = yield* wordsOf(start, Option.match(launched, { onNone: () => 0, onSome: (one) => one.logStart }))
    return yield* new EmbeddedPostgresError({
      message:
        `The embedded PostgreSQL in ${start.folder.cluster} is not ready after 30 seconds ` +
        `(${yield* Ref.get(start.problem)}). ${words}\n` +
        `It may be recovering from a crash: it goes on, and the next start joins it. Or ${ELSEWHERE}.`
    })
  })

/** Joins the server of the folder, which is started where there is none. */
export const join = (start: Start): Effect.Effect<Joined, EmbeddedPostgresError> =>
  Effect.gen(function* () {
    yield* Ref.set(start.server, Option.none())
    const joined = yield* poll(look(start), embeddedReadiness).pipe(Effect.onError(() => abandon(start)))
    return Option.isSome(joined) ? joined.value : yield* tooSlow(start)
  })

/** A crash of one of its own processes it mends itself; then only the connections are gone. */
const tellOfLoss = (start: Start, lost: Joined): Effect.Effect<void, EmbeddedPostgresError> =>
  Effect.gen(function* () {
    if (yield* isPostmaster(lost.pid, start.folder.cluster)) {
      return yield* Effect.logWarning("The embedded PostgreSQL has closed its connections: joining it again")
    }
    const words = yield* wordsOf(start, 0)
    yield* alertOperator("database_restarted", `The embedded PostgreSQL has died and is started again. ${words}`, {})
  })

/** Ends only with the reason why it cannot be brought back. */
export const keepUp = (start: Start, first: Joined, restarts: Restarts): Effect.Effect<never, EmbeddedPostgresError> =>
  Effect.gen(function* () {
    const backOff = yield* Schedule.driver(restarts)
    const pause = (error: EmbeddedPostgresError) => Effect.mapError(backOff.next(undefined), () => error)

    const again: Effect.Effect<Joined, EmbeddedPostgresError> = Effect.catchAll(join(start), (error) =>
      Effect.logWarning(error.message).pipe(Effect.zipRight(pause(error)), Effect.zipRight(again))
    )

    const watch = (joined: Joined): Effect.Effect<never, EmbeddedPostgresError> =>
      Effect.gen(function* () {
        const since = yield* monotonicMillis
        yield* Deferred.await(joined.presence.lost)
        yield* tellOfLoss(start, joined)
        const served = (yield* monotonicMillis) - since
        if (served >= Duration.toMillis(embeddedHealthyAfter)) yield* backOff.reset
        else yield* Effect.flatMap(keepsDying(start), pause)
        return yield* Effect.flatMap(again, watch)
      })

    return yield* watch(first)
  })

const keepsDying = (start: Start): Effect.Effect<EmbeddedPostgresError, EmbeddedPostgresError> =>
  Effect.map(
    wordsOf(start, 0),
    (words) =>
      new EmbeddedPostgresError({
        message:
          `The embedded PostgreSQL in ${start.folder.cluster} keeps dying. ${words}\n` +
          `Mend what it names, or ${ELSEWHERE}.`
      })
  )

export { EmbeddedPostgresError }
export { hasCluster } from "./DataFolder.ts"

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
            endWithin(embeddedStopsWithin, () => "the embedded PostgreSQL, which may go on"),
            Effect.asVoid
          )
      })
    )
  )

/** Starts or joins the cluster in <dataDir>/postgres. The end of the scope stops it if no other process uses it. */
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
