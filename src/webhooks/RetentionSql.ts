/**
 * What is forgotten on PostgreSQL: a month as a whole, once it has been over for long enough, and after it, one by one, what
 * was needed of it for longer. A delivery goes when it has been delivered or dead for long enough. An event goes when none
 * of its deliveries is left: no old event ever gets a new one.
 */
import type { SqlClient } from "@effect/sql"
import { Duration, Effect, Schema } from "effect"
import { orDatabaseFailure, type Stored } from "../platform/database/DatabaseFailure.ts"
import { theRowAs } from "../platform/database/Query.ts"
import type { Settings } from "../platform/config/Settings.ts"
import { deleteArchivedRows, detachOldPartitions } from "../platform/partitions/DetachOld.ts"
import { webhookForgetBatch } from "../domain/policies/WebhookPolicies.ts"
import { nilUuid } from "../domain/Ids.ts"

/** How old rows are forgotten: from the oldest on, in small batches, and past those that have to stay. */

/** When the last row that was looked at was written, and its id. */
export type Position = readonly [at: Date, id: string]

export interface Batch {
  readonly looked: number
  readonly forgotten: number
  /** None when there was nothing to look at. */
  readonly last: Position | null
}

const beginning: Position = [new Date(0), nilUuid]

/** The walk goes on where it was at the next call, so that rows that stay are not looked at again for every batch. */
export const forgetInTurn = (lookBehind: (position: Position) => Stored<Batch>): Stored<number> => {
  let position = beginning
  const forget: Stored<number> = Effect.suspend(() => lookBehind(position)).pipe(
    Effect.flatMap(({ forgotten, last, looked }) => {
      const isOver = last === null || looked < webhookForgetBatch
      position = isOver ? beginning : last
      return isOver || forgotten > 0 ? Effect.succeed(forgotten) : forget
    })
  )
  return forget
}

type Kept = Pick<Settings["Type"], "archiveDir" | "retention">

const BatchRow = Schema.Struct({
  looked: Schema.Number,
  at: Schema.NullOr(Schema.DateFromSelf),
  id: Schema.NullOr(Schema.String),
  gone: Schema.Array(Schema.String),
  /** Their attempts, where they had any. */
  tried: Schema.optional(Schema.Array(Schema.String))
})
const batch = theRowAs(BatchRow)

const ago = (duration: Duration.Duration) => `now() - interval '${Duration.toSeconds(duration)} s'`

/** Looks at a batch of the default part behind a position; `gone` are the rows that it removed, as JSON. */
const lookBehind =
  (sql: SqlClient.SqlClient, { archiveDir }: Kept, table: string, statement: string) =>
  ([at, id]: readonly [Date, string]): Stored<Batch> =>
    Effect.suspend(() => {
      let seen: typeof BatchRow.Type | undefined
      const looked = Effect.map(Effect.flatMap(sql.unsafe(statement, [at, id, webhookForgetBatch]), batch), (row) => {
        seen = row
        const tried = (row.tried ?? []).map((line) => ({ line, of: "webhook_attempts" }))
        return [...row.gone.map((line) => ({ line })), ...tried]
      })
      return Effect.map(deleteArchivedRows(sql, archiveDir, table, looked), (forgotten) => ({
        looked: seen?.looked ?? 0,
        forgotten,
        last: seen === undefined || seen.at === null || seen.id === null ? null : ([seen.at, seen.id] as const)
      }))
    }).pipe(orDatabaseFailure)

const answer = (id: string, more = "") => `select count(*)::int as looked, max(created_at) as at,
    (array_agg(${id} order by created_at desc, ${id} desc))[1] as id, array(select line from gone) as gone${more} from looked`

const forgetting = (months: Stored<number>, rest: Stored<number>): Stored<number> =>
  Effect.flatMap(months, (left) => Effect.map(rest, (gone) => left + gone))

export const deleteExpiredDeliveries = (sql: SqlClient.SqlClient, kept: Kept): Stored<number> => {
  const { deadLetters, webhooks: keptFor } = kept.retention
  const isNeeded = `(l.status = 'pending' or l.updated_at >= case l.status when 'dead' then ${ago(deadLetters)} else ${ago(keptFor)} end)`
  const months = Effect.zipWith(
    detachOldPartitions(sql, {
      table: "webhook_deliveries",
      keptFor,
      stillNeeded: {
        key: "delivery_id",
        rows: isNeeded,
        lately: `select delivery_id from webhook_queue where delivery_at < ${ago(keptFor)}`
      }
    }),
    detachOldPartitions(sql, {
      table: "webhook_attempts",
      keptFor,
      stillNeeded: {
        key: "delivery_id",
        rows: "exists (select from webhook_deliveries d where d.delivery_id = l.delivery_id)"
      },
      // Those of a month that stays would be kept back, and nothing would ever take them away.
      after: "webhook_deliveries"
    }),
    (deliveries, attempts) => deliveries + attempts
  )
  const rest = forgetInTurn(
    lookBehind(
      sql,
      kept,
      "webhook_deliveries",
      `with looked as materialized (
        select delivery_id, created_at from webhook_deliveries_default
        where (created_at, delivery_id) > ($1::timestamptz, $2::uuid) and created_at < ${ago(keptFor)}
        order by created_at, delivery_id limit $3::int
      ), old as materialized (
        -- One that somebody has in hand at this moment may be on its way again.
        select delivery_id from webhook_deliveries_default l
        where delivery_id = any (array(select delivery_id from looked)) and not ${isNeeded}
        for update skip locked
      ), gone as (
        delete from webhook_deliveries_default d where delivery_id = any (array(select delivery_id from old))
        returning row_to_json(d)::text as line
      ), tried as (
        delete from webhook_attempts a where delivery_id = any (array(select delivery_id from old))
        returning row_to_json(a)::text as line
      ) ${answer("delivery_id", ", array(select line from tried) as tried")}`
    )
  )
  return forgetting(months, rest)
}

/** Whether a delivery is left of `l`, or of an event that has its text from `l`; `among` is where both are. */
const isTold = (among: string) => `(
  exists (select from webhook_deliveries d where d.event_id = l.event_id) or exists (
    select from ${among} s join webhook_deliveries d on d.event_id = s.event_id
    where s.same_as = l.event_id and s.created_at = l.created_at))`

export const deleteExpiredEvents = (sql: SqlClient.SqlClient, kept: Kept): Stored<number> => {
  const keptFor = kept.retention.webhooks
  const months = detachOldPartitions(sql, {
    table: "events",
    keptFor,
    stillNeeded: { key: "event_id", rows: isTold("events") }
  })
  const rest = forgetInTurn(
    lookBehind(
      sql,
      kept,
      "events",
      `with looked as materialized (
        select event_id, created_at, same_as from events_default
        where (created_at, event_id) > ($1::timestamptz, $2::uuid) and created_at < ${ago(keptFor)}
        order by created_at, event_id limit $3::int
      ), leaving as materialized (
        select event_id, created_at from looked l where not ${isTold("events_default")}
      ), gone as (
        -- Whoever has its text from one that leaves, leaves with it, or nobody could read it until its turn came.
        delete from events_default e using leaving l
        where e.created_at = l.created_at and (e.event_id = l.event_id or e.same_as = l.event_id)
        returning row_to_json(e)::text as line
      ) ${answer("event_id")}`
    )
  )
  return forgetting(months, rest)
}
