/** An instance of the built server in its own process, always on the same port. */
import { type ChildProcess, fork } from "node:child_process"
import { once } from "node:events"
import { type FileHandle, open } from "node:fs/promises"
import { Effect, Schedule } from "effect"
import { freePort } from "../../bench/FreePort.ts"
import { ChaosFailed } from "../ChaosFailed.ts"
import type { Proxy } from "./Proxy.ts"
import { SERVER_FLAGS } from "../../support/TestCluster.ts"

/** Loaded before the server: shifts its wall clock on request, and ends it with its parent. */
const program = `
  const Real = Date
  let shift = 0
  globalThis.Date = class Date extends Real {
    constructor(...given) {
      if (given.length === 0) super(Real.now() + shift)
      else super(...given)
    }
    static now() {
      return Real.now() + shift
    }
  }
  process.on("message", (message) => { shift = message.shift })
  process.once("disconnect", () => process.kill(process.pid, "SIGKILL"))
  process.channel?.unref()
`

export const shiftedClock = `data:text/javascript,${encodeURIComponent(program)}`

export interface Instance {
  readonly name: string
  readonly port: number
  readonly url: string
  /** Proxy to PostgreSQL. */
  readonly database: Proxy
  readonly start: Effect.Effect<void, ChaosFailed>
  readonly kill: Effect.Effect<void>
  /** SIGSTOP and SIGCONT. */
  readonly pause: Effect.Effect<void>
  readonly resume: Effect.Effect<void>
  readonly shiftClock: (millis: number) => Effect.Effect<void>
  readonly isReady: Effect.Effect<boolean>
}

export interface Making {
  readonly name: string
  readonly module: string
  readonly logFile: string
  readonly database: Proxy
  readonly environment: Readonly<Record<string, string>>
}

const launch = ({ environment, module }: Making, port: number, log: FileHandle): ChildProcess =>
  fork(module, {
    execArgv: [...SERVER_FLAGS, "--import", shiftedClock],
    env: { PATH: process.env["PATH"], PORT: `${port}`, ...environment },
    stdio: ["ignore", log.fd, log.fd, "ipc"]
  })

const isOver = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null

const end = (child: ChildProcess) =>
  Effect.promise(async () => {
    if (isOver(child)) return
    const exited = once(child, "exit")
    child.kill("SIGKILL")
    await exited
  })

/** The process is killed with its scope. */
export const makeInstance = (making: Making) =>
  Effect.gen(function* () {
    const port = yield* Effect.promise(freePort)
    const url = `http://127.0.0.1:${port}`
    const log = yield* Effect.acquireRelease(
      Effect.promise(() => open(making.logFile, "a")),
      (file) => Effect.promise(() => file.close())
    )
    let child: ChildProcess | undefined
    yield* Effect.addFinalizer(() => Effect.suspend(() => (child === undefined ? Effect.void : end(child))))
    const isReady = Effect.promise((signal) =>
      fetch(`${url}/readyz`, { signal: AbortSignal.any([signal, AbortSignal.timeout(3_000)]) }).then(
        ({ status }) => status === 200,
        () => false
      )
    )
    /** Starts the process again if it ended before it was ready. */
    const start = Effect.suspend(() => {
      if (child === undefined || isOver(child)) child = launch(making, port, log)
      return isReady
    }).pipe(
      Effect.filterOrFail(
        (yes) => yes,
        () => new ChaosFailed({ message: `${making.name} is not ready after a minute; its log is ${making.logFile}` })
      ),
      Effect.retry(Schedule.spaced("200 millis").pipe(Schedule.upTo("1 minute")))
    )
    const signalled = (signal: NodeJS.Signals) => Effect.sync(() => void child?.kill(signal))
    const instance: Instance = {
      name: making.name,
      port,
      url,
      database: making.database,
      start: Effect.asVoid(start),
      kill: Effect.suspend(() => (child === undefined ? Effect.void : end(child))),
      pause: signalled("SIGSTOP"),
      resume: signalled("SIGCONT"),
      shiftClock: (shift) => Effect.sync(() => void (child?.connected === true && child.send({ shift }))),
      isReady
    }
    return instance
  })
