import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { transaction } from "../src/platform/database/Migration.ts"

/** How often in a row a hint about an attempt was asked after in vain: the next time is further away each time. */
export default transaction(
  { besidePrevious: false },
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql`alter table attempts add column hints smallint not null default 0`)
)
