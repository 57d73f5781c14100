import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { transaction } from "../src/platform/database/Migration.ts"

/**
 * What the headers of an attempt told beyond its event: the second that it was signed for, the service's signature and
 * behind it those of Standard Webhooks (32 bytes each, one for each secret), and its trace: version, trace, span, flags.
 */
export default transaction(
  { besidePrevious: false },
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`alter table webhook_attempts
    add column signed_at timestamptz(0), add column signatures bytea, add column trace bytea`
  )
)
