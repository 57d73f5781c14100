/** Events and the deliveries that they make: the database's trigger and its likeness in memory do the same. */
import { expect } from "@effect/vitest"
import { Effect, Exit, Option } from "effect"
import type { OrgId } from "../../../src/domain/Ids.ts"
import { eventTypes, eventPatterns, wants } from "../../../src/domain/EventTypes.ts"
import { DeliveryStore } from "../../../src/webhooks/delivery/DeliveryStore.ts"
import { EventStore } from "../../../src/webhooks/EventStore.ts"
import { WebhookStore } from "../../../src/webhooks/WebhookStore.ts"
import type { WebhookEvent } from "../../../src/webhooks/Webhook.ts"
import { newOrganization, nextId } from "../../support/StoreFixtures.ts"
import { everything, expectWindows } from "../../support/ListPages.ts"
import { onBothStores } from "../../support/OnBothStores.ts"

const newEvent = (org_id: OrgId, about: Partial<WebhookEvent> = {}) =>
  Effect.map(nextId, (event_id): WebhookEvent => ({
    event_id,
    org_id,
    event_type: "kyb.approved",
    payment_id: null,
    payload: `{"event_id":"${event_id}"}`,
    test: false,
    created_at: new Date("2026-03-02T09:15:00.000Z"),
    ...about
  }))

const newHook = (org_id: OrgId, events: ReadonlyArray<string> = ["*"]) =>
  Effect.gen(function* () {
    const store = yield* WebhookStore
    const webhook_id = yield* nextId
    return yield* store.insert({
      webhook_id,
      org_id,
      endpoint_url: "https://shop.example/",
      events,
      secret_sealed: "s"
    })
  })

const newOwner = Effect.map(newOrganization(), ({ org_id }) => ({ org_id, scope: Option.some(org_id) }))

onBothStores("EventStore", (it) => {
  it.effect("keeps every byte, and shows only what is in scope", () =>
    Effect.gen(function* () {
      const store = yield* EventStore
      const [mine, theirs] = yield* Effect.all([newOwner, newOwner])
      const event = yield* newEvent(theirs.org_id, { payload: `{"amount": 1500.00, "é":"\\u00e9"}`, test: true })
      expect(yield* store.insert(event)).toBe(0)
      expect(yield* store.list(theirs.scope, {}, everything)).toEqual([event])
      expect(yield* store.list(mine.scope, {}, everything)).toEqual([])
      expect(yield* store.list(Option.none(), {}, everything)).toContainEqual(event)
    })
  )

  it.effect("lists newest first, page by page, by type and from a time on", () =>
    Effect.gen(function* () {
      const store = yield* EventStore
      const { org_id, scope } = yield* newOwner
      const times = ["09:15:00.000", "09:15:00.000", "09:15:00.001", "09:14:59.999"]
      const made = yield* Effect.forEach(times, (time, index) =>
        newEvent(org_id, {
          created_at: new Date(`2026-03-02T${time}Z`),
          event_type: index === 0 ? "kyc.approved" : "kyb.approved"
        })
      )
      for (const event of made) yield* store.insert(event)
      yield* expectWindows(
        made,
        (window) => store.list(scope, {}, window),
        (row) => row.event_id
      )
      expect(yield* store.list(scope, { event_type: "kyc.approved" }, everything)).toEqual([made[0]])
      const from = new Date("2026-03-02T09:15:00.000Z")
      const late = yield* store.list(scope, { from }, everything)
      expect(late.map((event) => event.event_id).toSorted()).toEqual(
        made
          .slice(0, 3)
          .map((one) => one.event_id)
          .toSorted()
      )
      expect(yield* store.list(scope, { from, event_type: "kyb.approved" }, everything)).toHaveLength(2)
    })
  )

  it.effect("refuses an event that is larger than 64 KiB", () =>
    Effect.gen(function* () {
      const store = yield* EventStore
      const { org_id, scope } = yield* newOwner
      const largest = yield* newEvent(org_id, { payload: `"${"é".repeat(32 * 1024 - 1)}"` })
      expect(yield* store.insert(largest)).toBe(0)
      const larger = yield* newEvent(org_id, { payload: `${largest.payload} ` })
      expect(Exit.isFailure(yield* Effect.exit(store.insert(larger)))).toBe(true)
      expect(yield* store.list(scope, {}, everything)).toEqual([largest])
    })
  )

  it.effect("finds the active endpoints of the organisation that ask for it; for a test, all of them", () =>
    Effect.gen(function* () {
      const store = yield* EventStore
      const hooks = yield* WebhookStore
      const deliveries = yield* DeliveryStore
      const [mine, theirs] = yield* Effect.all([newOwner, newOwner])
      const [all, other, disabled] = yield* Effect.all([
        newHook(mine.org_id),
        newHook(mine.org_id, ["payment.*"]),
        newHook(mine.org_id),
        newHook(theirs.org_id)
      ])
      yield* hooks.update(mine.scope, disabled.webhook_id, { status: "disabled" })
      const event = yield* newEvent(mine.org_id)
      expect(yield* store.insert(event)).toBe(1)
      const [delivery] = yield* deliveries.list(mine.scope, {}, everything)
      expect(delivery).toEqual({
        delivery_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        org_id: mine.org_id,
        webhook_id: all.webhook_id,
        event_id: event.event_id,
        event_type: "kyb.approved",
        status: "pending",
        attempts: 0,
        last_status_code: null,
        last_error: null,
        next_attempt_at: delivery?.created_at,
        created_at: expect.any(Date)
      })
      expect(yield* store.insert(yield* newEvent(mine.org_id, { test: true }))).toBe(2)
      expect(yield* deliveries.list(mine.scope, { webhook_id: other.webhook_id }, everything)).toHaveLength(1)
      expect(yield* deliveries.list(theirs.scope, {}, everything)).toEqual([])
    })
  )

  it.effect("asks every pattern about every type as the filter says", () =>
    Effect.gen(function* () {
      const store = yield* EventStore
      const deliveries = yield* DeliveryStore
      const { org_id, scope } = yield* newOwner
      const hooks = yield* Effect.forEach(eventPatterns, (pattern) => newHook(org_id, [pattern]))
      for (const event_type of eventTypes) yield* store.insert(yield* newEvent(org_id, { event_type }))
      for (const { events, webhook_id } of hooks) {
        const received = yield* deliveries.list(scope, { webhook_id }, everything)
        const expected = eventTypes.filter((type) => wants(events, type))
        expect(received.map((delivery) => delivery.event_type).toSorted(), events[0]).toEqual(expected.toSorted())
      }
    })
  )
})
