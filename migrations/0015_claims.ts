import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/**
 * A key's row says which request wrote it: only that one keeps its answer there, or takes the row back. What is kept
 * for a time only is found by its age.
 */
export default Effect.flatMap(SqlClient.SqlClient, (sql) =>
  sql.unsafe(`
    alter table idempotency_keys add column claim uuid;

    create index provider_callbacks_strays on provider_callbacks (received_at) where payment_id is null;
  `)
)
