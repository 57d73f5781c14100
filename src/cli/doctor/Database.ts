/** What `corridor doctor` looks at in the database. It changes nothing there. */
import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { DatabaseServer } from "../../database/DatabaseServer.ts"
import { migrations } from "../../database/Migrations.ts"
import { currentMasterKey } from "../../secrets/MasterKeyGuard.ts"
import { checkValue } from "../../secrets/Vault.ts"
import { type Check, fail, ok, warn } from "./Check.ts"

const known = Object.keys(migrations).map((name) => Number.parseInt(name, 10))

const exists = Effect.fn("Doctor.tableExists")(function* (table: string) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ there: boolean }>`select to_regclass(${table}) is not null as there`
  return row?.there === true
})

const reachable = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { embedded } = yield* DatabaseServer
  const [row] = yield* sql<{ version: string }>`select current_setting('server_version') as version`
  return ok("Database", `PostgreSQL ${row?.version ?? "?"}, ${embedded ? "the embedded one" : "from DATABASE_URL"}`)
})

const schema = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const applied = (yield* exists("corridor_migrations"))
    ? (yield* sql<{ id: number }>`select migration_id as id from corridor_migrations`).map(({ id }) => id)
    : []
  if (applied.some((id) => !known.includes(id))) {
    return fail("Migrations", "a newer version of Corridor has changed this database: update this one.")
  }
  const pending = known.filter((id) => !applied.includes(id)).length
  return pending === 0
    ? ok("Migrations", `up to date (${applied.length} applied)`)
    : warn("Migrations", `${pending} pending: run "corridor migrate", or just start the server.`)
})

const masterKey = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const key = yield* currentMasterKey
  const [kept] = (yield* exists("master_key"))
    ? yield* sql<{ key_id: string; check_value: string }>`select key_id, check_value from master_key`
    : []
  if (kept === undefined) return ok("Master key", `${key.id}; the first start ties the database to it`)
  return kept.check_value === checkValue(key)
    ? ok("Master key", `${key.id} is the one this database belongs to`)
    : fail(
        "Master key",
        `the database belongs to ${kept.key_id}, but this process has ${key.id}: set CORRIDOR_MASTER_KEY to the key that was used before.`
      )
})

/** A question that the database refuses to answer is a finding like any other. */
const orFinding = <R>(name: string, check: Effect.Effect<Check, { readonly cause?: unknown }, R>) =>
  Effect.catchAll(check, ({ cause }) =>
    Effect.succeed(fail(name, `could not be looked at: ${cause instanceof Error ? cause.message : String(cause)}.`))
  )

export const databaseChecks = Effect.all([
  orFinding("Database", reachable),
  orFinding("Migrations", schema),
  orFinding("Master key", masterKey)
])
