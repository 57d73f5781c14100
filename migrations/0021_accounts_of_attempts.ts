import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/**
 * Which account at its provider an attempt went through: it is asked about, given back and called back about through the
 * same, and what comes through another says nothing of it.
 */
export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* sql`alter table attempts add column account uuid`
  yield* sql`alter table provider_callbacks add column account uuid`
})
