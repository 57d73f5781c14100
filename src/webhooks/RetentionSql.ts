/**
 * Deletes webhook deliveries and events past their retention.
 *
 * 1. Whole months are detached; rows that are still needed move to the default partition.
 * 2. Rows of the default partition are deleted in batches.
 *
 * A delivery expires a fixed time after it was delivered or died. An event expires with its last delivery.
 */
import type { SqlClient } from "@effect/sql"
import { Duration, Effect, Schema } from "effect"
import { orDatabaseFailure, type Stored } from "../platform/database/DatabaseFailure.ts"
import { theRowAs } from "../platform/database/Query.ts"
import type { Settings } from "../platform/config/Settings.ts"
import { deleteArchivedRows, detachOldPartitions } from "../platform/partitions/DetachOld.ts"
import { webhookRetentionBatch } from "../domain/policies/WebhookPolicies.ts"
import { nilUuid } from "../domain/Ids.ts"

/** Time and id of the last row that was scanned. */
export type Position = readonly [at: Date, id: string]

export interface Batch {
  readonly scanned: number
  readonly deleted: number
  /** Null: there was nothing to scan. */
  readonly last: Position | null
}

const beginning: Position = [new Date(0), nilUuid]

/** Deletes from the oldest row on. The next call continues there, so rows that stay are not scanned for every batch. */
const deleteInBatches = (deleteAfter: (position: Position) => Stored<Batch>): Stored<number> => {
  let position = beginning
  const next: Stored<number> = Effect.suspend(() => deleteAfter(position)).pipe(
    Effect.flatMap(({ deleted, last, scanned }) => {
      const isOver = last === null || scanned < webhookRetentionBatch
      position = isOver ? beginning : last
      return isOver || deleted > 0 ? Effect.succeed(deleted) : next
    })
  )
  return next
}

type RetentionSettings = Pick<Settings["Type"], "archiveDir" | "retention">

const BatchRow = Schema.Struct({
  scanned: Schema.Number,
  at: Schema.NullOr(Schema.DateFromSelf),
  id: Schema.NullOr(Schema.String),
  /** Deleted rows, as JSON. */
  deleted: Schema.Array(Schema.String),
  /** Deleted attempts of the deliveries. */
  attempts: Schema.optional(Schema.Array(Schema.String))
})
const batch = theRowAs(BatchRow)

const ago = (duration: Duration.Duration) => `now() - interval '${Duration.toSeconds(duration)} s'`

/** Deletes a batch from the default partition, after a position, and archives it. */
const deleteAfter =
  (sql: SqlClient.SqlClient, { archiveDir }: RetentionSettings, table: string, statement: string) =>
  ([at, id]: readonly [Date, string]): Stored<Batch> =>
    Effect.suspend(() => {
      let seen: typeof BatchRow.Type | undefined
      const rows = Effect.map(Effect.flatMap(sql.unsafe(statement, [at, id, webhookRetentionBatch]), batch), (row) => {
        seen = row
        const attempts = (row.attempts ?? []).map((line) => ({ line, of: "webhook_attempts" }))
        return [...row.deleted.map((line) => ({ line })), ...attempts]
      })
      return Effect.map(deleteArchivedRows(sql, archiveDir, table, rows), (deleted) => ({
        scanned: seen?.scanned ?? 0,
        deleted,
        last: seen === undefined || seen.at === null || seen.id === null ? null : ([seen.at, seen.id] as const)
      }))
    }).pipe(orDatabaseFailure)

const batchColumns = (id: string, more = "") => `select count(*)::int as scanned, max(created_at) as at,
    (array_agg(${id} order by created_at desc, ${id} desc))[1] as id, array(select line from deleted) as deleted${more} from scanned`

const monthsThenRest = (months: Stored<number>, rest: Stored<number>): Stored<number> =>
  Effect.flatMap(months, (ofMonths) => Effect.map(rest, (ofRest) => ofMonths + ofRest))

export const deleteExpiredDeliveries = (sql: SqlClient.SqlClient, settings: RetentionSettings): Stored<number> => {
  const { deadLetters, webhooks: keptFor } = settings.retention
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
      // Attempts of deliveries that stay would be kept back and never deleted.
      after: "webhook_deliveries"
    }),
    (deliveries, attempts) => deliveries + attempts
  )
  const rest = deleteInBatches(
    deleteAfter(
      sql,
      settings,
      "webhook_deliveries",
      `with scanned as materialized (
        select delivery_id, created_at from webhook_deliveries_default
        where (created_at, delivery_id) > ($1::timestamptz, $2::uuid) and created_at < ${ago(keptFor)}
        order by created_at, delivery_id limit $3::int
      ), old as materialized (
        -- A locked delivery may be replayed at this moment.
        select delivery_id from webhook_deliveries_default l
        where delivery_id = any (array(select delivery_id from scanned)) and not ${isNeeded}
        for update skip locked
      ), deleted as (
        delete from webhook_deliveries_default d where delivery_id = any (array(select delivery_id from old))
        returning row_to_json(d)::text as line
      ), attempts as (
        delete from webhook_attempts a where delivery_id = any (array(select delivery_id from old))
        returning row_to_json(a)::text as line
      ) ${batchColumns("delivery_id", ", array(select line from attempts) as attempts")}`
    )
  )
  return monthsThenRest(months, rest)
}

/** SQL: the event `l`, or an event that shares its data, has a delivery left; `table` holds both. */
const hasDelivery = (table: string) => `(
  exists (select from webhook_deliveries d where d.event_id = l.event_id) or exists (
    select from ${table} s join webhook_deliveries d on d.event_id = s.event_id
    where s.same_as = l.event_id and s.created_at = l.created_at))`

export const deleteExpiredEvents = (sql: SqlClient.SqlClient, settings: RetentionSettings): Stored<number> => {
  const keptFor = settings.retention.webhooks
  const months = detachOldPartitions(sql, {
    table: "events",
    keptFor,
    stillNeeded: { key: "event_id", rows: hasDelivery("events") }
  })
  const rest = deleteInBatches(
    deleteAfter(
      sql,
      settings,
      "events",
      `with scanned as materialized (
        select event_id, created_at, same_as from events_default
        where (created_at, event_id) > ($1::timestamptz, $2::uuid) and created_at < ${ago(keptFor)}
        order by created_at, event_id limit $3::int
      ), expired as materialized (
        select event_id, created_at from scanned l where not ${hasDelivery("events_default")}
      ), deleted as (
        -- Events that share the data go too: without it they could not be read.
        delete from events_default e using expired l
        where e.created_at = l.created_at and (e.event_id = l.event_id or e.same_as = l.event_id)
        returning row_to_json(e)::text as line
      ) ${batchColumns("event_id")}`
    )
  )
  return monthsThenRest(months, rest)
}
