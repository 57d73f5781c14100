/**
 * The PostgreSQL that runs when no DATABASE_URL is set: a cluster in DATA_DIR, started by the first process that needs
 * it, joined by the next ones, and stopped by the last one to leave.
 */
import { rm } from "node:fs/promises"
import { Deferred, Duration, Effect, Fiber, Redacted, Schedule } from "effect"
import {
  embeddedStopsWithin,
  embeddedRestarts,
  embeddedHealthyAfter,
  embeddedReadiness,
  embeddedLockPatience,
  embeddedRestartPause
} from "../../../domain/policies/DatabasePolicies.ts"
import { monotonicMillis } from "../../fibers/Deadlines.ts"
import { endWithin } from "../../fibers/Shutdown.ts"
import { alertOperator } from "../../observability/OperatorAlert.ts"
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
import { attempt, ELSEWHERE, EmbeddedPostgresError, failed } from "./HostSystem.ts"
import { type Server, quotedLog, requirePassing, startServer } from "./PostgresProcess.ts"
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
import { traced } from "../../observability/Spans.ts"

export { EmbeddedPostgresError }
export { hasCluster } from "./DataFolder.ts"

/** SQLSTATE of a wrong password or a refused login. */
const REFUSED = new Set(["28P01", "28000"])

interface Joined {
  readonly port: number
  readonly pid: number
  readonly presence: Presence
}

interface Start {
  readonly folder: DataFolder
  readonly password: string
  /** The server that this process has launched. */
  server: Server | undefined
  /** The server that this process uses, or used last. */
  joined: Joined | undefined
  /** When the lock file was first found empty. */
  brokenSince: number | undefined
  /** Why the last look did not end in a connection. */
  problem: string
}

const launch = Effect.fnUntraced(function* (start: Start, postmaster: Postmaster) {
  const end = start.server?.ended()
  if (start.server !== undefined) {
    if (end === undefined) return
    yield* requirePassing(start.folder, start.server, end)
    yield* Effect.sleep(embeddedRestartPause)
  }
  const formerPid = postmaster._tag === "Stale" ? postmaster.pid : undefined
  yield* startServer(start.folder, formerPid, start.joined?.port).pipe(
    Effect.map((server) => (start.server = server)),
    Effect.uninterruptible
  )
})

/** PostgreSQL itself refuses to start beside such a file, and a server that is about to write it does so at once. */
const mendLock = Effect.fnUntraced(function* (start: Start, file: string) {
  const now = yield* monotonicMillis
  const since = (start.brokenSince ??= now)
  start.problem = `${file} is empty or broken, and a process still works in its folder`
  if (now - since < Duration.toMillis(embeddedLockPatience) || (yield* isServed(start.folder.cluster))) return
  yield* attempt(`remove ${file}`, () => rm(file, { force: true }))
  start.brokenSince = undefined
  yield* Effect.logWarning(`${file} was empty or broken, as a full disk or a crash leaves it, and was removed`)
})

const refused = ({ cluster, passwordFile }: DataFolder, { message }: ConnectionFailed) =>
  failed(
    `The embedded PostgreSQL in ${cluster} runs but does not accept the password in ` +
      `${passwordFile}: ${message}. Restore that file, or ${ELSEWHERE}.`
  )

/** The presence may have been lost to a crash of the server, which restarts by itself: then it is asked anew. */
const leave = ({ folder, password }: Start, { pid, port, presence }: Joined) =>
  stopIfLast(pid, folder.cluster, presence.client).pipe(
    Effect.orElse(() =>
      Effect.flatMap(connect(port, password), ({ client }) => stopIfLast(pid, folder.cluster, client))
    ),
    Effect.catchTag("ConnectionFailed", ({ message }) =>
      Effect.logWarning(`The embedded PostgreSQL was gone before it was stopped: ${message}`)
    )
  )

/** One look: joins a server that is ready, waits for one that is on its way up or down, starts one if there is none. */
const look = Effect.fnUntraced(function* (start: Start) {
  const postmaster = yield* findPostmaster(start.folder.cluster)
  if (postmaster._tag === "Broken") return yield* mendLock(start, postmaster.file)
  if (postmaster._tag !== "Live") return yield* launch(start, postmaster)
  if (!postmaster.ready) return undefined
  const { pid, port } = postmaster
  return yield* enter(port, start.password).pipe(
    Effect.map((presence): Joined => (start.joined = { pid, port, presence })),
    Effect.uninterruptible,
    Effect.catchTag("ConnectionFailed", (error) => {
      if (REFUSED.has(error.code ?? "")) return Effect.fail(refused(start.folder, error))
      start.problem = error.message
      return Effect.succeed(undefined)
    })
  )
})

