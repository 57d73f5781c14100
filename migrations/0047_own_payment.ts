import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { transaction } from "../src/platform/database/Migration.ts"

/**
 * The payment of a movement is found by its id only. Beside it, `org_id =` let the planner read all payments of the
 * organisation while `payments` was never analysed. No index serves `uuid_eq`.
 */
export default transaction(
  { besidePrevious: true },
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.unsafe(`
    create or replace function virtual_transactions_own_payment() returns trigger language plpgsql as $$
    begin
      if not exists (select from payments where payment_id = new.payment_id and uuid_eq(org_id, new.org_id)) then
        raise exception 'payment % is not of organisation %', new.payment_id, new.org_id
          using errcode = 'foreign_key_violation', constraint = 'virtual_transactions_own_payment', table = 'virtual_transactions';
      end if;
      return null;
    end $$;`)
  )
)
