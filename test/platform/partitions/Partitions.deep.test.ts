/**
 * Monthly partitions: created ahead, a missing one refuses nothing, and an old one is archived before it is dropped,
 * through kills at any step.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { gunzipSync } from "node:zlib"
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Array as Arr, Deferred, Duration, Effect, Fiber, Layer, Logger, LogLevel, Option, Schedule } from "effect"
import { type OrgId, Ids } from "../../../src/domain/Ids.ts"
import { AuditStore } from "../../../src/platform/audit/AuditLog.ts"
import { PaymentStore } from "../../../src/payments/store/PaymentStore.ts"
import { detachOldPartitions } from "../../../src/platform/partitions/DetachOld.ts"
import { Partitions } from "../../../src/platform/partitions/Partitions.ts"
import { NotificationStore } from "../../../src/platform/notifications/NotificationStore.ts"
import { DeliveryStore } from "../../../src/webhooks/delivery/DeliveryStore.ts"
import { EventStore } from "../../../src/webhooks/EventStore.ts"
import { WebhookStore } from "../../../src/webhooks/WebhookStore.ts"
import { openStoresOn } from "../../payments/support/PaymentServices.ts"
import { newOrganization, nextId } from "../../support/StoreFixtures.ts"
import { testSettings } from "../../support/TestSettings.ts"
import { claimDue } from "../../webhooks/delivery/ClaimFixtures.ts"
import { settle } from "../../webhooks/DeliveryRows.ts"

const archiveDir = mkdtempSync(join(tmpdir(), "corridor-archive-"))

const services = openStoresOn("PostgreSQL").pipe(
  Layer.provideMerge(Ids.layer),
  Layer.provideMerge(testSettings({ ARCHIVE_DIR: archiveDir }))
)

const sql = Effect.serviceOptional(SqlClient.SqlClient).pipe(Effect.orDie)

const query = <Row extends object = Record<string, unknown>>(text: string) =>
  Effect.flatMap(sql, (client) => client.unsafe<Row>(text)).pipe(Effect.orDie)

/** Keeps a transaction of another session open that has read the table. */
const whileReading = <A, E, R>(table: string, work: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const client = yield* sql
    const [reading, done] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
    const reader = client.withTransaction(
      client
        .unsafe(`select from ${table}`)
        .pipe(Effect.zipRight(Deferred.succeed(reading, undefined)), Effect.zipRight(Deferred.await(done)))
    )
    const fiber = yield* Effect.fork(reader)
    yield* Deferred.await(reading)
    const result = yield* work
    yield* Deferred.succeed(done, undefined)
    yield* Fiber.join(fiber)
    return result
  })

const partOf = (table: string, column: string, id: string) =>
  Effect.map(
    query<{ part: string }>(`select tableoid::regclass::text as part from ${table} where ${column} = '${id}'`),
    (rows) => rows.map(({ part }) => part)
  )

const monthOf = (at: Date) => at.toISOString().slice(0, 7).replace("-", "_")

const DAY = 86_400_000

const send = (org_id: OrgId, created_at: Date) =>
  Effect.gen(function* () {
    const event_id = yield* nextId
    const data = `{"said":"“Zoë” \\u0001 100.00"}`
    const payload = `{"event_id":"${event_id}","event_type":"kyb.approved","org_id":"${org_id}","created_at":"${created_at.toISOString()}","data":${data}}`
    const event = { org_id, event_type: "kyb.approved", payment_id: null, payload, test: false }
    yield* Effect.flatMap(EventStore, ({ insert }) => insert({ ...event, event_id, created_at }))
    return { event_id, payload }
  })

const newHook = (org_id: OrgId) =>
  Effect.gen(function* () {
    const webhook_id = yield* nextId
    const about = { endpoint_url: "https://shop.example/", events: ["*"], secret_sealed: "s" }
    return yield* Effect.flatMap(WebhookStore, ({ insert }) => insert({ webhook_id, org_id, ...about }))
  })

/** The part of a month that is long over, as it would have been made in its time. */
const makeMonth = (table: string, column: string, at: Date) =>
  query(`select make_month('${table}', '${column}', '${at.toISOString()}')`)

