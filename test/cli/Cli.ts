/** The CLI and the built server, each with exactly the environment that a test gives it. */
import { type ChildProcess, spawn } from "node:child_process"
import { once } from "node:events"
import { chmodSync, mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Exit } from "effect"
import { inject } from "vitest"
// Loads the modules that commands load when they run, so that this is not in the time of a test.
import "../../src/app/Services.ts"
import "../../src/app/RecordServices.ts"
import "../../src/cli/client/HttpApiClient.ts"
import "../../src/cli/client/InProcessClient.ts"
import { freePort as aFreePort } from "../bench/FreePort.ts"
import { runCorridor } from "../../src/cli/Run.ts"
import { Streams } from "../../src/cli/shared/Terminal.ts"
import { SERVER_FLAGS, urlOfDatabase } from "../support/TestCluster.ts"
import { createEmptyDatabase, dropDatabase, lendDatabase, returnDatabase, within } from "../support/OwnDatabase.ts"

export type Environment = Readonly<Record<string, string>>

export interface Ended {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

/** The CLI, to be run with node. */
export const CLI = join(inject("bundle"), "cli/main.mjs")
const SERVER = join(inject("bundle"), "main.mjs")

/** One process, so that a signal ends the whole server. */
const inherited = Object.fromEntries([
  ["CORRIDOR_WORKERS", "1"],
  ...["PATH", "HOME", "TMPDIR"].flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]]))
])

const start = (words: ReadonlyArray<string>, env: Environment) => {
  const child = spawn(process.execPath, words, {
    env: { ...inherited, ...env },
    stdio: ["ignore", "pipe", "pipe"]
  })
  const output = { stdout: "", stderr: "" }
  child.stdout.setEncoding("utf8").on("data", (text: string) => (output.stdout += text))
  child.stderr.setEncoding("utf8").on("data", (text: string) => (output.stderr += text))
  return { child, output }
}

const ended = async (child: ChildProcess, output: { stdout: string; stderr: string }): Promise<Ended> => {
  const [code] = (await once(child, "close")) as [number | null]
  return { code, ...output }
}

/** The built CLI as a process of its own. */
export const cliProcessIn =
  (env: Environment) =>
  (...args: ReadonlyArray<string>): Promise<Ended> => {
    const { child, output } = start([CLI, ...args], env)
    return ended(child, output)
  }

/** The same program in this process, while it runs: what it has written so far, and how it ends. */
export const cliRunning =
  (env: Environment, terminal: { readonly columns?: number; readonly watched?: boolean } = {}) =>
  (...args: ReadonlyArray<string>) => {
    const output = { stdout: "", stderr: "" }
    const streams = {
      out: (text: string) => void (output.stdout += text),
      err: (text: string) => void (output.stderr += text),
      watched: false,
      ...terminal
    }
    const run = runCorridor(args, { ...inherited, ...env }).pipe(Effect.provideService(Streams, streams))
    const ended = Effect.runPromiseExit(run).then((exit): Ended => ({ code: Exit.isSuccess(exit) ? 0 : 1, ...output }))
    return { output, ended }
  }

/** The same until it has ended. */
export const cliIn =
  (env: Environment) =>
  (...args: ReadonlyArray<string>): Promise<Ended> =>
    cliRunning(env)(...args).ended

/** The one document on standard output. */
export const documentOf = <A>({ stdout }: Ended): A => JSON.parse(stdout) as A

/** `data` of a command that must succeed. */
export const dataIn =
  (env: Environment) =>
  async <A>(...args: ReadonlyArray<string>): Promise<A> => {
    const result = await cliIn(env)(...args, "--json")
    if (result.code !== 0) throw new Error(`corridor ${args.join(" ")} failed: ${result.stderr}`)
    return documentOf<{ data: A }>(result).data
  }

export interface RunningServer {
  readonly stdout: () => string
  readonly url: string
  readonly stop: () => Promise<Ended>
}

/** The banner, or its line in a log of JSON, is the last thing a start does. */
export const startServer = async (env: Environment): Promise<RunningServer> => {
  const { child, output } = start([...SERVER_FLAGS, SERVER], env)
  const end = ended(child, output)
  const up = new Promise<boolean>((resolve) => {
    child.stdout.on("data", () => output.stdout.includes("Reference") && resolve(true))
    child.stderr.on("data", () => output.stderr.includes("Corridor is up") && resolve(true))
  })
  if (!(await Promise.race([up, end.then(() => false)]))) throw new Error(`no server: ${output.stderr}`)
  return {
    url: `http://127.0.0.1:${env["PORT"]}`,
    stdout: () => output.stdout,
    stop: () => {
      child.kill("SIGTERM")
      return end
    }
  }
}

/** Runs a server whose start must fail. */
export const serverThatEnds = (env: Environment): Promise<Ended> => {
  const { child, output } = start([...SERVER_FLAGS, SERVER], env)
  return ended(child, output)
}

export const freePort = async (): Promise<string> => String(await aFreePort())

/** A folder that PostgreSQL's own user may enter when the tests run as root. */
export const temporaryFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "corridor-cli-test-"))
  chmodSync(folder, 0o711)
  return folder
}

export const query = <Row extends object>(url: string, text: string): Promise<ReadonlyArray<Row>> =>
  within(url, async (client) => (await client.query<Row>(text)).rows)

export interface OwnDatabase {
  readonly url: string
  readonly drop: () => Promise<unknown>
}

/** A database in the run's cluster, migrated or empty. */
export const ownDatabase = async (state: "migrated" | "empty" = "migrated"): Promise<OwnDatabase> => {
  const migrated = state === "migrated"
  const name = await (migrated ? lendDatabase() : createEmptyDatabase())
  return {
    url: urlOfDatabase(inject("clusterUrl"), name),
    drop: async () => (migrated ? returnDatabase(name) : dropDatabase(name))
  }
}
