/** A database from before the months: its rows stay where they are, and everything about them still works. */
import { expect, layer } from "@effect/vitest"
import { SqlClient } from "@effect/sql"
import { Effect, Layer, Option } from "effect"
import { StoresLive } from "../../../src/app/Stores.ts"
import { OrgId, PaymentId, WebhookId } from "../../../src/domain/Identifiers.ts"
import { migrate, migrateTo } from "../../../src/platform/database/Migrations.ts"
import { AuditStore } from "../../../src/platform/audit/AuditStore.ts"
import { PaymentStore } from "../../../src/payments/store/PaymentStore.ts"
import { DeliveryStore } from "../../../src/webhooks/DeliveryStore.ts"
import { EventStore } from "../../../src/webhooks/EventStore.ts"
import { WebhookStore } from "../../../src/webhooks/WebhookStore.ts"
import { DeadLetterStore } from "../../../src/webhooks/delivery/DeadLetterStore.ts"
import { QueueStore } from "../../../src/webhooks/delivery/QueueStore.ts"
import { noHeaders } from "../../../src/webhooks/Webhook.ts"
import { EmptyDatabase } from "../../support/TestDatabase.ts"
import { testSettings } from "../../support/TestSettings.ts"
import { claimDue } from "../../webhooks/delivery/Claiming.ts"

const idOf = (nth: number) => `00000000-0000-7000-8000-0000000000${String(nth).padStart(2, "0")}`

const ORG = OrgId.make(idOf(1))
const HOOK = WebhookId.make(idOf(3))
const PAYMENT = PaymentId.make(idOf(4))

const LAST = 31

const window = { after: Option.none(), take: 50 }

const rows = `
  insert into organizations (org_id, name, country, currency, email) values ('${ORG}', 'Acme', 'KE', 'KES', 'a@b.example');
  insert into users (user_id, subject, email) values ('${idOf(2)}', 'idp|x', 'x@b.example');
  insert into webhooks (webhook_id, org_id, endpoint_url, secret_sealed) values ('${HOOK}', '${ORG}', 'https://a.example/', 's');
  insert into payments (payment_id, transaction_id, org_id, user_id, status, direction, payment_method, country, amount,
    currency, target_amount, target_currency, created_at, updated_at)
    values ('${PAYMENT}', '${idOf(5)}', '${ORG}', '${idOf(2)}', 'completed', 'inbound', 'card', 'KE', 5, 'KES', 5, 'KES', now(), now());
  insert into provider_callbacks (callback_id, provider, event_key, report, effect, received_at)
    values ('${idOf(6)}', 'stripe', 'evt_1', 'completed', 'unknown payment', now() - interval '40 days');
  insert into events (event_id, org_id, event_type, payload, created_at) values
    ('${idOf(10)}', '${ORG}', 'kyb.approved', '{ "old": 1 }', now() - interval '400 days'),
    ('${idOf(11)}', '${ORG}', 'kyb.rejected', '{ "new": 1 }', now()),
    ('${idOf(12)}', '${ORG}', 'kyb.rejected', '{ "wrong clock": 1 }', now() + interval '400 days');
  update webhook_deliveries set created_at = now() - interval '40 days' where event_id = '${idOf(10)}';
  insert into webhook_attempts (delivery_id, attempt, at, latency_ms)
    select delivery_id, 1, created_at, 5 from webhook_deliveries;
  insert into notifications (notification_id, org_id, kind, priority, recipient, subject, text)
    values ('${idOf(20)}', '${ORG}', 'invitation', 'low', 'a@b.example', 's', 't');
  insert into audit_log (audit_id, org_id, actor_type, actor_id, action, subject_type, subject_id, created_at)
    values ('${idOf(30)}', '${ORG}', 'operator', 'cli', 'x.made', 'x', 'y', now() - interval '3 years')`

const Database = EmptyDatabase.pipe(Layer.provideMerge(testSettings()))

