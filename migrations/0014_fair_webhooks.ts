import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { transaction } from "../src/platform/database/Migration.ts"

/** What waits is found by organisation first, then by endpoint; and what is old, by its event. */
export default transaction(
  { besidePrevious: false },
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.unsafe(`
    -- An endpoint takes its deliveries with it when it goes, and they take their place in the queue: the queue needs no
    -- reference to the endpoint, nor an index for one.
    alter table webhook_queue drop constraint webhook_queue_webhook_id_fkey;
    alter table webhook_queue add column org_id uuid;
    update webhook_queue q set org_id = d.org_id from webhook_deliveries d where d.delivery_id = q.delivery_id;
    alter table webhook_queue alter column org_id set not null;
    drop index webhook_queue_lanes;
    create index webhook_queue_lanes on webhook_queue (org_id, webhook_id, next_at, delivery_id);
    create index webhook_queue_organizations on webhook_queue (org_id, next_at);

    -- An event that is forgotten must have none left.
    create index webhook_deliveries_event on webhook_deliveries (event_id);

    create or replace function events_find_receivers() returns trigger language plpgsql as $$
    begin
      with found as (
        insert into webhook_deliveries (org_id, webhook_id, event_id, event_type)
        select e.org_id, w.webhook_id, e.event_id, e.event_type
        from inserted e
        join webhooks w on w.org_id = e.org_id and w.status = 'active' and (e.test or webhook_wants(w.events, e.event_type))
        returning delivery_id, org_id, webhook_id
      )
      insert into webhook_queue (delivery_id, org_id, webhook_id) select delivery_id, org_id, webhook_id from found;
      return null;
    end $$;
  `)
  )
)
