import { readdirSync, readFileSync } from "node:fs"
import { describe, expect, it, layer } from "@effect/vitest"
import { SqlClient } from "@effect/sql"
import { Effect, Either, Layer, Logger, LogLevel } from "effect"
import { migrate, migrations } from "../../../src/platform/database/Migrations.ts"
import { EmptyDatabase, TestDatabase } from "../../support/TestDatabase.ts"
import { testSettings } from "../../support/TestSettings.ts"

const names = Object.keys(migrations)
const quietly = Logger.withMinimumLogLevel(migrate, LogLevel.None)
const onDatabase = { excludeTestServices: true, timeout: "60 seconds" } as const

describe("the list of migrations", () => {
  it("names every file of migrations/, and nothing else", () => {
    const files = readdirSync(new URL("../../../migrations", import.meta.url)).map((file) => file.replace(/\.ts$/, ""))
    expect(names.toSorted()).toEqual(files.toSorted())
  })

  const sources = names.map((name) => ({
    name,
    source: readFileSync(new URL(`../../../migrations/${name}.ts`, import.meta.url), "utf8")
  }))

  it("builds and drops indexes of existing tables without blocking their writers", () => {
    for (const { name, source } of sources) {
      const tables = source.matchAll(/create (?:unlogged )?table (?:if not exists )?(\w+)|monthly\("(\w+)"/gi)
      const made = new Set(Array.from(tables, ([, table, parted]) => table ?? `${parted}_default`))
      const blocking = Array.from(source.matchAll(/create (?:unique )?index \w+\s+on (\w+)/gi), ([, table]) => table!)
      expect(
        blocking.filter((table) => !made.has(table)),
        `${name}: use indexes({ create }) of Migration.ts`
      ).toEqual([])
      expect(/drop index/i.test(source), `${name}: use indexes({ drop }) of Migration.ts`).toBe(false)
    }
  })

  it("counts up from one without a gap", () => {
    expect(names.map((name) => Number(name.slice(0, 4)))).toEqual(names.map((_, index) => index + 1))
  })
})

layer(EmptyDatabase.pipe(Layer.provide(testSettings())), onDatabase)("migrate on an empty database", (it) => {
  it.effect("applies each migration once when five instances start together, and nothing after that", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const runs = yield* Effect.replicateEffect(quietly, 5, { concurrency: "unbounded" })
      expect(runs.flat().map(([id]) => id)).toEqual(names.map((_, index) => index + 1))
      expect(yield* migrate).toEqual([])
      const rows = yield* sql<{ migration_id: number }>`select migration_id from corridor_migrations order by 1`
      expect(rows).toHaveLength(names.length)
      expect(yield* sql`select 1 from organizations`).toEqual([])
    })
  )
})

const ORG = "00000000-0000-7000-8000-000000000001"
const USER = "00000000-0000-7000-8000-000000000002"
const COLLEAGUE = "00000000-0000-7000-8000-000000000003"
const LATER = "00000000-0000-7000-8000-000000000004"
const NOBODY = "00000000-0000-7000-8000-000000000005"

type Row = Readonly<Record<string, unknown>>

