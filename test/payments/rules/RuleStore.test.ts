import { expect } from "@effect/vitest"
import { Effect, Option } from "effect"
import { Transactor } from "../../../src/platform/database/Transactor.ts"
import { type ListEntry, type NewRule, type Owner, RuleStore } from "../../../src/payments/rules/RuleStore.ts"
import { PaymentStore } from "../../../src/payments/store/PaymentStore.ts"
import type { Payment } from "../../../src/payments/store/Payment.ts"
import { newOrganization, nextId } from "../../support/StoreFixtures.ts"
import { onBothStores } from "../../support/OnBothStores.ts"
import { makePayment, newOwner, shillings } from "../support/NewPayment.ts"

const rule = (org_id: Owner, about: Partial<NewRule> = {}): NewRule => ({
  org_id,
  name: "five-a-day",
  kind: "velocity",
  subject: "phone",
  direction: "inbound",
  max_count: 5,
  max_amount: shillings(1_000_001n),
  window_seconds: 86_400,
  action: "hold",
  is_active: true,
  ...about
})

const everything = { after: Option.none(), take: 100 }

onBothStores("RuleStore", (it) => {
  it.effect("keeps one rule of a name for each owner, as it was set last", () =>
    Effect.gen(function* () {
      const store = yield* RuleStore
      const { org_id } = yield* newOrganization()
      const other = yield* newOrganization()
      const first = yield* store.put(rule(org_id))
      expect(first).toMatchObject(rule(org_id))
      const second = yield* store.put(rule(org_id, { max_amount: null, is_active: false, direction: null }))
      expect(second).toMatchObject({ max_amount: null, is_active: false, created_at: first.created_at })
      yield* store.put(rule(org_id, { name: "another" }))
      expect((yield* store.list(org_id)).map(({ name }) => name)).toEqual(["another", "five-a-day"])
      expect(yield* store.list(other.org_id)).toEqual([])
      expect(yield* store.remove(other.org_id, "another")).toEqual(Option.none())
      expect(yield* store.remove(org_id, "another")).toMatchObject({ _tag: "Some", value: { name: "another" } })
      expect(yield* store.list(org_id)).toEqual([second])
    })
  )

  it.effect("has the rules of an organisation and the platform for a payment", () =>
    Effect.gen(function* () {
      const store = yield* RuleStore
      const { org_id } = yield* newOrganization()
      const name = yield* nextId
      const ours = { rules: [rule(org_id)], hasLists: false }
      yield* store.put(rule(org_id))
      expect(yield* store.configOf(org_id)).toEqual(ours)
      yield* store.put(rule(null, { name }))
      expect((yield* store.configOf(org_id)).rules).toEqual([rule(null, { name }), rule(org_id)])
      yield* store.remove(null, name)
      expect(yield* store.configOf(org_id)).toEqual(ours)
      expect((yield* store.configOf((yield* newOrganization()).org_id)).rules).toEqual([])
    })
  )

  it.effect("keeps lists by owner, and finds their values", () =>
    Effect.gen(function* () {
      const store = yield* RuleStore
      const { org_id } = yield* newOrganization()
      const other = yield* newOrganization()
      const add = (owner: Owner, about: Partial<ListEntry>) =>
        Effect.flatMap(nextId, (entry_id) =>
          store.addEntry({
            entry_id,
            org_id: owner,
            list: "block",
            subject: "phone",
            value: "+1",
            note: null,
            ...about
          })
        )
      const value = yield* nextId
      const blocked = yield* add(org_id, { value, note: "fraud" })
      expect(yield* add(org_id, { value, note: "fraud" })).toEqual(blocked)
      const allowed = yield* add(org_id, { value, list: "allow" })
      yield* add(other.org_id, { value })
      const ofPlatform = yield* add(null, { value, subject: "name" })
      const found = yield* store.matching(org_id, [
        { subject: "phone", value },
        { subject: "name", value },
        { subject: "email", value }
      ])
      expect(new Set(found)).toEqual(new Set([blocked, allowed, ofPlatform]))
      expect((yield* store.configOf(org_id)).hasLists).toBe(true)
      expect(yield* store.entries(org_id, { list: "allow" }, everything)).toEqual([allowed])
      expect(yield* store.entries(org_id, { subject: "email" }, everything)).toEqual([])
      expect(yield* store.removeEntry(other.org_id, blocked.entry_id)).toEqual(Option.none())
      expect(yield* store.removeEntry(null, blocked.entry_id)).toEqual(Option.none())
      expect(yield* store.removeEntry(org_id, blocked.entry_id)).toEqual(Option.some(blocked))
      expect(yield* store.removeEntry(null, ofPlatform.entry_id)).toEqual(Option.some(ofPlatform))
    })
  )

  it.effect("counts payments of a key that have not failed, in its window and direction", () =>
    Effect.gen(function* () {
      const store = yield* RuleStore
      const payments = yield* PaymentStore
      const { atomically } = yield* Transactor
      const owner = yield* newOwner
      const key = yield* nextId
      const recorded = [{ key, owner: owner.org_id, subject: "card" as const }]
      const asked = (about: object = {}) => ({ key, owner: owner.org_id, seconds: 60, direction: null, ...about })
      const take = (about: Partial<Payment>) =>
        Effect.gen(function* () {
          const payment = yield* makePayment(owner, about)
          const counted = yield* atomically(
            Effect.gen(function* () {
              yield* store.lock([key, key])
              const counts = yield* store.count([asked(), asked({ direction: "outbound" })], payment, recorded)
              yield* payments.create({ payment, attempt: null, fees: [] })
              return counts
            })
          )
          return { payment, counted }
        })
      const nothing = { count: 0, sums: [] }
      const first = yield* take({ amount: shillings(1_001n) })
      expect(first.counted).toEqual([nothing, nothing])
      yield* take({ status: "failed" })
      yield* take({ status: "rejected" })
      const fourth = yield* take({ amount: shillings(2n), status: "completed" })
      expect(fourth.counted).toEqual([{ count: 1, sums: [shillings(1_001n)] }, nothing])
      const other = yield* newOwner
      const payment_id = yield* nextId
      const count = (about: object) => store.count([asked(about)], { ...other, payment_id }, [])
      expect(yield* count({})).toEqual([{ count: 2, sums: [shillings(1_003n)] }])
      expect(yield* count({ owner: other.org_id })).toEqual([nothing])
      expect(yield* count({ owner: null })).toEqual([{ count: 2, sums: [shillings(1_003n)] }])
      const past = yield* store.past(owner.org_id, 3600, { after: Option.none(), take: 2 })
      expect(past).toHaveLength(2)
      expect(past[0]).toMatchObject({ payment_id: fourth.payment.payment_id, amount: shillings(2n) })
      expect(past[0]!.recorded).toMatchObject([{ key, subject: "card" }])
      expect(yield* store.past(other.org_id, 3600, everything)).toEqual([])
    })
  )
})
