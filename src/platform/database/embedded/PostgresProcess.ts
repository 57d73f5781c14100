/** One run of `postgres`, in a session of its own: a ctrl-C in our terminal must not stop it before we have drained. */
import { Effect, Option } from "effect"
import { type ChildProcess, spawn } from "node:child_process"
import { constants } from "node:fs"
import { open } from "node:fs/promises"
import { type AddressInfo, createServer } from "node:net"
import { binariesFor } from "./PostgresBinaries.ts"
import { childEnvironment, attempt, ELSEWHERE, type EmbeddedPostgresError, failed, reason } from "./HostSystem.ts"
import type { DataFolder } from "./DataFolder.ts"

export interface Server {
  readonly pid: number | undefined
  /** Where this run's lines begin in the log. */
  readonly logStart: number
  readonly ended: () => string | undefined
}

const LOG_TAIL_BYTES = 8192
const LOG_TAIL_LINES = 12

const freePort = Effect.async<number, EmbeddedPostgresError>((resume) => {
  const probe = createServer()
  probe.once("error", (cause) => resume(failed(`No free port on 127.0.0.1: ${reason(cause)}.`)))
  probe.listen(0, "127.0.0.1", () => {
    const { port } = probe.address() as AddressInfo
    probe.close(() => resume(Effect.succeed(port)))
  })
})

const settings = {
  listen_addresses: "127.0.0.1",
  // a socket's path may have 107 bytes at most, and DATA_DIR may be longer
  unix_socket_directories: "",
  max_connections: "200",
  shared_buffers: "128MB",
  fsync: "on",
  timezone: "UTC",
  log_timezone: "UTC",
  log_destination: "stderr",
  // errors of statements reach the caller; here they would only grow the log and put values into it
  log_min_messages: "log",
  log_checkpoints: "off"
}

const openLog = (folder: DataFolder) =>
  attempt(`write ${folder.logFile}`, async () => {
    const { O_APPEND, O_CREAT, O_NOFOLLOW, O_WRONLY } = constants
    const log = await open(folder.logFile, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW, 0o600)
    if (Option.isSome(folder.user)) await log.chown(folder.user.value.uid, folder.user.value.gid)
    return log
  })

const watch = (child: ChildProcess, logStart: number): Server => {
  let end: string | undefined
  child.on("error", (cause) => (end = reason(cause)))
  child.on("exit", (code, signal) => (end = signal ?? `exit code ${code}`))
  child.unref()
  return { pid: child.pid, logStart, ended: () => end }
}

/**
 * `formerPid` is the process id that a leftover postmaster.pid names although it now belongs to some other program;
 * PostgreSQL passes over it when told that it is its grandparent, and still checks for survivors of the former run.
 * `formerPort` is where those who used the former run look for the next one.
 */
export const startServer = (folder: DataFolder, formerPid: number | undefined, formerPort: number | undefined) =>
  Effect.gen(function* () {
    const { postgres } = yield* binariesFor(folder.user)
    const port = formerPort ?? (yield* freePort)
    return yield* Effect.acquireUseRelease(
      openLog(folder),
      (log) =>
        attempt(`start ${postgres}`, async () => {
          const { size } = await log.stat()
          const options = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`])
          const child = spawn(postgres, ["-D", folder.cluster, "-p", String(port), ...options], {
            ...Option.getOrUndefined(folder.user),
            cwd: "/",
            env: { ...childEnvironment(), ...(formerPid && { PG_GRANDPARENT_PID: String(formerPid) }) },
            detached: true,
            stdio: ["ignore", log.fd, log.fd]
          })
          return watch(child, size)
        }),
      (log) => Effect.promise(() => log.close())
    )
  })

/** The last lines that the server wrote since `from`. */
const logTail = (folder: DataFolder, from: number) =>
  attempt(`read ${folder.logFile}`, async () => {
    const log = await open(folder.logFile, "r")
    try {
      const { size } = await log.stat()
      const start = Math.max(from, size - LOG_TAIL_BYTES)
      const { buffer, bytesRead } = await log.read(Buffer.alloc(LOG_TAIL_BYTES), 0, LOG_TAIL_BYTES, start)
      return buffer.toString("utf8", 0, bytesRead).trimEnd().split("\n").slice(-LOG_TAIL_LINES).join("\n")
    } finally {
      await log.close()
    }
  })

/** The end of the log, for messages. */
export const quotedLog = (folder: DataFolder, from = 0) =>
  Effect.map(logTail(folder, from), (tail) => `The end of its log, ${folder.logFile}:\n${tail || "(nothing)"}`)

/** Reasons that pass by themselves: another process took the port or the cluster, or a killed run is still ending. */
const PASSING =
  /Address already in use|lock file "postmaster\.pid" (already exists|is empty)|shared memory block .* still in use/

/** Fails unless the reason why the server ended passes by itself. */
export const requirePassing = (folder: DataFolder, server: Server, end: string) =>
  Effect.flatMap(quotedLog(folder, server.logStart), (log) =>
    PASSING.test(log)
      ? Effect.void
      : failed(
          `The embedded PostgreSQL in ${folder.cluster} did not start (${end}). ${log}\nMend what it names, or ${ELSEWHERE}.`
        )
  )
