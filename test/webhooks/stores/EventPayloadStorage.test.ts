/** However the text of an event is kept, it comes back as the bytes that were written. */
import { SqlClient } from "@effect/sql"
import { expect, layer } from "@effect/vitest"
import { Effect, Exit, Layer, Option } from "effect"
import { type OrgId, PaymentId, Ids } from "../../../src/domain/Ids.ts"
import { webhookRetentionBatch } from "../../../src/domain/policies/WebhookPolicies.ts"
import { MAX_PAYLOAD_BYTES, EventStore } from "../../../src/webhooks/EventStore.ts"
import { storedPayloads } from "../../../src/webhooks/EventPayloadStorage.ts"
import type { WebhookEvent } from "../../../src/webhooks/Webhook.ts"
import { openStoresOn } from "../../payments/support/PaymentServices.ts"
import { newOrganization, nextId } from "../../support/StoreFixtures.ts"
import { backends } from "../../support/OnBothStores.ts"
import { testSettings } from "../../support/TestSettings.ts"
import { daysPass } from "../DeliveryRows.ts"

const all = { after: Option.none(), take: 100 }

const eventOf = (org_id: OrgId, at: Date, data: string, spoiled: (text: string) => string = (text) => text) =>
  Effect.map(nextId, (event_id): WebhookEvent => {
    const beginning = { event_id, event_type: "kyb.approved", org_id, created_at: at }
    const payload = spoiled(`${JSON.stringify(beginning).slice(0, -1)},"data":${data}}`)
    return { event_id, event_type: "kyb.approved", org_id, payment_id: null, payload, test: false, created_at: at }
  })

for (const backend of backends) {
  const services = openStoresOn(backend).pipe(Layer.provideMerge(Ids.layer), Layer.provide(testSettings()))
  layer(services, { excludeTestServices: true, timeout: "60 seconds" })(`The text of events on ${backend}`, (it) => {
    it.effect("is what was written, of the usual shape or of any other", () =>
      Effect.gen(function* () {
        const store = yield* EventStore
        const { org_id } = yield* newOrganization()
        const at = (millis: number) => new Date(Date.UTC(2026, 1, 28, 23, 59, 59, millis))
        const events = yield* Effect.all([
          eventOf(org_id, at(0), "{}"),
          eventOf(org_id, at(7), '{"amount":1500.00,"to":"“Zoë”","tab":"\\t"}'),
          eventOf(org_id, at(70), '{"a":1}', (text) => `${text} `),
          eventOf(org_id, at(700), '{"a":1}', (text) => text.replace('"event_id"', ' "event_id"')),
          eventOf(org_id, at(999), '{"a":1}', () => "{}"),
          eventOf(org_id, at(1), '{"a":1}', (text) => text.replace("59.001Z", "59.002Z"))
        ])
        for (const event of events) yield* store.insert(event)
        const listed = yield* store.list(Option.some(org_id), {}, all)
        const texts = new Map(listed.map(({ event_id, payload }) => [event_id, payload]))
        expect(events.map(({ event_id }) => texts.get(event_id))).toEqual(events.map(({ payload }) => payload))
      })
    )

    it.effect("may be as long as is allowed, and not a byte longer", () =>
      Effect.gen(function* () {
        const store = yield* EventStore
        const { org_id } = yield* newOrganization()
        const empty = yield* eventOf(org_id, new Date(), '""')
        const rest = MAX_PAYLOAD_BYTES - empty.payload.length
        const longest = yield* eventOf(org_id, new Date(), `"${"x".repeat(rest)}"`)
        const tooLong = yield* eventOf(org_id, new Date(), `"${"x".repeat(rest + 1)}"`)
        expect(longest.payload).toHaveLength(MAX_PAYLOAD_BYTES)
        expect(Exit.isSuccess(yield* Effect.exit(store.insert(longest)))).toBe(true)
        expect(Exit.isFailure(yield* Effect.exit(store.insert(tooLong)))).toBe(true)
      })
    )
  })
}

const onDatabase = openStoresOn("PostgreSQL").pipe(Layer.provideMerge(Ids.layer), Layer.provide(testSettings()))

const paid = (payment_id: string, at: Date, rest = "") => {
  const beginning = `{"payment_id":"${payment_id}","transaction_id":"t","status":"completed","previous_status":"pending"`
  const money = `"amount":1500.00,"currency":"KES","target_amount":1.5e3,"target_currency":"KES","direction":"inbound"`
  const reference = JSON.stringify('a "client_reference": b\n,"updated_at":c')
  const others = `"payment_method":"card","provider":null,"client_reference":${reference}`
  return `${beginning},${money},${others},"updated_at":"${at.toISOString()}"${rest}}`
}