/** A row that each table takes; the database refuses it with any one of the changes beside it. */
const tables: Readonly<Record<string, readonly [row: Row, ...changes: ReadonlyArray<Row>]>> = {
  organizations: [
    { org_id: LATER, name: "Initech", country: "KE", currency: "KES", email: "a@b.example" },
    { name: "" },
    { country: "ke" },
    { country: "KEN" },
    { currency: "KE" },
    { kyb_status: "maybe" },
    { review_threshold: "-0.01" },
    { spread_bps: 10_000 },
    { spread_bps: -1 }
  ],
  users: [
    { user_id: LATER, subject: "idp|x", email: "x@b.example" },
    { subject: "" },
    { subject: "taken" },
    { email: "TAKEN@b.example" },
    { country: "Kenya" }
  ],
  memberships: [
    { org_id: ORG, user_id: COLLEAGUE, role: "staff" },
    { role: "admin" },
    { role: "ORG-ADMIN" },
    { org_id: NOBODY },
    { user_id: NOBODY }
  ],
  member_permissions: [
    { org_id: ORG, user_id: USER, permission: "refunds", granted_by: "boss" },
    { permission: "everything" },
    { user_id: NOBODY }
  ],
  message_counts: [
    { counted: "by somebody", window_start: new Date(0), messages: 1 },
    { messages: 0 },
    { counted: null },
    { window_start: null }
  ],
  api_keys: [
    {
      api_key_id: LATER,
      org_id: ORG,
      user_id: USER,
      name: "Till",
      role: "staff",
      mode: "test",
      prefix: "ck_test_abcd",
      hash: Buffer.alloc(32, 1)
    },
    { role: "admin" },
    { obtained_by: COLLEAGUE },
    { mode: "sandbox" },
    { name: "" },
    { name: "x".repeat(101) },
    { prefix: "ck_test_" },
    { hash: Buffer.alloc(31) },
    { hash: Buffer.alloc(32, 9) },
    { status: "gone" },
    { status: "expiring" },
    { status: "revoked", expires_at: new Date(0) },
    { expires_at: new Date(0) },
    { org_id: NOBODY },
    { user_id: NOBODY }
  ],
  audit_log: [
    { audit_id: LATER, actor_type: "user", actor_id: "a", action: "b", subject_type: "c", subject_id: "d" },
    { actor_type: "robot" },
    { org_id: NOBODY }
  ],
  provider_configs: [
    { config_id: LATER, provider: "fiat", country: "KE", payment_method: "card", direction: "inbound" },
    { provider: "" },
    { country: "Kenya" },
    { payment_method: "cheque" },
    { direction: "sideways" },
    { min_amount: "-1" },
    { min_amount: "2", max_amount: "1" }
  ],
  rates: [
    { from_currency: "USD", to_currency: "KES", rate: "129", compared_rate: "129" },
    { compared_rate: "0" },
    { rate: "0" },
    { rate: "-1" },
    { to_currency: "USD" },
    { to_currency: "kes" }
  ],
  master_key: [{ key_id: "a", check_value: "b" }, { singleton: false }]
}

const taken = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`insert into organizations (org_id, name, country, currency, email)
    values (${ORG}, 'Acme', 'KE', 'KES', 'a@b.example')`
  yield* sql`insert into users (user_id, subject, email) values (${USER}, 'taken', 'taken@b.example'),
    (${COLLEAGUE}, 'colleague', 'colleague@b.example')`
  yield* sql`insert into memberships (org_id, user_id, role) values (${ORG}, ${USER}, 'staff')`
  yield* sql`insert into api_keys (api_key_id, org_id, user_id, name, role, mode, prefix, hash)
    values (${USER}, ${ORG}, ${USER}, 'Till', 'staff', 'test', 'ck_test_abcd', ${Buffer.alloc(32, 9)})`
})

const Seeded = Layer.effectDiscard(taken).pipe(Layer.provideMerge(TestDatabase), Layer.provide(testSettings()))

layer(Seeded, onDatabase)("the database itself", (it) => {
  /** The SQL state of the refusal; those of class 23 are violated constraints. */
  const insert = (table: string, row: Row) =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const result = yield* Effect.either(sql`insert into ${sql(table)} ${sql.insert({ ...row })}`)
      return Either.isRight(result) ? "inserted" : String((result.left.cause as { code?: unknown }).code)
    })

  it.effect.each(Object.entries(tables))("refuses rows of %s that must not be", ([table, [row, ...changes]]) =>
    Effect.gen(function* () {
      for (const change of changes) {
        expect(yield* insert(table, { ...row, ...change }), JSON.stringify(change)).toMatch(/^23/)
      }
      expect(yield* insert(table, row), "the row without a change").toBe("inserted")
    })
  )
})