const filesOf = (table: string) => {
  try {
    return readdirSync(join(archiveDir, table)).toSorted()
  } catch {
    return []
  }
}

const rowsIn = (table: string, file: string): ReadonlyArray<Record<string, unknown>> =>
  gunzipSync(readFileSync(join(archiveDir, table, file)))
    .toString("utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Record<string, unknown>)

const leftBehind = query<{ tablename: string }>(
  "select tablename from pg_tables where starts_with(tablename, 'leaving_') order by 1"
).pipe(Effect.map((rows) => rows.map(({ tablename }) => tablename)))

const archiveDetached = Effect.flatMap(Partitions, (months) => months.archiveDetached)

/** Audit log of two rows, eight years old, whose month is detached and waits to be archived. */
const oldAudit = (days: number) =>
  Effect.gen(function* () {
    const at = new Date(Date.now() - days * DAY)
    yield* makeMonth("audit_log", "created_at", at)
    const ids = [yield* nextId, yield* nextId]
    for (const id of ids) {
      yield* query(`insert into audit_log (audit_id, actor_type, actor_id, action, subject_type, subject_id, detail, created_at)
        values ('${id}', 'operator', 'cli', 'a.test', 'test', 'x', '{"rate": 0.10, "n": "Zoë\\n"}', '${at.toISOString()}')`)
    }
    expect(yield* partOf("audit_log", "audit_id", ids[0]!)).toEqual([`audit_log_${monthOf(at)}`])
    return { at, ids, name: `audit_log_${monthOf(at)}` }
  })

layer(services, { excludeTestServices: true, timeout: "60 seconds" })("Monthly partitions", (it) => {
  it.effect("are created ahead, by one of several instances", () =>
    Effect.gen(function* () {
      const { createAhead } = yield* Partitions
      expect(yield* createAhead, "the migration has made them").toEqual([])
      const [last] = yield* query<{ name: string }>(
        "select name from table_months where parent = 'events' order by to_at desc limit 1"
      )
      yield* query(`drop table ${last!.name}`)
      const made = yield* Effect.replicateEffect(createAhead, 4, { concurrency: "unbounded" })
      const again = yield* createAhead
      expect([...made.flat(), ...again]).toHaveLength(1)
      const [there] = yield* query(`select from table_months where name = '${last!.name}'`)
      expect(there).toBeDefined()
    })
  )

  it.effect("may be missing: rows go to the default partition and move later", () =>
    Effect.gen(function* () {
      const { createAhead } = yield* Partitions
      const { org_id } = yield* newOrganization()
      yield* newHook(org_id)
      const now = new Date()
      for (const table of ["events", "webhook_deliveries", "webhook_attempts", "audit_log"]) {
        yield* query(`drop table ${table}_${monthOf(now)}`)
      }
      const { event_id, payload } = yield* send(org_id, now)
      expect(yield* partOf("events", "event_id", event_id)).toEqual(["events_default"])
      expect((yield* claimDue()).deliveries).toMatchObject([{ event_id, payload }])
      yield* createAhead
      expect(yield* partOf("events", "event_id", event_id)).toEqual([`events_${monthOf(now)}`])
      expect(yield* partOf("webhook_deliveries", "event_id", event_id)).toEqual([`webhook_deliveries_${monthOf(now)}`])
      const listed = yield* Effect.flatMap(EventStore, ({ list }) =>
        list(Option.some(org_id), {}, { after: Option.none(), take: 10 })
      )
      expect(listed.map((event) => event.payload)).toEqual([payload])
      const deliveries = yield* query(`select from webhook_deliveries where event_id = '${event_id}'`)
      expect(deliveries, "no second delivery for an event that moved").toHaveLength(1)
    })
  )

  it.effect("are created later if the table is locked, without queueing statements", () =>
    Effect.gen(function* () {
      const { createAhead } = yield* Partitions
      const ahead = yield* query<{ name: string }>(
        "select name from table_months where parent = 'notifications' order by to_at desc limit 1"
      )
      yield* query(`drop table ${ahead[0]!.name}`)
      const made = yield* whileReading("notifications", createAhead)
      expect(made).toEqual([])
      expect(yield* createAhead).toHaveLength(1)
    }).pipe(Logger.withMinimumLogLevel(LogLevel.None))
  )

  it.effect("past their retention are archived row by row before they are dropped", () =>
    Effect.gen(function* () {
      const audit = yield* AuditStore
      const { ids, name } = yield* oldAudit(3000)
      const young = yield* oldAudit(2500)
      expect(yield* audit.forgetOld).toBe(1)
      expect(yield* leftBehind).toEqual([`leaving_${name}`])
      expect(yield* archiveDetached).toEqual([name])
      expect(yield* leftBehind).toEqual([])
      const [file, ...others] = filesOf("audit_log")
      expect(others).toEqual([])
      expect(file).toMatch(new RegExp(`^${name}-[0-9a-f]{12}\\.ndjson\\.gz$`))
      const rows = rowsIn("audit_log", file!)
      expect(rows.map((row) => row["audit_id"])).toEqual(ids)
      expect(rows[0]).toMatchObject({ detail: { rate: 0.1, n: "Zoë\n" }, org_id: null, actor_type: "operator" })
      expect(yield* partOf("audit_log", "audit_id", ids[0]!)).toEqual([])
      expect(yield* partOf("audit_log", "audit_id", young.ids[0]!)).toEqual([young.name])
      expect(yield* audit.forgetOld, "nothing is left").toBe(0)
      expect(yield* archiveDetached).toEqual([])
    })
  )

  it.effect("with an archive file that has no end are archived once more, and nothing is lost or twice", () =>
    Effect.gen(function* () {
      const audit = yield* AuditStore
      const before = filesOf("audit_log")
      const { ids, name } = yield* oldAudit(3100)
      yield* audit.forgetOld
      // Cannot be dropped while a table that it refers to is being read.
      const inBetween = yield* whileReading("organizations", archiveDetached)
      expect(inBetween).toEqual([])
      const written = filesOf("audit_log").filter((file) => !before.includes(file))
      expect(written, "killed after the file, before the end").toHaveLength(1)
      expect(yield* leftBehind).toEqual([`leaving_${name}`])
      const gone = yield* Effect.replicateEffect(archiveDetached, 3, { concurrency: "unbounded" })
      expect(gone.flat()).toEqual([name])
      expect(filesOf("audit_log").filter((file) => !before.includes(file))).toEqual(written)
      expect(rowsIn("audit_log", written[0]!).map((row) => row["audit_id"])).toEqual(ids)
    }).pipe(Logger.withMinimumLogLevel(LogLevel.None))
  )

  it.effect("stay if the archive cannot be written", () =>
    Effect.gen(function* () {
      const audit = yield* AuditStore
      const { ids, name } = yield* oldAudit(3200)
      yield* audit.forgetOld
      const folder = join(archiveDir, "audit_log")
      const aside = `${folder}.aside`
      rmSync(aside, { recursive: true, force: true })
      mkdirSync(aside)
      for (const file of filesOf("audit_log")) writeFileSync(join(aside, file), readFileSync(join(folder, file)))
      rmSync(folder, { recursive: true })
      writeFileSync(folder, "not a folder")
      expect(yield* archiveDetached).toEqual([])
      expect(yield* leftBehind).toEqual([`leaving_${name}`])
      rmSync(folder)
      expect(yield* archiveDetached).toEqual([name])
      expect(rowsIn("audit_log", filesOf("audit_log")[0]!).map((row) => row["audit_id"])).toEqual(ids)
    }).pipe(Logger.withMinimumLogLevel(LogLevel.None))
  )

  it.effect("that stay log the reason: a lock, or the error", () =>
    Effect.gen(function* () {
      const client = yield* sql
      const at = new Date(Date.now() - 3300 * DAY)
      yield* makeMonth("audit_log", "created_at", at)
      const name = `audit_log_${monthOf(at)}`
      const said: Array<string> = []
      const logger = Logger.replace(
        Logger.defaultLogger,
        Logger.make(({ logLevel, message }) => {
          said.push(`${logLevel.label} ${Arr.ensure(message)[0]}`)
        })
      )
      const old = { table: "audit_log", keptFor: Duration.days(3260) }
      const left = whileReading("audit_log", detachOldPartitions(client, old)).pipe(Effect.provide(logger))
      expect(yield* left).toBe(0)
      const odd = { ...old, stillNeeded: { key: "no_such_column", rows: "true" } }
      expect(yield* detachOldPartitions(client, odd).pipe(Effect.provide(logger))).toBe(0)
      expect(said).toEqual([
        `INFO ${name} stays for now, another process is detaching it`,
        `ERROR ${name} cannot leave its table: column l.no_such_column does not exist`
      ])
      expect(yield* detachOldPartitions(client, old)).toBe(1)
      expect(yield* archiveDetached).toEqual([name])
    })
  )

  it.effect("keep rows that are still needed: pending deliveries with event and payload", () =>
    Effect.gen(function* () {
      const [deliveries, events] = [yield* DeliveryStore, yield* EventStore]
      const { org_id } = yield* newOrganization()
      yield* newHook(org_id)
      const at = new Date(Date.now() - 100 * DAY)
      yield* makeMonth("events", "created_at", at)
      yield* makeMonth("webhook_deliveries", "created_at", at)
      const published = [yield* send(org_id, at), yield* send(org_id, at)]
      // The second has its text from the first.
      yield* query(
        `update events set data = null, same_as = '${published[0]!.event_id}' where event_id = '${published[1]!.event_id}'`
      )
      yield* query(`update webhook_deliveries set created_at = '${at.toISOString()}', updated_at = '${at.toISOString()}'
        where org_id = '${org_id}'`)
      yield* query(`update webhook_queue q set delivery_at = d.created_at from webhook_deliveries d
        where d.delivery_id = q.delivery_id`)
      const [first] = yield* query<{ delivery_id: string }>(
        `select delivery_id from webhook_deliveries where event_id = '${published[0]!.event_id}'`
      )
      const delivered = { status: "delivered", attempts: 1, last_status_code: 200, last_error: null } as const
      yield* settle(first!.delivery_id, delivered)
      expect(yield* deliveries.forgetOld).toBe(1)
      expect(yield* events.forgetOld).toBe(1)
      expect((yield* archiveDetached).toSorted()).toEqual([
        `events_${monthOf(at)}`,
        `webhook_deliveries_${monthOf(at)}`
      ])
      expect(yield* partOf("events", "event_id", published[1]!.event_id)).toEqual(["events_default"])
      expect(yield* partOf("events", "event_id", published[0]!.event_id), "which has the text").toEqual([
        "events_default"
      ])
      const text = published[0]!.payload.replace(published[0]!.event_id, published[1]!.event_id)
      expect((yield* claimDue()).deliveries).toMatchObject([{ event_id: published[1]!.event_id, payload: text }])
      const [file] = filesOf("webhook_deliveries")
      expect(rowsIn("webhook_deliveries", file!)).toHaveLength(2)
      const [second] = yield* query<{ delivery_id: string }>(
        `select delivery_id from webhook_deliveries where event_id = '${published[1]!.event_id}'`
      )
      yield* settle(second!.delivery_id, delivered)
      expect(yield* deliveries.forgetOld, "it goes by itself once it has arrived").toBe(1)
      expect(yield* events.forgetOld).toBe(2)
      expect(filesOf("events").filter((name) => name.startsWith("events_rest-"))).toHaveLength(1)
    })
  )

  it.effect("are detached while results are written", () =>
    Effect.gen(function* () {
      const client = yield* sql
      const { org_id } = yield* newOrganization()
      yield* newHook(org_id)
      const at = new Date(Date.now() - 130 * DAY)
      yield* makeMonth("webhook_deliveries", "created_at", at)
      const published = [yield* send(org_id, new Date()), yield* send(org_id, new Date())]
      const ids = yield* query<{ delivery_id: string }>(
        `select delivery_id from webhook_deliveries where event_id in ('${published[0]!.event_id}', '${published[1]!.event_id}')
          order by event_id = '${published[1]!.event_id}'`
      )
      const [old, fresh] = ids.map(({ delivery_id }) => delivery_id)
      yield* query(`update webhook_deliveries set created_at = '${at.toISOString()}', updated_at = '${at.toISOString()}',
        status = 'dead' where delivery_id = '${old}'`)
      yield* query(`delete from webhook_queue where delivery_id = '${old}'`)
      const leaving = detachOldPartitions(client, {
        table: "webhook_deliveries",
        keptFor: Duration.days(30),
        stillNeeded: {
          key: "delivery_id",
          rows: "(select pg_sleep(4))::text is null",
          lately: "select delivery_id from webhook_queue"
        }
      })
      const fiber = yield* Effect.fork(leaving)
      const isLooking = query(
        "select from pg_stat_activity where query like 'create temporary table kept%' and state = 'active'"
      )
      yield* Effect.repeat(isLooking, { until: (rows) => rows.length > 0, schedule: Schedule.spaced("20 millis") })
      const deliveries = yield* DeliveryStore
      yield* settle(fresh!, { status: "delivered", attempts: 1, last_status_code: 200, last_error: null })
      expect(yield* deliveries.requeue(Option.some(org_id), old!)).toBe(true)
      expect(Option.isNone(yield* Fiber.poll(fiber)), "no session has waited for it").toBe(true)
      expect(yield* Fiber.join(fiber)).toBe(1)
      expect(yield* partOf("webhook_deliveries", "delivery_id", old!), "replayed meanwhile").toEqual([
        "webhook_deliveries_default"
      ])
      expect((yield* claimDue()).deliveries).toMatchObject([{ delivery_id: old }])
      expect(yield* archiveDetached).toEqual([`webhook_deliveries_${monthOf(at)}`])
    })
  )

  it.effect("archive the attempts of deliveries that are deleted one by one", () =>
    Effect.gen(function* () {
      const deliveries = yield* DeliveryStore
      const { org_id } = yield* newOrganization()
      yield* newHook(org_id)
      const at = new Date(Date.now() - 160 * DAY).toISOString()
      const { event_id } = yield* send(org_id, new Date())
      const [row] = yield* query<{ delivery_id: string }>(
        `update webhook_deliveries set created_at = '${at}', updated_at = '${at}', status = 'dead'
          where event_id = '${event_id}' returning delivery_id`
      )
      const { delivery_id } = row!
      yield* query(`delete from webhook_queue where delivery_id = '${delivery_id}'`)
      yield* query(`insert into webhook_attempts (delivery_id, attempt, at, status_code, latency_ms)
        values ('${delivery_id}', 1, '${at}', 500, 3), ('${delivery_id}', 2, now(), 503, 4)`)
      expect(yield* deliveries.forgetOld).toBe(1)
      const left = yield* query(`select from webhook_attempts where delivery_id = '${delivery_id}'`)
      expect(left).toEqual([])
      const files = filesOf("webhook_attempts").flatMap((file) => rowsIn("webhook_attempts", file))
      const ours = files.filter((attempt) => attempt["delivery_id"] === delivery_id)
      expect(ours.map((attempt) => attempt["status_code"]).toSorted()).toEqual([500, 503])
    })
  )

  it.effect("of attempts are detached after those of their deliveries", () =>
    Effect.gen(function* () {
      const deliveries = yield* DeliveryStore
      const { org_id } = yield* newOrganization()
      yield* newHook(org_id)
      const at = new Date(Date.now() - 190 * DAY)
      yield* makeMonth("webhook_deliveries", "created_at", at)
      yield* makeMonth("webhook_attempts", "at", at)
      const { event_id } = yield* send(org_id, new Date())
      const time = at.toISOString()
      const [row] = yield* query<{ delivery_id: string }>(
        `update webhook_deliveries set created_at = '${time}', updated_at = '${time}', status = 'delivered'
          where event_id = '${event_id}' returning delivery_id`
      )
      const { delivery_id } = row!
      yield* query(`delete from webhook_queue where delivery_id = '${delivery_id}'`)
      yield* query(`insert into webhook_attempts (delivery_id, attempt, at, status_code, latency_ms)
        values ('${delivery_id}', 1, '${time}', 200, 3)`)
      const held = `webhook_deliveries_${monthOf(at)}`
      expect(yield* whileReading(held, deliveries.forgetOld), "somebody has the deliveries in hand").toBe(0)
      yield* deliveries.forgetOld
      expect(yield* partOf("webhook_attempts", "delivery_id", delivery_id)).toEqual([])
      expect((yield* archiveDetached).toSorted()).toEqual([`webhook_attempts_${monthOf(at)}`, held])
    }).pipe(Logger.withMinimumLogLevel(LogLevel.None))
  )

  it.effect("of notifications are detached whole", () =>
    Effect.gen(function* () {
      const store = yield* NotificationStore
      const at = new Date(Date.now() - 70 * DAY)
      yield* makeMonth("notifications", "created_at", at)
      const notification_id = yield* nextId
      const message = { to: "a@example.com", subject: "s", text: "t", kind: "invitation", priority: "low" } as const
      yield* store.insert({ ...message, notification_id, org_id: null })
      yield* query(
        `update notifications set created_at = '${at.toISOString()}' where notification_id = '${notification_id}'`
      )
      expect(yield* store.forgetOld).toBe(1)
      expect(yield* store.find(Option.none(), notification_id)).toEqual(Option.none())
      expect(yield* archiveDetached).toEqual([`notifications_${monthOf(at)}`])
      expect(rowsIn("notifications", filesOf("notifications")[0]!)).toMatchObject([{ notification_id, subject: "s" }])
    })
  )

  it.effect("end without a callback or an idempotency key being taken twice", () =>
    Effect.gen(function* () {
      const first = new Date(Date.UTC(new Date().getUTCFullYear(), new Date().getUTCMonth(), 1))
      const lastMoment = new Date(first.getTime() - 1)
      const payments = yield* PaymentStore
      const callback = (received_at: Date) =>
        Effect.flatMap(nextId, (callback_id) =>
          payments.storeCallback({
            ...{ callback_id, provider: "stripe", event_key: "evt_2", payment_id: null, attempt_id: null },
            ...{ org_id: null, report: "completed", effect: "unknown payment", received_at }
          })
        )
      expect(yield* callback(lastMoment)).toBe(true)
      expect(yield* callback(first)).toBe(false)
      const { org_id } = yield* newOrganization()
      const key = (at: Date) =>
        query(`insert into idempotency_keys (org_id, operation, key, body_digest, created_at)
          values ('${org_id}', 'a test', 'one', 'digest', '${at.toISOString()}') on conflict do nothing returning 1 as claimed`)
      expect(yield* key(lastMoment)).toHaveLength(1)
      expect(yield* key(first)).toHaveLength(0)
    })
  )

  it.effect("lose deliveries, attempts and queue rows of a deleted endpoint", () =>
    Effect.gen(function* () {
      const { org_id } = yield* newOrganization()
      const { webhook_id } = yield* newHook(org_id)
      yield* send(org_id, new Date(Date.now() - 400 * DAY))
      yield* send(org_id, new Date(Date.now() + 400 * DAY))
      const ids = `select delivery_id from webhook_deliveries where webhook_id = '${webhook_id}'`
      yield* query(`insert into webhook_attempts (delivery_id, attempt, at, latency_ms)
        select delivery_id, 1, now() - interval '40 days', 5 from (${ids}) d`)
      const tables = ["webhook_deliveries", "webhook_queue", "webhook_attempts"]
      const deliveries = yield* query<{ delivery_id: string }>(ids)
      const listed = deliveries.map(({ delivery_id }) => `'${delivery_id}'`).join(", ")
      const rows = Effect.forEach(tables, (table) =>
        Effect.map(query(`select from ${table} where delivery_id in (${listed})`), (found) => found.length)
      )
      expect(yield* rows).toEqual([2, 2, 2])
      yield* Effect.flatMap(WebhookStore, (store) => store.remove(Option.some(org_id), webhook_id))
      expect(yield* rows).toEqual([0, 0, 0])
    })
  )
})
