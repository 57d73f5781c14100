import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { transaction } from "../src/platform/database/Migration.ts"

/** Links that carry their maker's reference, a way back and a look of their own, and receipts by e-mail. */
export default transaction(
  { besidePrevious: false },
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.unsafe(`
    alter table payment_links
      add column client_reference text,
      add column return_url text,
      add column brand_name text,
      add column brand_color text check (brand_color ~ '^#[0-9a-f]{6}$'),
      add column brand_logo bytea check (octet_length(brand_logo) <= 65536);

    alter table notifications drop constraint notifications_kind_check;
    alter table notifications
      add constraint notifications_kind_check check (kind in ('invitation', 'verification_request', 'receipt'));
  `)
  )
)
