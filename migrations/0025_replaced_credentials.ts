import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { transaction } from "../src/platform/database/Migration.ts"

/** What a configuration's credentials were before the last change: callbacks are signed with them for a while. */
export default transaction(
  { besidePrevious: false },
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`alter table provider_accounts
    add column replaced text check (replaced <> ''),
    add column replaced_until timestamptz(3),
    add constraint provider_accounts_replaced check ((replaced is null) = (replaced_until is null))`
  )
)
