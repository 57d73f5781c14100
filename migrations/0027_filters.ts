import { SqlClient } from "@effect/sql"
import { Effect } from "effect"
import { transaction } from "../src/platform/database/Migration.ts"

/**
 * Lists that are filtered take as long with millions of rows as with a few. Where a payment is found by what it is now
 * stands beside the payments: with its status in an index of its own, every change would write all indexes of a payment.
 */
export default transaction(
  { besidePrevious: false },
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    sql.unsafe(`
    create table payment_marks (
      org_id uuid not null,
      status text not null,
      direction text not null,
      payment_method text not null,
      created_at timestamptz(3) not null,
      payment_id uuid not null,
      primary key (org_id, status, direction, payment_method, created_at, payment_id)
    );
    insert into payment_marks
      select org_id, status, direction, payment_method, created_at, payment_id from payments order by 1, 2, 3, 4, 5, 6;

    create function payments_mark() returns trigger language plpgsql as $$
    begin
      insert into payment_marks
        select org_id, status, direction, payment_method, created_at, payment_id from inserted;
      return null;
    end $$;
    create trigger payments_marked after insert on payments
      referencing new table as inserted for each statement execute function payments_mark();

    create function payments_mark_again() returns trigger language plpgsql as $$
    begin
      update payment_marks m set status = n.status
      from was w join updated n on n.payment_id = w.payment_id and n.status <> w.status
      where m.org_id = w.org_id and m.status = w.status and m.direction = w.direction
        and m.payment_method = w.payment_method and m.created_at = w.created_at and m.payment_id = w.payment_id;
      return null;
    end $$;
    create trigger payments_marked_again after update on payments
      referencing old table as was new table as updated for each statement execute function payments_mark_again();

    create function payments_unmark() returns trigger language plpgsql as $$
    begin
      delete from payment_marks m using gone g
      where m.org_id = g.org_id and m.status = g.status and m.direction = g.direction
        and m.payment_method = g.payment_method and m.created_at = g.created_at and m.payment_id = g.payment_id;
      return null;
    end $$;
    create trigger payments_unmarked after delete on payments
      referencing old table as gone for each statement execute function payments_unmark();

    drop index payments_reference;
    create index payments_reference on payments (org_id, client_reference, created_at desc, payment_id desc)
      where client_reference is not null;

    create index events_by_type on events (org_id, event_type, created_at desc, event_id desc);

    drop index webhook_deliveries_newest;
    drop index webhook_deliveries_dead;
    create index audit_log_action on audit_log (org_id, action, created_at desc, audit_id desc);
    create index audit_log_all_action on audit_log (action, created_at desc, audit_id desc);
    create index beneficiaries_maker on beneficiaries (beneficiary_of, created_at desc, beneficiary_id desc)
      where deleted_at is null;
    create index operator_items_payment on operator_items (payment_id);
    create index operator_items_all_newest on operator_items (opened_at desc, item_id desc) where closed_at is null;
    create index escrows_account on escrows (account_id, created_at desc, escrow_id desc);
    create index escrows_status on escrows (org_id, status, created_at desc, escrow_id desc);
    create index escrows_all_status on escrows (status, created_at desc, escrow_id desc);

    create index webhook_deliveries_status on webhook_deliveries (org_id, status, created_at desc, delivery_id desc);
    create index webhook_deliveries_endpoint on webhook_deliveries (webhook_id, status, created_at desc, delivery_id desc);
  `)
  )
)
