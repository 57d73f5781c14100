/** Starts the sandbox over while its server runs: everything goes but what the running server has in its memory. */
import { SqlClient } from "@effect/sql"
import { Context, Effect, Layer, Schema } from "effect"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"
import { rowsAs } from "../../platform/database/Rows.ts"
import { AuditLog } from "../../platform/audit/AuditLog.ts"
import { issuerSecret } from "../../people/auth/DevelopmentIssuer.ts"
import { Settings } from "../../platform/config/Settings.ts"
import { withoutLimits } from "../../platform/database/Connections.ts"
import { Transactor } from "../../platform/database/Transactor.ts"
import type { Permit } from "../../domain/Access.ts"
import { Conflict } from "../../domain/Failure.ts"
import { Sandbox, type SandboxCredentials } from "./Sandbox.ts"

/** The schema and the rules that came with it, who the database is, its key, and the secrets, of which the issuer's stays. */
const keptTables = [
  "corridor_migrations",
  "database_identity",
  "figures",
  "master_key",
  "secrets",
  "payment_transitions"
]

const tableNames = rowsAs(Schema.Struct({ tablename: Schema.String }))

export class Reset extends Context.Tag("corridor/Reset")<
  Reset,
  { readonly run: (permit: Permit<"platform">) => Stored<SandboxCredentials, Conflict> }
>() {
  static readonly layer = Layer.effect(
    Reset,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const sandbox = yield* Sandbox
      const audit = yield* AuditLog
      const { mode } = yield* Settings
      const { atomically } = yield* Transactor

      const empty = Effect.gen(function* () {
        yield* sql.unsafe(withoutLimits)
        const tables = yield* sql`select tablename from pg_tables
          where schemaname = current_schema() and not (${sql.in("tablename", keptTables)}) order by tablename`.pipe(
          Effect.flatMap(tableNames)
        )
        yield* sql`truncate ${sql.csv(tables.map(({ tablename }) => sql`${sql(tablename)}`))}`
        yield* sql`delete from secrets where name <> ${issuerSecret}`
      }).pipe(Effect.orDie)

      return {
        run: Effect.fn("Reset.run")(function* (permit) {
          if (mode !== "sandbox") {
            return yield* new Conflict({ message: "Only a sandbox can be reset, and CORRIDOR_MODE is live." })
          }
          return yield* atomically(
            Effect.gen(function* () {
              yield* empty
              const credentials = yield* sandbox.ensure
              yield* audit.record(permit, { action: "sandbox.reset", org: null, subject: ["sandbox", "sandbox"] })
              return credentials
            })
          )
        })
      }
    })
  )
}
