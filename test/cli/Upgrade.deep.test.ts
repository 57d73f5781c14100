/** Databases and backups of other versions: an older one is brought up to date, one without an upgrade is refused unchanged. */
import { rmSync } from "node:fs"
import { join } from "node:path"
import { PgClient } from "@effect/sql-pg"
import { Effect, Logger, LogLevel, Redacted } from "effect"
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest"
import { migrations, migrateTo } from "../../src/platform/database/Migrations.ts"
import {
  cliIn,
  dataIn,
  freePort,
  type OwnDatabase,
  ownDatabase,
  query,
  serverThatEnds,
  temporaryFolder
} from "./Cli.ts"

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 })

const folder = temporaryFolder()
const environment = ({ url }: OwnDatabase) => ({
  DATABASE_URL: url,
  DATA_DIR: folder,
  CORRIDOR_MASTER_KEY: "33".repeat(32)
})

afterAll(() => rmSync(folder, { recursive: true }))

const makeOrganization = `insert into organizations (org_id, name, country, currency, email)
  values ('00000000-0000-7000-8000-000000000001', 'Acme', 'KE', 'KES', 'a@b.example')`

it("restores a backup of the version before, and applies the migrations since", async () => {
  const last = Object.keys(migrations).length
  const [older, target] = [await ownDatabase("empty"), await ownDatabase("empty")]
  await Effect.runPromise(
    migrateTo(last - 1).pipe(
      Logger.withMinimumLogLevel(LogLevel.None),
      Effect.provide(PgClient.layer({ url: Redacted.make(older.url), maxConnections: 2 }))
    )
  )
  await query(older.url, makeOrganization)
  const file = join(folder, "older.backup")
  await dataIn(environment(older))("backup", file)
  expect(await dataIn(environment(target))("restore", file)).toMatchObject({
    migrations_applied: [last],
    books: { problems: [] }
  })
  expect(await dataIn(environment(target))("orgs", "list")).toMatchObject([{ name: "Acme" }])
  await Promise.all([older.drop(), target.drop()])
})

/** The list of migrations as versions before the first release kept it, and one of their tables. */
const unreleased = `
  create table corridor_migrations (
    migration_id integer primary key, created_at timestamptz not null default now(), name text not null);
  insert into corridor_migrations (migration_id, name) values
    (1, 'foundation'), (2, 'payments'), (3, 'actions'), (4, 'webhooks'), (5, 'ledger'), (48, 'bounded_lists');
  create table organizations (org_id uuid primary key)`

const databases = [
  { name: "of before the first release", state: "empty", prepare: unreleased },
  {
    name: "made by a migration that was edited since",
    state: "migrated",
    prepare: "update corridor_migrations set checksum = 'another' where migration_id = 5"
  }
] as const

const commands = [
  ["migrate"],
  ["migrate", "--accept-server"],
  ["orgs", "list"],
  ["ledger", "check"],
  ["payments", "list"],
  ["queue"],
  ["backup", join(folder, "refused.backup")],
  ["secrets", "rotate"],
  ["sandbox", "reset", "--yes"]
]

describe.each(databases)("a database $name", ({ prepare, state }) => {
  let database: OwnDatabase
  const shape = () =>
    query(
      database.url,
      `select relname, (select count(*)::int from corridor_migrations) as applied from pg_class
        where relnamespace = 'public'::regnamespace order by 1`
    )
  let before: ReadonlyArray<object>

  beforeAll(async () => {
    database = await ownDatabase(state)
    await query(database.url, prepare)
    before = await shape()
  })

  afterAll(() => database.drop())

  const expectResetHint = (text: string) => {
    expect(text).toContain("made by an earlier version of Corridor, and there is no upgrade from it")
    for (const word of ["To reset it", "DATA_DIR", "DATABASE_URL"]) expect(text).toContain(word)
  }

  it.each(commands.map((command) => ({ command, name: command.slice(0, 2).join(" ") })))(
    "is refused by $name, which says how to reset it",
    async ({ command }) => {
      const env = { ...environment(database), CORRIDOR_NEW_MASTER_KEY: "44".repeat(32) }
      const { code, stderr } = await cliIn(env)(...command)
      expect(code).toBe(1)
      expectResetHint(stderr)
      expect(await shape()).toEqual(before)
    }
  )

  it("is a failed check of doctor", async () => {
    const { code, stdout } = await cliIn(environment(database))("doctor", "--json")
    expect(code).toBe(1)
    const { data } = JSON.parse(stdout) as { readonly data: ReadonlyArray<Record<string, string>> }
    const check = data.find(({ name }) => name === "Migrations")
    expect(check).toMatchObject({ status: "fail" })
    expectResetHint(check!["message"]!)
    expect(await shape()).toEqual(before)
  })

  it("is refused by the server", async () => {
    const { code, stderr, stdout } = await serverThatEnds({ ...environment(database), PORT: await freePort() })
    expect(code).toBe(1)
    expectResetHint(stderr + stdout)
    expect(await shape()).toEqual(before)
  })
})
