/** Deliveries in PostgreSQL. */
import { SqlClient } from "@effect/sql"
import { Effect, Layer } from "effect"
import { Settings } from "../platform/config/Settings.ts"
import { orDatabaseFailure } from "../platform/database/DatabaseFailure.ts"
import { rowAs, rowsAs } from "../platform/database/Rows.ts"
import { ownedIn } from "../platform/database/Query.ts"
import { newestDeliveries } from "./DeliveryList.ts"
import { forgetDeliveriesSql } from "./ForgetSql.ts"
import { Delivery, DeliveryStore, PaymentDelivery } from "./DeliveryStore.ts"

const delivery = rowAs(Delivery)
const deliveries = rowsAs(Delivery)
const paymentDeliveries = rowsAs(PaymentDelivery)

export const deliveryStoreSql = Layer.effect(
  DeliveryStore,
  Effect.map(Effect.all([SqlClient.SqlClient, Settings]), ([sql, settings]): DeliveryStore["Type"] => {
    const columns = sql.literal(`d.delivery_id, d.org_id, d.webhook_id, d.event_id, d.event_type, d.status, d.attempts,
      d.last_status_code, d.last_error, d.created_at,
      (select next_at from webhook_queue q where q.delivery_id = d.delivery_id) as next_attempt_at`)
    return {
      list: (scope, filter, window) =>
        sql`select ${columns} from webhook_deliveries d where ${newestDeliveries(sql, scope, filter, window)}`.pipe(
          Effect.flatMap(deliveries),
          orDatabaseFailure
        ),
      find: (scope, id) =>
        sql`select ${columns} from webhook_deliveries d
          where delivery_id = ${id} and ${ownedIn(sql, scope)}`.pipe(Effect.flatMap(delivery), orDatabaseFailure),
      // One time after the other, and each event's deliveries by its id: a plain join may read all events of the
      // organisation, or all deliveries of an endpoint, for the few of a payment.
      ofPayment: (orgId, paymentId, eventTimes) =>
        sql`select ${columns}, e.created_at as event_at
          from (select distinct value::timestamptz as at
            from jsonb_array_elements_text(${JSON.stringify(eventTimes)}::jsonb)) t
          cross join lateral (select * from events e
            where e.org_id = ${orgId} and e.created_at = t.at and e.payment_id = ${paymentId} offset 0) e
          cross join lateral (select * from webhook_deliveries d where d.event_id = e.event_id offset 0) d
          order by e.created_at, e.event_id, d.delivery_id`.pipe(Effect.flatMap(paymentDeliveries), orDatabaseFailure),
      requeue: (scope, id) =>
        sql`with again as (
            update webhook_deliveries set status = 'pending', updated_at = now()
            where delivery_id = ${id} and status <> 'pending' and ${ownedIn(sql, scope)}
            returning delivery_id, org_id, webhook_id, event_id, created_at
          )
          insert into webhook_queue (delivery_id, org_id, webhook_id, delivery_at, event_id, event_at)
          select a.delivery_id, a.org_id, a.webhook_id, a.created_at, a.event_id, e.created_at
          from again a join events e on e.event_id = a.event_id
          returning delivery_id`.pipe(
          Effect.map((rows) => rows.length > 0),
          orDatabaseFailure
        ),
      forgetOld: forgetDeliveriesSql(sql, settings)
    }
  })
)
