import { expect } from "@effect/vitest"
import { Duration, Effect, Option } from "effect"
import { Transactor } from "../../../src/platform/database/Transactor.ts"
import type { OrgId } from "../../../src/domain/Ids.ts"
import { KybStore } from "../../../src/people/kyb/KybStore.ts"
import { OrganizationStore } from "../../../src/people/organizations/OrganizationStore.ts"
import { newOrganization, nextId } from "../../support/StoreFixtures.ts"
import { onBothStores } from "../../support/OnBothStores.ts"
import { nilId } from "../../support/AnyId.ts"

const opened = Effect.gen(function* () {
  const store = yield* KybStore
  const { org_id } = yield* newOrganization()
  const customer_id = `kyb_${yield* nextId}`
  yield* store.open({ customer_id, org_id, documents: null, started_by: "ada" })
  return { org_id, customer_id }
})

const rejected = (customer_id: string, org_id: OrgId) => ({
  ...{ customer_id, org_id, status: "rejected" as const, reason: "No registration", decided_by: "operator ada" }
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
      yield* store.decide(rejected(first, org_id))
      yield* store.open({ customer_id: second, org_id, documents: null, started_by: "ada" })
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
      const change = store.insertCallback(callback).pipe(Effect.zipRight(store.decide(rejected(customer_id, org_id))))
      yield* Effect.flip(atomically(Effect.zipRight(change, Effect.fail("no"))))
      expect(Option.getOrThrow(yield* store.lock(org_id)).kyb_status).toBe("pending")
      expect(yield* store.insertCallback(callback)).toBe(true)
    })
  )

  it.effect("shows the current application with its approvals and its decision", () =>
    Effect.gen(function* () {
      const store = yield* KybStore
      const { customer_id: first, org_id } = yield* opened
      const customer_id = `kyb_${yield* nextId}`
      yield* store.decide(rejected(first, org_id))
      expect(Option.getOrThrow(yield* store.find(first))).toMatchObject({
        kyb_status: "rejected",
        decided_by: "operator ada",
        reason: "No registration"
      })
      yield* store.open({ customer_id, org_id, documents: "sealed", started_by: "ada" })
      expect(yield* store.find(first)).toEqual(Option.none())
      const approvals = [
        { person: "0199", details: "d1" },
        { person: "operator grace", details: "d2" }
      ]
      yield* store.setApprovals(customer_id, [{ person: "operator joan", details: "d0" }])
      yield* store.setApprovals(customer_id, approvals)
      const shown = Option.getOrThrow(yield* store.find(customer_id))
      expect(shown).toMatchObject({ org_id, kyb_status: "pending", started_by: "ada", approvals })
      expect(shown).toMatchObject({ documents: "sealed", decided_by: null, decided_at: null, reason: null })
      const window = { after: Option.none(), take: 500 }
      const of = (status?: "pending" | "rejected") =>
        Effect.map(store.list(status, window), (all) => all.filter((one) => one.org_id === org_id))
      expect(yield* of()).toEqual([shown])
      expect(yield* of("pending")).toEqual([shown])
      expect(yield* of("rejected")).toEqual([])
      const next = { after: Option.some([shown.created_at.toISOString(), org_id] as const), take: 500 }
      expect((yield* store.list(undefined, next)).map((one) => one.org_id)).not.toContain(org_id)
    })
  )

  it.effect("claims the request of a pending application once, until it fails or its lease ends", () =>
    Effect.gen(function* () {
      const store = yield* KybStore
      const { customer_id, org_id } = yield* opened
      const claimed = (lease: string) =>
        Effect.map(store.claimRequests(500, Duration.decode(lease as "1 minute")), (all) =>
          all.filter((one) => one.customer_id === customer_id)
        )
      expect(yield* claimed("1 minute")).toEqual([{ customer_id, org_id, attempts: 1 }])
      expect(yield* claimed("1 minute")).toEqual([])
      yield* store.requestFailed(customer_id, "no answer", Duration.zero)
      expect(yield* claimed("0 millis")).toEqual([{ customer_id, org_id, attempts: 2 }])
      expect(yield* claimed("0 millis")).toEqual([{ customer_id, org_id, attempts: 3 }])
      yield* store.requestSent(customer_id)
      expect(yield* claimed("0 millis")).toEqual([])
      const decidedOne = yield* opened
      yield* store.decide(rejected(decidedOne.customer_id, decidedOne.org_id))
      const all = yield* store.claimRequests(500, Duration.zero)
      expect(all.map((one) => one.customer_id)).not.toContain(decidedOne.customer_id)
    })
  )
})
