/** A claim reads no more rows than it takes, whatever the backlog. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect, Option } from "effect"
import { WebhookStore } from "../../../src/webhooks/WebhookStore.ts"
import type { WebhookId } from "../../../src/domain/Ids.ts"
import { claimDue } from "./ClaimFixtures.ts"
import { newEndpoint, newEndpointOf, newEvents, onPostgreSQL } from "./DeliveryFixtures.ts"

const url = "http://127.0.0.1:1/hooks"
const BACKLOG = 30_000

const more = (webhookId: WebhookId) =>
  Effect.gen(function* () {
    const sql = yield* Effect.serviceOptional(SqlClient.SqlClient)
    yield* sql`insert into webhook_queue (delivery_id, org_id, webhook_id, delivery_at, event_id, event_at, next_at)
      select gen_random_uuid(), q.org_id, q.webhook_id, q.delivery_at, q.event_id, q.event_at, q.next_at - n * interval '1 ms'
      from (select * from webhook_queue where webhook_id = ${webhookId} limit 1) q cross join generate_series(1, ${BACKLOG}) n`
    yield* sql`analyze webhook_queue`
  })

const looks = Effect.gen(function* () {
  const sql = yield* Effect.serviceOptional(SqlClient.SqlClient)
  const [looked] = yield* sql<{ whole: number; rows: number }>`
    select seq_scan::int as whole, (seq_tup_read + idx_tup_fetch)::int as rows
    from pg_stat_xact_user_tables where relname = 'webhook_queue'`
  return looked!
})

/** The claim, and how many rows of the queue it was given to look at. */
const claimedBy = Effect.gen(function* () {
  const sql = yield* Effect.serviceOptional(SqlClient.SqlClient)
  return yield* sql.withTransaction(
    Effect.gen(function* () {
      // Statistics of the connection may still lack its earlier work.
      const before = yield* looks
      const { deliveries } = yield* claimDue({ room: 8 })
      const after = yield* looks
      return { deliveries, whole: after.whole - before.whole, rows: after.rows - before.rows }
    })
  )
})

layer(onPostgreSQL(), { excludeTestServices: true, timeout: "60 seconds" })("A backlog", (it) => {
  it.effect("of an endpoint is not read through to take the first of it", () =>
    Effect.gen(function* () {
      const { org_id, webhook_id } = yield* newEndpoint(url)
      yield* newEvents(org_id, 1)
      yield* more(webhook_id)
      const { deliveries, rows, whole } = yield* claimedBy
      expect(deliveries.length).toBeGreaterThan(0)
      expect(whole).toBe(0)
      expect(rows).toBeLessThan(500)
    })
  )

  it.effect("of an endpoint that takes nothing is not walked past for its neighbour's", () =>
    Effect.gen(function* () {
      const { org_id, webhook_id } = yield* newEndpoint(url)
      yield* newEvents(org_id, 1)
      yield* more(webhook_id)
      const store = yield* WebhookStore
      yield* store.update(Option.some(org_id), webhook_id, { status: "disabled" })
      const neighbour = yield* newEndpointOf(org_id, url)
      yield* newEvents(org_id, 3)
      const { deliveries, rows, whole } = yield* claimedBy
      expect(deliveries.filter((one) => one.webhook_id === neighbour.webhook_id)).toHaveLength(3)
      expect(whole).toBe(0)
      expect(rows).toBeLessThan(500)
    })
  )
})