/** As the service reads them, which is what the database's own function gives as well. */
const textsOf = (org_id: OrgId) =>
  Effect.gen(function* () {
    const sql = yield* Effect.serviceOptional(SqlClient.SqlClient)
    const store = yield* EventStore
    const listed = yield* store.list(Option.some(org_id), {}, all)
    const texts = new Map(listed.map(({ event_id, payload }): [string, string] => [event_id, payload]))
    const rows = yield* sql<{ event_id: string; payload: string }>`select event_id, event_payload(e) as payload
      from events e where org_id = ${org_id}`
    expect(new Map(rows.map(({ event_id, payload }): [string, string] => [event_id, payload]))).toEqual(texts)
    return texts
  })

layer(onDatabase, { excludeTestServices: true, timeout: "60 seconds" })("Events of one change", (it) => {
  it.effect("of a payment keep the values of their fields, and any other shape as it is", () =>
    Effect.gen(function* () {
      const sql = yield* Effect.serviceOptional(SqlClient.SqlClient)
      const { org_id } = yield* newOrganization()
      const at = new Date(Date.UTC(2026, 1, 28, 23, 59, 59, 7))
      const payment_id = PaymentId.make(yield* nextId)
      const usual = paid(payment_id, at)
      const others = [
        paid(payment_id, at, ',"failure":{"code":"declined"}'),
        paid(payment_id, new Date(0)),
        paid(yield* nextId, at),
        usual.replace('"currency":"KES",', ""),
        usual.replace('"transaction_id"', '"other":1,"transaction_id"'),
        usual.replace(
          '"status":"completed","previous_status":"pending"',
          '"previous_status":"pending","status":"completed"'
        )
      ]
      const events: Array<WebhookEvent> = []
      for (const data of [usual, usual, ...others]) events.push({ ...(yield* eventOf(org_id, at, data)), payment_id })
      const kept = storedPayloads(events, at)
      expect(kept[0]!.data?.split("\n")).toHaveLength(11)
      expect(kept[1]!.same_as).toBe(events[0]!.event_id)
      expect(kept.slice(2).map(({ data }) => data)).toEqual(others)
      const rows = kept.map((text) => ({ ...text, org_id, payment_id, created_at: at }))
      yield* sql`insert into events ${sql.insert(rows)}`
      const texts = yield* textsOf(org_id)
      expect(events.map(({ event_id }) => texts.get(event_id))).toEqual(events.map(({ payload }) => payload))
    })
  )

  it.effect("have their fields once, and each its own text", () =>
    Effect.gen(function* () {
      const sql = yield* Effect.serviceOptional(SqlClient.SqlClient)
      const { org_id } = yield* newOrganization()
      const at = new Date()
      const [one, two] = [yield* eventOf(org_id, at, '{"a":1}'), yield* eventOf(org_id, at, '{"a":1}')]
      const other = yield* eventOf(org_id, at, '{"a":2}')
      const kept = storedPayloads([one, two, other], at)
      expect(kept.map(({ data, same_as }) => [data, same_as])).toEqual([
        ['{"a":1}', null],
        [null, one.event_id],
        ['{"a":2}', null]
      ])
      yield* sql`insert into events ${sql.insert(kept.map((text) => ({ ...text, org_id, created_at: at })))}`
      const texts = yield* textsOf(org_id)
      expect([one, two, other].map(({ event_id }) => texts.get(event_id))).toEqual(
        [one, two, other].map(({ payload }) => payload)
      )
    })
  )

  it.effect("are forgotten with the one that has their text, however many they are", () =>
    Effect.gen(function* () {
      const sql = yield* Effect.serviceOptional(SqlClient.SqlClient)
      const { org_id } = yield* newOrganization()
      const at = new Date()
      const events: Array<WebhookEvent> = []
      for (let nth = 0; nth < webhookRetentionBatch + 20; nth += 1) events.push(yield* eventOf(org_id, at, '{"a":1}'))
      yield* sql`insert into events ${sql.insert(storedPayloads(events, at).map((text) => ({ ...text, org_id, created_at: at })))}`
      yield* daysPass(31)
      const store = yield* EventStore
      yield* store.forgetOld
      expect(yield* store.list(Option.some(org_id), {}, all)).toEqual([])
    })
  )
})
