/** Work on the whole database that takes as long as it takes, in a transaction of its own. */
import { SqlClient, type SqlError } from "@effect/sql"
import { Effect } from "effect"
import { withoutLimits } from "./Connections.ts"

export const unlimited = <A, E, R>(
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, E | SqlError.SqlError, R | SqlClient.SqlClient> =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql.withTransaction(Effect.zipRight(sql.unsafe(withoutLimits), effect)))
