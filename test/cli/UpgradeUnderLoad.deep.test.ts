/** Migrations applied beside a server that serves, while a reader keeps a table open. */
import { readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { PgClient } from "@effect/sql-pg"
import { Effect, Either, Logger, LogLevel, Redacted } from "effect"
import { Client } from "pg"
import { afterAll, beforeAll, expect, it, vi } from "vitest"
import { indexes, transaction } from "../../src/platform/database/Migration.ts"
import { type Migrations, MigrationRefused, runMigrations, migrations } from "../../src/platform/database/Migrations.ts"
import { byPhone } from "../payments/support/Requests.ts"
import {
  freePort,
  type OwnDatabase,
  ownDatabase,
  query,
  type RunningServer,
  startServer,
  temporaryFolder
} from "./Cli.ts"

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const dataDir = temporaryFolder()
let database: OwnDatabase
let server: RunningServer
let key: string

beforeAll(async () => {
  database = await ownDatabase("empty")
  server = await startServer({
    DATABASE_URL: database.url,
    DATA_DIR: dataDir,
    PORT: await freePort(),
    RATE_LIMIT_PER_MINUTE: "0",
    SANDBOX_RAIL_PACE: "100 millis"
  })
  const { orgs } = JSON.parse(readFileSync(join(dataDir, "sandbox.json"), "utf8")) as {
    readonly orgs: ReadonlyArray<{ readonly api_key: string }>
  }
  key = orgs[0]!.api_key
})

afterAll(async () => {
  await server.stop()
  await database.drop()
  rmSync(dataDir, { recursive: true })
})

const change = (statement: string) => transaction({ besidePrevious: true }, statement)

const apply = (later: Migrations) =>
  Effect.runPromise(
    Logger.withMinimumLogLevel(Effect.either(runMigrations({ ...migrations, ...later })), LogLevel.None).pipe(
      Effect.provide(PgClient.layer({ url: Redacted.make(database.url), maxConnections: 2 }))
    )
  )

const applied = async () =>
  (
    await query<{ id: number }>(
      database.url,
      "select migration_id as id from corridor_migrations where migration_id > 9000"
    )
  )
    .map(({ id }) => id)
    .toSorted()

interface Answer {
  readonly status: number
  readonly millis: number
}

const pay = async (): Promise<Answer> => {
  const began = performance.now()
  const answer = await fetch(`${server.url}/v1/payments-init/initiate`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: "NONE", "x-api-key": key },
    body: JSON.stringify(byPhone())
  })
  await answer.arrayBuffer()
  return { status: answer.status, millis: performance.now() - began }
}

/** Callers who pay one after the other until the work is done, each at least twice. */
const payingDuring = async (work: () => Promise<void>): Promise<ReadonlyArray<Answer>> => {
  const answers: Array<Answer> = []
  let going = true
  const caller = async () => {
    for (let nth = 0; going || nth < 2; nth++) answers.push(await pay())
  }
  const callers = Array.from({ length: 4 }, caller)
  await work().finally(() => {
    going = false
  })
  await Promise.all(callers)
  return answers
}

it("holds up no payment while a reader keeps the migration waiting, and is applied when the reader leaves", async () => {
  const reader = new Client({ connectionString: database.url })
  await reader.connect()
  await reader.query("begin; select count(*) from payments")
  const answers = await payingDuring(async () => {
    const upgrade = apply({
      "9001_column": change("alter table payments add column probe text"),
      "9002_index": indexes({ besidePrevious: true, create: { payments_probe: "on payments (probe)" } }),
      "9003_table": change("create table probes (probe_id uuid primary key)")
    })
    // Long enough for three tries, and for a payment behind each.
    for (let nth = 0; nth < 30; nth++) await pay()
    expect(await applied()).toEqual([])
    await reader.query("commit")
    expect(Either.map(await upgrade, (done) => done.map(([id]) => id))).toEqual(Either.right([9001, 9002, 9003]))
  })
  await reader.end()
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
  // Behind one try at most: the reader leaves only after all of them were answered. A loaded machine adds its own time.
  expect(Math.max(...answers.map(({ millis }) => millis))).toBeLessThan(10_000)
  expect(await applied()).toEqual([9001, 9002, 9003])
  expect(
    await query(database.url, "select indisvalid as valid from pg_index where indexrelid = 'payments_probe'::regclass")
  ).toEqual([{ valid: true }])
})

it("builds an index anew that an interrupted build left behind, and drops one beside payments", async () => {
  await pay()
  await pay()
  const broken = query(database.url, "create unique index concurrently payments_currency on payments (currency)")
  await expect(broken).rejects.toThrow("could not create unique index")
  const answers = await payingDuring(async () => {
    const done = await apply({
      "9004_indexes": indexes({
        besidePrevious: true,
        create: { payments_currency: "on payments (currency)" },
        drop: ["payments_probe", "never_there"]
      })
    })
    expect(Either.isRight(done)).toBe(true)
  })
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
  expect(
    await query(
      database.url,
      "select indexrelid::regclass::text as name, indisvalid as valid from pg_index where indexrelid::regclass::text in ('payments_currency', 'payments_probe')"
    )
  ).toEqual([{ name: "payments_currency", valid: true }])
})

it("refuses what the version before cannot live with while its instances are connected", async () => {
  await pay()
  const refused = await apply({
    "9005_gone": { ...change("alter table payments drop column probe"), besidePrevious: false }
  })
  expect(Either.getOrThrow(Either.flip(refused))).toBeInstanceOf(MigrationRefused)
  expect(await applied()).not.toContain(9005)
  expect((await pay()).status).toBe(200)
})

it("leaves what was applied before a migration that fails, and none of the one that fails", async () => {
  const later = {
    "9006_made": change("create table made (id int)"),
    "9007_wrong": change("create table half (id int); select 1 / 0")
  }
  await expect(apply(later)).rejects.toThrow("Failed to execute statement")
  expect(await applied()).toContain(9006)
  expect(await query(database.url, "select to_regclass('half')::text as half")).toEqual([{ half: null }])
  const mended = { ...later, "9007_wrong": change("create table half (id int)") }
  expect(Either.map(await apply(mended), (done) => done.map(([id]) => id))).toEqual(Either.right([9007]))
})
