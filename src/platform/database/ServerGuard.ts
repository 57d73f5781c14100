/**
 * Ties a database to one PostgreSQL cluster and its highest timeline. An instance that meets another cluster, or a lower
 * timeline, does not start: it may have been led to an old primary, a clone or a restored copy.
 */
import { SqlClient } from "@effect/sql"
import { Data, Effect, Option, Schema } from "effect"
import { rowAs } from "./Rows.ts"
import { Primary } from "./Timeline.ts"

export class OtherServer extends Data.TaggedError("OtherServer")<{ readonly message: string }> {}

const kept = rowAs(
  Schema.Struct({ system_identifier: Schema.NullOr(Schema.String), timeline: Schema.NullOr(Schema.Number) })
)

const ACCEPT =
  'If this is meant (a restore, pg_upgrade, a move), run "corridor migrate --accept-server"; else correct DATABASE_URL.'

/** Why the server is not the one that the database was last used on; none where it is. */
export const otherServer = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const server = (yield* Primary).server()
  const row = yield* sql`select system_identifier, timeline::float8 as timeline from database_identity`.pipe(
    Effect.flatMap(kept)
  )
  if (server === undefined || Option.isNone(row)) return Option.none<string>()
  const { system_identifier, timeline } = row.value
  if (system_identifier !== null && server.system !== null && system_identifier !== server.system) {
    return Option.some(
      `This database was last used on another PostgreSQL cluster (system identifier ${system_identifier}, here ${server.system}). ${ACCEPT}`
    )
  }
  return timeline !== null && server.timeline !== null && server.timeline < timeline
    ? Option.some(
        `This PostgreSQL is on timeline ${server.timeline}, and timeline ${timeline} was seen already. ${ACCEPT}`
      )
    : Option.none<string>()
})

/** Writes only what is news. */
export const RECORD_SERVER = `update database_identity set system_identifier = $1, timeline = $2
  where (system_identifier, timeline) is distinct from ($1, $2::bigint)`

/** The cluster and timeline at hand, whatever was recorded before. */
export const recordServer = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const server = (yield* Primary).server()
  if (server === undefined) return
  yield* sql.unsafe(RECORD_SERVER, [server.system, server.timeline])
}).pipe(Effect.orDie)

/** On a migrated database, at the start. */
export const guardServer = Effect.gen(function* () {
  const reason = yield* Effect.orDie(otherServer)
  if (Option.isSome(reason)) return yield* new OtherServer({ message: reason.value })
  yield* recordServer
})
