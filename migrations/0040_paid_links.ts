import { SqlClient } from "@effect/sql"
import { Effect } from "effect"

/** When a link was first paid is found among its first payments, however many there have been since. */
export default Effect.flatMap(SqlClient.SqlClient, (sql) =>
  sql.unsafe(`
    create index payment_link_payments_first on payment_link_payments (link_id, payment_id);
  `)
)
