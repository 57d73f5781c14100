/** Reads PostgreSQL's own lock file, postmaster.pid, and tells whether the server it names is really there. */
import { Effect, Option } from "effect"
import { readdir, readFile, readlink } from "node:fs/promises"
import * as Path from "node:path"
import { runCommand } from "./Command.ts"
import { attemptIfPresent, codeOf, type EmbeddedPostgresError } from "./EmbeddedPostgresError.ts"

export type Postmaster =
  | { readonly _tag: "Absent" }
  /** The file names a process that took over the number of a server that died. */
  | { readonly _tag: "Stale"; readonly pid: number }
  /** The file names nobody: a full disk or a crash cut it short, or a server is about to write it. */
  | { readonly _tag: "Broken"; readonly file: string }
  | { readonly _tag: "Live"; readonly pid: number; readonly port: number; readonly ready: boolean }

const absent: Postmaster = { _tag: "Absent" }

export const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0)
  } catch (cause) {
    return codeOf(cause) === "EPERM"
  }
}

const commandLine = (pid: number): Effect.Effect<string> =>
  Effect.tryPromise(() => readFile(`/proc/${pid}/cmdline`, "utf8")).pipe(
    Effect.map((line) => line.replaceAll("\0", " ")),
    Effect.orElse(() => runCommand("ps", ["-o", "command=", "-p", String(pid)])),
    Effect.orElseSucceed(() => "")
  )

/** A postmaster stays in its data folder; where the system hides that (other user, macOS), its arguments tell. */
const serves = (pid: number, cluster: string): Effect.Effect<boolean> =>
  Effect.tryPromise(() => readlink(`/proc/${pid}/cwd`)).pipe(
    Effect.map((folder) => folder === cluster),
    Effect.orElse(() => Effect.map(commandLine(pid), (line) => line.includes(`-D ${cluster} `)))
  )

export const isPostmaster = (pid: number, cluster: string): Effect.Effect<boolean> =>
  Effect.suspend(() => (isAlive(pid) ? serves(pid, cluster) : Effect.succeed(false)))

export const findPostmaster = (cluster: string): Effect.Effect<Postmaster, EmbeddedPostgresError> =>
  Effect.gen(function* () {
    const file = Path.join(cluster, "postmaster.pid")
    const text = yield* attemptIfPresent(`read ${file}`, () => readFile(file, "utf8"))
    // lines: pid, data folder, start time, port, socket folder, address, shared memory, state
    if (Option.isNone(text)) return absent
    const lines = text.value.split("\n")
    const pid = Number.parseInt(lines[0] ?? "", 10)
    if (Number.isNaN(pid)) return { _tag: "Broken", file }
    if (pid <= 0 || !isAlive(pid)) return absent
    if (!(yield* serves(pid, cluster))) return { _tag: "Stale", pid }
    return { _tag: "Live", pid, port: Number(lines[3] ?? 0), ready: (lines[7] ?? "").trim() === "ready" }
  })

/** Whether any process works in the cluster, whatever the lock file says. A system that hides it leaves it to PostgreSQL. */
export const isServed = (cluster: string): Effect.Effect<boolean> =>
  Effect.tryPromise(() => readdir("/proc")).pipe(
    Effect.orElseSucceed((): ReadonlyArray<string> => []),
    Effect.flatMap((names) =>
      Effect.exists(
        names.filter((name) => /^\d+$/.test(name)),
        (name) =>
          Effect.tryPromise(() => readlink(`/proc/${name}/cwd`)).pipe(
            Effect.map((folder) => folder === cluster),
            Effect.orElseSucceed(() => false)
          ),
        { concurrency: 16 }
      )
    )
  )
