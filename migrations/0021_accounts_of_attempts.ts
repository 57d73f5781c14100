import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { transaction } from "../src/platform/database/Migration.ts"

/**
 * Which account at its provider an attempt went through: it is asked about, given back and called back about through the
 * same, and what comes through another says nothing of it.
 */
export default transaction(
  { besidePrevious: false },
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    yield* sql`alter table attempts add column account uuid`
    yield* sql`alter table provider_callbacks add column account uuid`
  })
)