layer(Database, { excludeTestServices: true, timeout: "60 seconds" })("a database from before the months", (it) => {
  it.effect("keeps its rows as one part, and works on", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* migrateTo(LAST - 1)
      yield* sql.unsafe(rows)
      const [heap] = yield* sql`select pg_relation_filenode('audit_log') as file`
      yield* migrateTo(LAST)
      const [kept] = yield* sql`select pg_relation_filenode('audit_log_before') as file`
      expect(kept, "nothing was copied").toEqual(heap)
      yield* migrate

      yield* Effect.gen(function* () {
        const [events, deliveries, queue] = [yield* EventStore, yield* DeliveryStore, yield* QueueStore]
        const listed = yield* events.list(Option.some(ORG), {}, window)
        expect(listed.map(({ payload }) => payload)).toEqual(['{ "wrong clock": 1 }', '{ "new": 1 }', '{ "old": 1 }'])
        const typed = yield* events.list(Option.none(), { event_type: "kyb.approved" }, window)
        expect(typed.map(({ event_id }) => event_id)).toEqual([idOf(10)])

        const claimed = (yield* claimDue()).deliveries
        expect(claimed.map(({ payload }) => payload).toSorted()).toEqual(
          ['{ "new": 1 }', '{ "old": 1 }', '{ "wrong clock": 1 }'].toSorted()
        )
        const told = { status_code: 500, error: "no", answer: null, latency_ms: 1, ...noHeaders }
        yield* queue.finish(
          claimed.map(({ delivery_id, lease_token }) => ({ delivery_id, lease_token, ...told, verdict: "dead" }))
        )
        const letters = yield* DeadLetterStore
        const dead = yield* letters.list(Option.some(ORG), {}, window)
        expect(dead).toHaveLength(3)
        const old = dead.find(({ event_id }) => event_id === idOf(10))!
        expect(Option.getOrThrow(yield* letters.find(Option.some(ORG), old.delivery_id)).payload).toBe('{ "old": 1 }')
        expect(yield* letters.attempts(Option.some(ORG), old.delivery_id)).toHaveLength(2)
        expect(yield* deliveries.requeue(Option.some(ORG), old.delivery_id)).toBe(true)
        expect((yield* claimDue()).deliveries).toMatchObject([{ event_id: idOf(10) }])

        const audit = yield* Effect.flatMap(AuditStore, (store) => store.list(Option.some(ORG), Option.none(), window))
        expect(audit.map(({ audit_id }) => audit_id)).toEqual([idOf(30)])

        const payments = yield* PaymentStore
        const found = yield* payments.list(Option.some(ORG), { status: "completed" }, window)
        expect(found.map(({ payment_id }) => payment_id)).toEqual([PAYMENT])
        expect(yield* payments.list(Option.some(ORG), { status: "failed" }, window)).toEqual([])

        yield* Effect.flatMap(WebhookStore, (store) => store.remove(Option.some(ORG), HOOK))
        expect(yield* sql`select from webhook_deliveries`).toEqual([])
        expect(yield* sql`select from webhook_attempts`, "they go with their deliveries").toEqual([])
        expect(yield* sql`select from webhook_queue`).toEqual([])
      }).pipe(Effect.provide(StoresLive))
    })
  )

  it.effect("knows a callback again across the end of a month, and a key", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const first = new Date(Date.UTC(new Date().getUTCFullYear(), new Date().getUTCMonth(), 1))
      const lastMoment = new Date(first.getTime() - 1)
      yield* Effect.gen(function* () {
        const payments = yield* PaymentStore
        const callback = (nth: number, received_at: Date) =>
          payments.storeCallback({
            ...{ callback_id: idOf(nth), provider: "stripe", event_key: "evt_2", payment_id: null, attempt_id: null },
            ...{ org_id: null, report: "completed", effect: "unknown payment", received_at }
          })
        expect(yield* callback(40, lastMoment)).toBe(true)
        expect(yield* callback(41, first)).toBe(false)
        expect(yield* payments.callbackSeen("stripe", "evt_2")).toBe(true)
        expect(yield* payments.callbackSeen("stripe", "evt_1"), "and one from before").toBe(true)
      }).pipe(Effect.provide(StoresLive))
      const key = (at: Date) => sql`insert into idempotency_keys (org_id, operation, key, body_digest, created_at)
        values (${ORG}, 'a test', 'one', 'digest', ${at}) on conflict do nothing returning 1 as claimed`
      expect(yield* key(lastMoment)).toHaveLength(1)
      expect(yield* key(first)).toHaveLength(0)
    })
  )
})
