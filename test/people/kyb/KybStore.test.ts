import { expect } from "@effect/vitest"
import { Effect, Option } from "effect"
import { Transactor } from "../../../src/platform/database/Transactor.ts"
import { KybStore } from "../../../src/people/kyb/KybStore.ts"
import { OrganizationStore } from "../../../src/people/organizations/OrganizationStore.ts"
import { newOrganization, nextId } from "../../support/StoreFixtures.ts"
import { onBothStores } from "../../support/Stores.ts"
import { nilId } from "../../support/AnyId.ts"

const opened = Effect.gen(function* () {
  const store = yield* KybStore
  const { org_id } = yield* newOrganization()
  const customer_id = `kyb_${yield* nextId}`
  yield* store.open({ customer_id, org_id })
  return { org_id, customer_id }
})

const decision = (customer_id: string, event_key: string, at: string | null) => ({
  ...{ customer_id, event_key, status: "approved" as const, reason: null },
  occurred_at: at === null ? null : new Date(at)
})

onBothStores("KybStore", (it) => {
  it.effect("makes an application the organisation's current one, and finds it by every one it had", () =>
    Effect.gen(function* () {
      const store = yield* KybStore
      const { customer_id: first, org_id } = yield* opened
      const second = `kyb_${yield* nextId}`
      expect(yield* store.lock(org_id)).toEqual(Option.some({ org_id, kyb_status: "pending", kyb_customer_id: first }))
      yield* store.setStatus(org_id, "rejected")
      yield* store.open({ customer_id: second, org_id })
      const state = Option.some({ org_id, kyb_status: "pending", kyb_customer_id: second })
      for (const customer of [first, second]) expect(yield* store.lockByCustomer(customer)).toEqual(state)
      expect(yield* store.lockByCustomer("kyb_nobody")).toEqual(Option.none())
      expect(yield* store.lock(nilId)).toEqual(Option.none())
      const shown = yield* Effect.flatMap(OrganizationStore, (all) => all.find(Option.none(), org_id))
      expect(Option.getOrThrow(shown)).toMatchObject({ kyb_status: "pending", kyb_customer_id: second })
    })
  )

  it.effect("keeps a callback once for each customer, and knows the latest decision", () =>
    Effect.gen(function* () {
      const store = yield* KybStore
      const [one, other] = yield* Effect.all([opened, opened])
      expect(yield* store.latestDecision(one.customer_id)).toEqual(Option.none())
      expect(yield* store.insertCallback(decision(one.customer_id, "a", null))).toBe(true)
      expect(yield* store.latestDecision(one.customer_id)).toEqual(Option.none())
      const late = "2026-03-02T10:00:00.123Z"
      expect(yield* store.insertCallback(decision(one.customer_id, "b", late))).toBe(true)
      expect(yield* store.insertCallback(decision(one.customer_id, "c", "2026-03-01T10:00:00Z"))).toBe(true)
      expect(yield* store.insertCallback(decision(one.customer_id, "b", "2027-01-01T00:00:00Z"))).toBe(false)
      expect(yield* store.latestDecision(one.customer_id)).toEqual(Option.some(new Date(late)))
      expect(yield* store.insertCallback(decision(other.customer_id, "b", null))).toBe(true)
    })
  )

  it.effect("rolls back with a failed transaction", () =>
    Effect.gen(function* () {
      const store = yield* KybStore
      const { atomically } = yield* Transactor
      const { customer_id, org_id } = yield* opened
      const callback = decision(customer_id, "a", null)
      const change = store.insertCallback(callback).pipe(Effect.zipRight(store.setStatus(org_id, "approved")))
      yield* Effect.flip(atomically(Effect.zipRight(change, Effect.fail("no"))))
      expect(Option.getOrThrow(yield* store.lock(org_id)).kyb_status).toBe("pending")
      expect(yield* store.insertCallback(callback)).toBe(true)
    })
  )
})
