/** Real processes for the tests of the embedded PostgreSQL: folders, other Corridor processes, and what is left over. */
import { Effect, Schedule } from "effect"
import { build } from "esbuild"
import { type ChildProcess, execFileSync, spawn } from "node:child_process"
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import * as Path from "node:path"
import { createInterface } from "node:readline"

export const isRoot = process.getuid?.() === 0
const base = mkdtempSync(Path.join(tmpdir(), "corridor-pg-test-"))
chmodSync(base, 0o755)

export const temporaryFolder = (mode = 0o755): string => {
  const folder = mkdtempSync(Path.join(base, "f-"))
  chmodSync(folder, mode)
  return folder
}

/** A data folder as a run that ended well leaves it, owners and modes included. */
export const copyOf = (dataDir: string): string => {
  const folder = temporaryFolder()
  execFileSync("cp", ["-a", `${dataDir}/.`, folder])
  return folder
}

export const postmasters = (folder = base): ReadonlyArray<number> => {
  const lines = execFileSync("ps", ["-eo", "pid=,args="], { encoding: "utf8" }).split("\n")
  return lines
    .filter((line) => line.includes("/bin/postgres -D") && line.includes(folder))
    .map((line) => Number.parseInt(line, 10))
}

export const postmasterPid = (dataDir: string): number =>
  Number.parseInt(readFileSync(Path.join(dataDir, "postgres", "postmaster.pid"), "utf8"), 10)

export const eventually = (what: string, condition: () => boolean): Effect.Effect<void> =>
  Effect.sync(condition).pipe(
    Effect.filterOrFail(
      (met) => met,
      () => `never: ${what}`
    ),
    Effect.retry(Schedule.spaced("5 millis").pipe(Schedule.upTo("30 seconds"))),
    Effect.orDieWith((message) => new Error(message)),
    Effect.asVoid
  )

const cache = Path.resolve("node_modules/.cache")
const bundle = Path.join(cache, `embedded-postgres-holder-${process.pid}.mjs`)

/** The holder is bundled as the server is, so that finding the binaries from a bundle is tested too. */
export const bundleHolder = async (): Promise<string> => {
  mkdirSync(cache, { recursive: true })
  await build({
    entryPoints: [Path.join(import.meta.dirname, "EmbeddedPostgresHolder.ts")],
    bundle: true,
    platform: "node",
    target: "node20",
    format: "esm",
    outfile: bundle,
    external: ["embedded-postgres", "@embedded-postgres/*"],
    banner: { js: "import{createRequire as __cr}from'node:module';const require=__cr(import.meta.url);" },
    logLevel: "error"
  })
  return bundle
}

export interface Report {
  readonly started?: boolean
  readonly url?: string
  readonly error?: string
}

export interface Holder {
  readonly pid: number
  /** Output once it has the database, or has failed to get it. */
  readonly report: Effect.Effect<Report>
  /** Lets it leave, and waits for its exit code. */
  readonly finish: Effect.Effect<number | null>
  /** kill -9 of its whole process group, as a closing terminal or a supervisor does it. */
  readonly kill: Effect.Effect<void>
}

const running = new Set<ChildProcess>()

export const holder = (
  dataDir: string,
  options: { script?: string; uid?: number; gid?: number; env?: Record<string, string> } = {}
): Holder => {
  const { env, script = bundle, ...user } = options
  const child = spawn(process.execPath, [script, dataDir], {
    ...user,
    cwd: "/",
    env: { ...process.env, ...env },
    detached: true,
    stdio: ["pipe", "pipe", "inherit"]
  })
  running.add(child)
  const first = new Promise<Report>((resolve) => {
    createInterface({ input: child.stdout }).once("line", (line) => resolve(JSON.parse(line) as Report))
  })
  const exited = new Promise<number | null>((resolve) => child.once("exit", resolve))
  const pid = child.pid ?? 0
  return {
    pid,
    report: Effect.promise(() => first),
    finish: Effect.promise(() => {
      child.stdin.end()
      return exited
    }),
    kill: Effect.promise(() => {
      process.kill(-pid, "SIGKILL")
      return exited
    })
  }
}

/** Ends processes that a failed test left running, removes the folders, and returns what had to be ended. */
export const cleanUp = (): ReadonlyArray<number> => {
  for (const child of running) if (child.exitCode === null) child.kill("SIGKILL")
  const left = postmasters()
  for (const pid of left) process.kill(pid, "SIGQUIT")
  rmSync(base, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 })
  rmSync(bundle, { force: true })
  return left
}

/** A checkout of its own at `folder`, installed without install scripts: no library links, no executable bits. */
export const foreignCheckout = (folder: string): string => {
  const modules = Path.join(folder, "node_modules")
  mkdirSync(modules, { recursive: true })
  for (const name of ["embedded-postgres", "@embedded-postgres"]) {
    execFileSync("cp", ["-a", Path.resolve("node_modules", name), modules])
  }
  const native = Path.join(modules, "@embedded-postgres", `${process.platform}-${process.arch}`, "native")
  execFileSync("find", [native, "-type", "l", "-delete"])
  execFileSync("chmod", ["-R", "a-x,a+X", Path.join(native, "bin")])
  const script = Path.join(folder, "holder.mjs")
  execFileSync("cp", [bundle, script])
  return script
}
