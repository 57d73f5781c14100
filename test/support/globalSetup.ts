/**
 * One PostgreSQL cluster for the whole run, with a migrated template, the build of the service, and a data folder for
 * tests that start their own cluster.
 */
import { execFile, spawn } from "node:child_process"
import { symlinkSync, chmodSync, mkdtempSync } from "node:fs"
import { join, resolve } from "node:path"
import { promisify } from "node:util"
import { PgClient } from "@effect/sql-pg"
import { Effect, Exit, Logger, LogLevel, Redacted, Scope } from "effect"
import { Client, escapeLiteral } from "pg"
import type { TestProject } from "vitest/node"
import { embeddedPostgres } from "../../src/platform/database/embedded/EmbeddedPostgres.ts"
import { DATABASE } from "../../src/platform/database/embedded/PresenceLock.ts"
import { migrate } from "../../src/platform/database/Migrations.ts"
import { TEMPLATE } from "./TestCluster.ts"
import { needsBuild } from "./NeedsBuild.ts"
import { tmpdir } from "node:os"

/** The folder of a run, which a watchdog removes. */
interface RunFolder {
  readonly path: string
  readonly remove: () => void
}

const makeRunFolder = (): RunFolder => {
  const path = mkdtempSync(join(tmpdir(), "corridor-test-"))
  // PostgreSQL runs as another user if we are root.
  chmodSync(path, 0o755)
  const watchdog = spawn(process.execPath, [resolve("test/support/Watchdog.mjs"), path], {
    cwd: "/",
    detached: true,
    stdio: ["pipe", "ignore", "ignore"]
  })
  watchdog.unref()
  // Inherited by all processes of the run.
  process.env["TMPDIR"] = path
  return {
    path,
    // Not awaited: the run's processes end first.
    remove: () => void watchdog.stdin.end()
  }
}

const run = promisify(execFile)

/** Hashes the password once instead of 4,096 times, which was most of a connection's cost. */
const makePasswordCheap = async (url: string) => {
  const client = new Client({ connectionString: url })
  await client.connect()
  await client.query("set scram_iterations = 1")
  await client.query(`alter role postgres password ${escapeLiteral(new URL(url).password)}`)
  await client.end()
}

/** A data folder after one clean start, without sandbox data. */
const makeDataFolder = (dataDir: string) =>
  Effect.gen(function* () {
    const { url } = yield* embeddedPostgres({ dataDir })
    yield* Effect.promise(() => makePasswordCheap(Redacted.value(url)))
    yield* Logger.withMinimumLogLevel(migrate, LogLevel.None).pipe(
      Effect.provide(PgClient.layer({ url, maxConnections: 2 }))
    )
  }).pipe(Effect.scoped)

const makeTemplate = async (clusterUrl: string) => {
  const client = new Client({ connectionString: clusterUrl })
  await client.connect()
  // Not durable: tests of durability start their own server.
  for (const setting of ["fsync", "full_page_writes", "autovacuum"])
    await client.query(`alter system set ${setting} = off`)
  await client.query("alter system set max_wal_size = '4GB'")
  await client.query("alter system set scram_iterations = 1")
  await client.query("select pg_reload_conf()")
  await client.query(`create database ${TEMPLATE} template ${DATABASE}`)
  await client.end()
}

/** Builds the current source, beside a link to node_modules. */
const buildInto = async (folder: string): Promise<string> => {
  const bundle = join(folder, "dist")
  if (!needsBuild(process.argv.slice(2))) return bundle
  symlinkSync(resolve("node_modules"), join(folder, "node_modules"))
  await run(process.execPath, ["scripts/build.mjs", `--outdir=${bundle}`])
  return bundle
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = makeRunFolder()
  const scope = Effect.runSync(Scope.make())
  const stop = async () => {
    await Effect.runPromise(Scope.close(scope, Exit.void))
    folder.remove()
  }
  const startCluster = async () => {
    const dataDir = join(folder.path, "cluster")
    await Effect.runPromise(makeDataFolder(dataDir))
    const dataFolder = join(folder.path, "data-folder")
    await run("cp", ["-a", dataDir, dataFolder])
    const { url } = await Effect.runPromise(embeddedPostgres({ dataDir }).pipe(Scope.extend(scope)))
    await makeTemplate(Redacted.value(url))
    return { clusterUrl: Redacted.value(url), dataFolder }
  }
  try {
    const [bundle, { clusterUrl, dataFolder }] = await Promise.all([buildInto(folder.path), startCluster()])
    project.provide("bundle", bundle)
    project.provide("clusterUrl", clusterUrl)
    project.provide("dataFolder", dataFolder)
  } catch (error) {
    await stop()
    throw error
  }
  return stop
}