/** A start that failed or was interrupted takes the server it launched with it. */
const abandon = ({ folder, server }: Start) =>
  server?.pid === undefined || server.ended() !== undefined ? Effect.void : stop(server.pid, folder.cluster)

/** Joins the server of the folder, which is started where there is none. */
const join = Effect.fnUntraced(function* (start: Start) {
  start.server = undefined
  const found = yield* poll(look(start), embeddedReadiness).pipe(
    Effect.onError(() => Effect.suspend(() => abandon(start)))
  )
  if (found !== undefined) return found
  const log = yield* quotedLog(start.folder, (start.server as Server | undefined)?.logStart)
  return yield* failed(
    `The embedded PostgreSQL in ${start.folder.cluster} is not ready after 30 seconds (${start.problem}). ${log}\n` +
      `It may be recovering from a crash: it goes on, and the next start joins it. Or ${ELSEWHERE}.`
  )
})

/** PostgreSQL mends a crash of one of its own processes itself; then only the connections are gone. */
const tellOfLoss = Effect.fnUntraced(function* ({ folder }: Start, lost: Joined) {
  if (yield* isPostmaster(lost.pid, folder.cluster)) {
    return yield* Effect.logWarning("The embedded PostgreSQL has closed its connections: joining it again")
  }
  const log = yield* quotedLog(folder)
  yield* alertOperator("database_restarted", `The embedded PostgreSQL has died and is started again. ${log}`, {})
})

/** Brings the server back when it dies, in the same place. Ends only with the reason why it cannot be brought back. */
const keepUp = Effect.fnUntraced(function* (start: Start, first: Joined, restarts: Schedule.Schedule<unknown>) {
  const backOff = yield* Schedule.driver(restarts)
  const pause = (error: EmbeddedPostgresError) => Effect.mapError(backOff.next(undefined), () => error)

  const again: Effect.Effect<Joined, EmbeddedPostgresError> = Effect.catchAll(join(start), (error) =>
    Effect.logWarning(error.message).pipe(Effect.zipRight(pause(error)), Effect.zipRight(again))
  )

  let joined = first
  while (true) {
    const since = yield* monotonicMillis
    yield* Deferred.await(joined.presence.lost)
    yield* tellOfLoss(start, joined)
    if ((yield* monotonicMillis) - since >= Duration.toMillis(embeddedHealthyAfter)) yield* backOff.reset
    else {
      const log = yield* quotedLog(start.folder)
      yield* pause(
        failed(
          `The embedded PostgreSQL in ${start.folder.cluster} keeps dying. ${log}\nMend what it names, or ${ELSEWHERE}.`
        )
      )
    }
    joined = yield* again
  }
})

/** Starts or joins the cluster in <dataDir>/postgres. The end of the scope stops it if no other process uses it. */
export const embeddedPostgres = traced("embeddedPostgres")(function* ({
  dataDir,
  restarts = embeddedRestarts
}: {
  readonly dataDir: string
  readonly restarts?: Schedule.Schedule<unknown>
}) {
  const folder = yield* openDataFolder(dataDir)
  yield* ensureCluster(folder)
  const start: Start = {
    folder,
    password: yield* readPassword(folder),
    server: undefined,
    joined: undefined,
    brokenSince: undefined,
    problem: "no connection yet"
  }
  yield* Effect.addFinalizer(() =>
    start.joined === undefined
      ? Effect.void
      : endWithin(embeddedStopsWithin, () => "the embedded PostgreSQL, which may go on")(leave(start, start.joined))
  )
  const joined = yield* join(start)
  const watcher = yield* Effect.forkScoped(keepUp(start, joined, restarts))
  return {
    url: Redacted.make(`postgresql://postgres:${start.password}@127.0.0.1:${joined.port}/${DATABASE}`),
    /** Whether this process has started it. */
    started: start.server?.pid === joined.pid,
    /** Fails when it has died and could not be brought back. */
    gone: Fiber.join(watcher)
  }
})
