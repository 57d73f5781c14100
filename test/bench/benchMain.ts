/**
 * Measures Corridor, the bundle that `npm start` runs, against the same four endpoints written by hand on Fastify and
 * pg. The provider is Corridor's built-in `fiat` simulator; the hand-written server keeps the simulator's rows and
 * completes the payments itself, so that both do the same durable work on the same tables.
 */
import { copyFile, mkdir, readFile, writeFile } from "node:fs/promises"
import { loadavg } from "node:os"
import { join, resolve } from "node:path"
import { fileURLToPath } from "node:url"
import { NodeRuntime } from "@effect/platform-node"
import { Effect, Logger, LogLevel } from "effect"
import { explainFailure } from "../../src/app/StartupMessages.ts"
import { durableCluster, poolOn, statement, temporaryFolder, urlOf } from "./BenchCluster.ts"
import type { Endpoint } from "./load/RequestLoad.ts"
import { startLoad } from "./LoadProcess.ts"
import { atFixedPace, atPeak, halfOfPeak } from "./Medians.ts"
import { type Options, readOptions, usage } from "./Options.ts"
import { loneTableOf, machineOf, type Result, tableOf } from "./BenchReport.ts"
import { answeredBy, type Bench, runLoneRounds, runRounds, type Side } from "./Rounds.ts"
import { startServer } from "./ServerProcess.ts"
import { verify } from "./BenchVerification.ts"

const CORRIDOR = "../main.mjs"
const FASTIFY = "./fastify/main.mjs"

const commandLine = `npm run bench -- ${process.argv.slice(2).join(" ")}`.replace(/ -- $/, "")

const say = (text: string) => Effect.sync(() => process.stderr.write(`${text}\n`))

const environmentOf = (folder: string, url: string, { pool, processes }: Options) => ({
  CORRIDOR_MODE: "sandbox",
  CORRIDOR_MASTER_KEY: "5a".repeat(32),
  CORRIDOR_WORKERS: `${processes}`,
  DATA_DIR: join(folder, "corridor"),
  DATABASE_URL: url,
  DATABASE_POOL: `${pool}`,
  LOG_LEVEL: "warn",
  RATE_LIMIT_PER_MINUTE: "0"
})

const sandboxKey = (folder: string) =>
  Effect.promise(async () => {
    const file = await readFile(join(folder, "corridor", "sandbox.json"), "utf8")
    return (JSON.parse(file) as { readonly orgs: ReadonlyArray<{ readonly api_key: string }> }).orgs[0]!.api_key
  })

/** Corridor fills its database; the other server gets a copy. */
const twoDatabases = (folder: string, clusterUrl: string, options: Options) =>
  Effect.gen(function* () {
    const urls = { corridor: urlOf(clusterUrl, "bench_corridor"), fastify: urlOf(clusterUrl, "bench_fastify") }
    yield* statement(clusterUrl, "create database bench_corridor")
    yield* Effect.scoped(startServer("corridor", CORRIDOR, environmentOf(folder, urls.corridor, options)))
    yield* statement(clusterUrl, "create database bench_fastify template bench_corridor")
    return urls
  })

/** Keeps the source map with the profile: the next build may replace it. */
const folderForProfiles = (folder: string) =>
  Effect.promise(async () => {
    const own = join(folder, "corridor")
    await mkdir(own, { recursive: true })
    await copyFile(fileURLToPath(new URL("../main.cjs.map", import.meta.url)), join(own, "main.cjs.map"))
  })

const bench = (options: Options) =>
  Effect.gen(function* () {
    const [loadAverage = 0] = loadavg()
    if (loadAverage > 0.5) yield* say(`The machine is busy (load average ${loadAverage.toFixed(1)}): expect noise.`)
    const folder = yield* temporaryFolder("bench")
    const { durability, url } = yield* durableCluster(folder)
    const urls = yield* twoDatabases(folder, url, options)
    const apiKey = yield* sandboxKey(folder)
    const side = (name: keyof typeof urls, module: string) =>
      Effect.gen(function* () {
        const environment = environmentOf(folder, urls[name], options)
        const profiles = options.cpuProfiles === undefined ? undefined : join(options.cpuProfiles, name)
        const server = yield* startServer(name, module, environment, profiles)
        const one: Side = { server, pool: yield* poolOn(urls[name]) }
        return one
      })
    const sides = [yield* side("corridor", CORRIDOR), yield* side("fastify", FASTIFY)]
    const state: Bench = { options, apiKey, load: yield* startLoad, answered: new Map(), readable: new Map() }
    const machine = machineOf(durability, loadAverage)
    if (options.lone) {
      const measurements = yield* runLoneRounds(state, sides)
      for (const { pool, server } of sides) yield* verify(server.name, pool, answeredBy(state, server.name))
      const result = { command: commandLine, at: new Date().toISOString(), options, machine, measurements }
      return { result, table: loneTableOf(measurements, options, machine) }
    }
    const measurements = yield* runRounds(state, sides)
    const calmly = (endpoint: Endpoint) => ({
      askedPerSecond: halfOfPeak(measurements, endpoint),
      ...atFixedPace(measurements, endpoint)
    })
    const verified = yield* Effect.forEach(sides, ({ pool, server: { name } }) =>
      Effect.map(verify(name, pool, answeredBy(state, name)), (counts) => [name, counts] as const)
    )
    const peaks = yield* Effect.forEach(sides, ({ server: { name, peakMebibytes } }) =>
      Effect.map(peakMebibytes, (peak) => [name, peak] as const)
    )
    const result: Result = {
      command: commandLine,
      at: new Date().toISOString(),
      options,
      machine,
      comparison: {
        initiate: atPeak(measurements, "initiate"),
        record: atPeak(measurements, "record"),
        list: atPeak(measurements, "list"),
        rate: atPeak(measurements, "rate")
      },
      atHalfOfPeak: { initiate: calmly("initiate"), record: calmly("record") },
      peakMebibytes: Object.fromEntries(peaks),
      rowsVerified: Object.fromEntries(verified),
      errors: 0,
      measurements
    }
    return { result, table: tableOf(result) }
  }).pipe(Effect.scoped)

const main = Effect.gen(function* () {
  const options = yield* readOptions(process.argv.slice(2))
  if (options.cpuProfiles !== undefined) yield* folderForProfiles(options.cpuProfiles)
  const { result, table } = yield* bench(options)
  process.stdout.write(`\n${table}\n`)
  if (options.json !== undefined) {
    yield* Effect.promise(() => writeFile(resolve(options.json!), `${JSON.stringify(result, null, 2)}\n`))
  }
})

if (process.argv.includes("--help")) process.stdout.write(usage)
else {
  main.pipe(
    Logger.withMinimumLogLevel(LogLevel.Warning),
    explainFailure,
    NodeRuntime.runMain({ disableErrorReporting: true })
  )
}
