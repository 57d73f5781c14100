import { expect } from "@effect/vitest"
import { Effect, Option } from "effect"
import type { OrgId } from "../../../src/domain/Ids.ts"
import { DeliveryStore } from "../../../src/webhooks/delivery/DeliveryStore.ts"
import { EventStore } from "../../../src/webhooks/EventStore.ts"
import { WebhookStore } from "../../../src/webhooks/WebhookStore.ts"
import { newOrganization, nextId } from "../../support/StoreFixtures.ts"
import { atOneMoment, everything, expectWindows } from "../../support/ListPages.ts"
import { onBothStores } from "../../support/OnBothStores.ts"
import { startOf } from "../../../src/webhooks/delivery/DeliveryTrends.ts"
import { nilId } from "../../support/AnyId.ts"

const newHook = (org_id: OrgId) =>
  Effect.gen(function* () {
    const store = yield* WebhookStore
    const webhook_id = yield* nextId
    const about = { endpoint_url: "https://shop.example/", events: ["*"], secret_sealed: "s" }
    return yield* store.insert({ webhook_id, org_id, ...about })
  })

const send = (org_id: OrgId) =>
  Effect.gen(function* () {
    const store = yield* EventStore
    const event = { org_id, event_type: "kyb.approved", payment_id: null, payload: "{}", test: false }
    yield* store.insert({ ...event, event_id: yield* nextId, created_at: new Date("2026-03-02T09:15:00.000Z") })
  })

const newOwner = Effect.gen(function* () {
  const { org_id } = yield* newOrganization()
  return { org_id, scope: Option.some(org_id), hook: yield* newHook(org_id) }
})

onBothStores("DeliveryStore", (it) => {
  it.effect("lists newest first, page by page, by status and endpoint", () =>
    Effect.gen(function* () {
      const store = yield* DeliveryStore
      const { hook, org_id, scope } = yield* newOwner
      yield* atOneMoment(Effect.replicateEffect(send(org_id), 3))
      yield* send(org_id)
      const made = yield* store.list(scope, {}, everything)
      expect(made).toHaveLength(4)
      yield* expectWindows(
        made,
        (window) => store.list(scope, { status: "pending", webhook_id: hook.webhook_id }, window),
        (row) => row.delivery_id
      )
      expect(yield* store.list(scope, { status: "dead" }, everything)).toEqual([])
      expect(yield* store.list(scope, { webhook_id: nilId }, everything)).toEqual([])
    })
  )

  it.effect("shows only what is in scope, and leaves what waits already", () =>
    Effect.gen(function* () {
      const store = yield* DeliveryStore
      const [mine, theirs] = yield* Effect.all([newOwner, newOwner])
      yield* send(theirs.org_id)
      const [delivery] = yield* store.list(theirs.scope, {}, everything)
      const id = delivery!.delivery_id
      expect(yield* store.find(mine.scope, id)).toEqual(Option.none())
      expect(yield* store.find(theirs.scope, id)).toEqual(Option.some(delivery))
      expect(yield* store.find(Option.none(), id)).toEqual(Option.some(delivery))
      for (const scope of [mine.scope, theirs.scope]) expect(yield* store.requeue(scope, id)).toBe(false)
      expect(yield* store.requeue(Option.none(), nilId)).toBe(false)
      expect(yield* store.find(theirs.scope, id)).toEqual(Option.some(delivery))
    })
  )

  it.effect("counts an endpoint's deliveries by hour or day and status, within the scope", () =>
    Effect.gen(function* () {
      const store = yield* DeliveryStore
      const [mine, theirs] = yield* Effect.all([newOwner, newOwner])
      const { webhook_id } = mine.hook
      yield* Effect.replicateEffect(send(mine.org_id), 3)
      yield* newHook(mine.org_id)
      yield* send(theirs.org_id)
      const made = yield* store.list(mine.scope, { webhook_id }, everything)
      const oldest = made.at(-1)!.created_at
      for (const per of ["hour", "day"] as const) {
        const since = startOf(per, oldest)
        const counts = yield* store.counts(mine.scope, webhook_id, per, since)
        const sum = (status: string) =>
          counts.filter((one) => one.status === status).reduce((all, { count }) => all + count, 0)
        expect([sum("pending"), sum("dead"), sum("delivered")], per).toEqual([3, 0, 0])
        const starts = made.map(({ created_at }) => startOf(per, created_at).getTime())
        expect(counts.every(({ at }) => starts.includes(at.getTime()))).toBe(true)
        expect(yield* store.counts(theirs.scope, webhook_id, per, since)).toEqual([])
        expect(yield* store.counts(mine.scope, webhook_id, per, new Date(Date.now() + 60_000))).toEqual([])
      }
      expect(yield* store.latencies(mine.scope, webhook_id, 10)).toEqual([])
    })
  )

  it.effect("goes with its endpoint", () =>
    Effect.gen(function* () {
      const store = yield* DeliveryStore
      const hooks = yield* WebhookStore
      const { hook, org_id, scope } = yield* newOwner
      const other = yield* newHook(org_id)
      yield* send(org_id)
      yield* hooks.remove(scope, hook.webhook_id)
      const left = yield* store.list(scope, {}, everything)
      expect(left.map((delivery) => delivery.webhook_id)).toEqual([other.webhook_id])
      expect(left[0]?.next_attempt_at, "and the others stay in the queue").not.toBeNull()
    })
  )
})
