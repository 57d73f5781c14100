/** One PostgreSQL cluster for the whole run, and in it a migrated template from which every test file gets a copy. */
import { chmodSync, mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { PgClient } from "@effect/sql-pg"
import { Effect, Exit, Logger, LogLevel, Redacted, Scope } from "effect"
import { Client } from "pg"
import type { TestProject } from "vitest/node"
import { embeddedPostgres } from "../../src/platform/database/EmbeddedPostgres.ts"
import { migrate } from "../../src/platform/database/Migrations.ts"
import { TEMPLATE, urlOfDatabase } from "./Cluster.ts"

const makeTemplate = (clusterUrl: string) =>
  Effect.gen(function* () {
    yield* Effect.promise(async () => {
      const client = new Client({ connectionString: clusterUrl })
      await client.connect()
      // Nothing here outlives the run; durability is tested by the tests that kill a server of their own.
      await client.query("alter system set fsync = off")
      await client.query("alter system set full_page_writes = off")
      await client.query("select pg_reload_conf()")
      await client.query(`create database ${TEMPLATE}`)
      await client.end()
    })
    const url = Redacted.make(urlOfDatabase(clusterUrl, TEMPLATE))
    yield* Logger.withMinimumLogLevel(migrate, LogLevel.None).pipe(
      Effect.provide(PgClient.layer({ url, maxConnections: 2 }))
    )
  })

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dataDir = mkdtempSync(join(tmpdir(), "corridor-test-"))
  // PostgreSQL runs as a user of its own when the tests run as root.
  chmodSync(dataDir, 0o755)
  const scope = Effect.runSync(Scope.make())
  const stop = async () => {
    await Effect.runPromise(Scope.close(scope, Exit.void))
    rmSync(dataDir, { recursive: true, force: true })
  }
  try {
    const { url } = await Effect.runPromise(embeddedPostgres({ dataDir }).pipe(Scope.extend(scope)))
    await Effect.runPromise(makeTemplate(Redacted.value(url)))
    project.provide("clusterUrl", Redacted.value(url))
  } catch (error) {
    await stop()
    throw error
  }
  return stop
}
