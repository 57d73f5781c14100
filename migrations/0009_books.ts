import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { transaction } from "../src/platform/database/Migration.ts"

/** What connects payments to the books: which account pays for one, and whether its money is held. */
export default transaction(
  { besidePrevious: false },
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.unsafe(`
    -- The account of the books that a payout is paid from; null is the organisation's settlement account.
    alter table payments add column funding text;
    -- True from the attempt that is committed until the payment has ended.
    alter table payments add column holds boolean not null default false;
  `)
  )
)
