/**
 * What is forgotten on PostgreSQL. A delivery goes when it has been delivered or dead for long enough. An event goes
 * when none of its deliveries is left: no old event ever gets a new one.
 */
import type { SqlClient } from "@effect/sql"
import { Duration, Effect, Schema } from "effect"
import { theRowAs } from "../platform/database/Rows.ts"
import { deadLetterRetention, webhookForgetBatch, webhookRetention } from "../domain/policies/Webhooks.ts"
import { type Batch, forgetInTurn } from "./Forgetting.ts"

const BatchRow = Schema.Struct({
  looked: Schema.Number,
  forgotten: Schema.Number,
  at: Schema.NullOr(Schema.DateFromSelf),
  id: Schema.NullOr(Schema.String)
})
const batch = theRowAs(BatchRow)

const batchOf = ({ at, forgotten, id, looked }: typeof BatchRow.Type): Batch => ({
  looked,
  forgotten,
  last: at === null || id === null ? null : [at, id]
})

const kept = Duration.toSeconds(webhookRetention)
const deadKept = Duration.toSeconds(deadLetterRetention)

export const forgetDeliveriesSql = (sql: SqlClient.SqlClient): Effect.Effect<number> =>
  forgetInTurn(([at, id]) =>
    sql`with looked as materialized (
        select delivery_id, created_at from webhook_deliveries
        where (created_at, delivery_id) > (${at}::timestamptz, ${id}::uuid)
          and created_at < now() - ${kept}::float8 * interval '1 s'
        order by created_at, delivery_id limit ${webhookForgetBatch}::int
      ), old as materialized (
        -- One that somebody has in hand at this moment may be on its way again.
        select delivery_id from webhook_deliveries
        where delivery_id = any (array(select delivery_id from looked)) and status <> 'pending' and updated_at
          < now() - case status when 'dead' then ${deadKept}::float8 else ${kept}::float8 end * interval '1 s'
        for update skip locked
      ), gone as (
        delete from webhook_deliveries where delivery_id = any (array(select delivery_id from old)) returning 1
      )
      select count(*)::int as looked, (select count(*)::int from gone) as forgotten, max(created_at) as at,
        (array_agg(delivery_id order by created_at desc, delivery_id desc))[1] as id
      from looked`.pipe(Effect.flatMap(batch), Effect.map(batchOf), Effect.orDie)
  )

export const forgetEventsSql = (sql: SqlClient.SqlClient): Effect.Effect<number> =>
  forgetInTurn(([at, id]) =>
    sql`with looked as materialized (
        select event_id, created_at from events
        where (created_at, event_id) > (${at}::timestamptz, ${id}::uuid)
          and created_at < now() - ${kept}::float8 * interval '1 s'
        order by created_at, event_id limit ${webhookForgetBatch}::int
      ), gone as (
        delete from events where event_id = any (array(
          select event_id from looked l
          where not exists (select from webhook_deliveries d where d.event_id = l.event_id)
        )) returning 1
      )
      select count(*)::int as looked, (select count(*)::int from gone) as forgotten, max(created_at) as at,
        (array_agg(event_id order by created_at desc, event_id desc))[1] as id
      from looked`.pipe(Effect.flatMap(batch), Effect.map(batchOf), Effect.orDie)
  )
