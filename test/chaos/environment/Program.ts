/** Installed programs (PostgreSQL, poolers, Patroni), run as another user than root and ended with their scope. */
import { type ChildProcess, execFile, spawn } from "node:child_process"
import { once } from "node:events"
import { chown, constants, mkdir, open, access } from "node:fs/promises"
import { join } from "node:path"
import { promisify } from "node:util"
import { Effect, Option, type Scope } from "effect"
import { type UserIds, systemUser } from "../../../src/platform/database/embedded/HostSystem.ts"

const run = promisify(execFile)

/** User to run as, if we are root. */
export const programUser: Effect.Effect<Option.Option<UserIds>> =
  process.getuid?.() === 0 ? Effect.asSome(Effect.orDie(systemUser("postgres"))) : Effect.succeedNone

/** First existing path of a program. */
export const findProgram = (...places: ReadonlyArray<string>): Effect.Effect<Option.Option<string>> =>
  Effect.promise(async () => {
    for (const corridor of places) {
      const there = await access(corridor, constants.X_OK).then(
        () => true,
        () => false
      )
      if (there) return Option.some(corridor)
    }
    return Option.none()
  })

export const makeFolder = (path: string, user: Option.Option<UserIds>): Effect.Effect<string> =>
  Effect.promise(async () => {
    await mkdir(path, { recursive: true, mode: 0o700 })
    if (Option.isSome(user)) await chown(path, user.value.uid, user.value.gid)
    return path
  })

const environment = () => ({ PATH: process.env["PATH"], LC_ALL: "C", HOME: "/tmp" })

export const runProgram = (
  program: string,
  args: ReadonlyArray<string>,
  user: Option.Option<UserIds>
): Effect.Effect<string> =>
  Effect.promise(async () => {
    const { stdout } = await run(program, args, { cwd: "/", env: environment(), ...Option.getOrUndefined(user) })
    return stdout
  })

export interface Program {
  readonly pid: () => number | undefined
  /** Signals the whole process group. */
  readonly kill: (signal: NodeJS.Signals) => Effect.Effect<void>
  readonly start: Effect.Effect<void>
  readonly isRunning: () => boolean
}

interface Making {
  readonly program: string
  readonly args: ReadonlyArray<string>
  readonly user: Option.Option<UserIds>
  readonly folder: string
  readonly name: string
  readonly variables?: Readonly<Record<string, string>>
  /** Signal that ends it with its scope. */
  readonly endsBy?: NodeJS.Signals
}

/** Runs in its own process group and logs into the folder. `start` restarts it after a kill. */
export const makeProgram = (making: Making): Effect.Effect<Program, never, Scope.Scope> =>
  Effect.gen(function* () {
    const log = yield* Effect.acquireRelease(
      Effect.promise(() => open(join(making.folder, `${making.name}.log`), "a")),
      (file) => Effect.promise(() => file.close())
    )
    let child: ChildProcess | undefined
    const isRunning = () => child !== undefined && child.exitCode === null && child.signalCode === null
    const kill = (signal: NodeJS.Signals) =>
      Effect.promise(async () => {
        if (child?.pid === undefined || !isRunning()) return
        const exited = once(child, "exit")
        process.kill(-child.pid, signal)
        await exited
      })
    const start = Effect.sync(() => {
      if (isRunning()) return
      child = spawn(making.program, making.args, {
        ...Option.getOrUndefined(making.user),
        cwd: "/",
        env: { ...environment(), ...making.variables },
        detached: true,
        stdio: ["ignore", log.fd, log.fd]
      })
    })
    yield* Effect.addFinalizer(() => kill(making.endsBy ?? "SIGKILL"))
    yield* start
    return { kill, start, isRunning, pid: () => child?.pid }
  })
