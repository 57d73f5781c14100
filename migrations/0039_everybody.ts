import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { transaction } from "../src/platform/database/Migration.ts"

/**
 * Operators look in all organisations at once, and took as many looks as there are organisations. Lists of one
 * organisation must not come upon the indexes for everybody's: what those hold is written in another way.
 */
export default transaction(
  { besidePrevious: false },
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.unsafe(`
    drop index payments_reference;
    create index payments_reference on payments (client_reference, org_id, created_at) where client_reference is not null;

    create function anyones_email(email text) returns bigint language sql immutable parallel safe as $$
      select hashtextextended(lower(email), 0)
    $$;
    create function anyones_phone(phone text) returns bigint language sql immutable parallel safe as $$
      select hashtextextended(regexp_replace(phone, '\\D', '', 'g'), 0)
    $$;
    create index payments_all_email on payments (
      anyones_email(coalesce(payer_details->>'email', recipient_info->>'email')), created_at)
      where coalesce(payer_details->>'email', recipient_info->>'email') is not null;
    create index payments_all_other_email on payments (anyones_email(recipient_info->>'email'), created_at)
      where payer_details->>'email' <> recipient_info->>'email';
    create index payments_all_phone on payments (anyones_phone(
      coalesce(payer_details->>'phone', mobile_money_details->>'phone_number', recipient_info->>'phone_number')), created_at)
      where coalesce(payer_details->>'phone', mobile_money_details->>'phone_number', recipient_info->>'phone_number') is not null;
    create index payments_all_other_phone on payments (anyones_phone(mobile_money_details->>'phone_number'), created_at)
      where payer_details->>'phone' <> mobile_money_details->>'phone_number';
    create index payments_all_third_phone on payments (anyones_phone(recipient_info->>'phone_number'), created_at)
      where coalesce(payer_details->>'phone', mobile_money_details->>'phone_number') <> recipient_info->>'phone_number';

    create index webhook_deliveries_all on webhook_deliveries (lower(status), created_at);
  `)
  )
)
