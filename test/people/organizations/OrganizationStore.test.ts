import { expect } from "@effect/vitest"
import { Effect, Option } from "effect"
import { type ChangedOrganization, OrganizationStore } from "../../../src/people/organizations/OrganizationStore.ts"
import { RateStore } from "../../../src/money/rates/RateStore.ts"
import { newOrganization } from "../../support/StoreFixtures.ts"
import { onBothStores } from "../../support/OnBothStores.ts"

onBothStores("OrganizationStore", (it) => {
  it.effect("keeps every field that can change, digit for digit", () =>
    Effect.gen(function* () {
      const store = yield* OrganizationStore
      const [made, other] = yield* Effect.all([newOrganization(), newOrganization()])
      const { org_id } = made
      const changed: ChangedOrganization = {
        org_id,
        name: "Initrode",
        country: "NG",
        email: "new@initech.example",
        kyb_status: "approved",
        features: ["escrow", "x"],
        review_threshold: "1234567890123.45",
        spread_bps: 125
      }
      const after = Option.getOrThrow(yield* store.update(Option.some(org_id), changed))
      expect(after).toEqual({ ...made, ...changed, updated_at: after.updated_at })
      expect(after.updated_at.getTime()).toBeGreaterThanOrEqual(made.updated_at.getTime())
      expect(yield* store.find(Option.none(), org_id)).toEqual(Option.some(after))
      expect(yield* store.findForUpdate(Option.some(org_id), org_id)).toEqual(Option.some(after))
      expect(yield* store.find(Option.none(), other.org_id), "and no other").toEqual(Option.some(other))
      const cleared = { ...changed, features: [], review_threshold: null }
      expect(Option.getOrThrow(yield* store.update(Option.none(), cleared))).toMatchObject({
        features: [],
        review_threshold: null
      })
    })
  )

  it.effect("changes nothing outside of its scope", () =>
    Effect.gen(function* () {
      const store = yield* OrganizationStore
      const [made, other] = yield* Effect.all([newOrganization(), newOrganization()])
      const scope = Option.some(other.org_id)
      expect(yield* store.findForUpdate(scope, made.org_id)).toEqual(Option.none())
      expect(yield* store.update(scope, { ...made, name: "Taken" })).toEqual(Option.none())
      expect(yield* store.find(Option.none(), made.org_id)).toEqual(Option.some(made))
    })
  )

  it.effect("has the spread that rates are quoted with", () =>
    Effect.gen(function* () {
      const store = yield* OrganizationStore
      const rates = yield* RateStore
      const made = yield* newOrganization()
      expect(made.spread_bps).toBe(0)
      yield* store.update(Option.none(), { ...made, spread_bps: 75 })
      yield* rates.set([{ from_currency: "XAA", to_currency: "XBB", rate: "2" }])
      const quoted = yield* rates.between(made.org_id, "XAA", "XBB", "USD")
      expect(quoted.map(({ spread_bps }) => spread_bps)).toEqual([75])
      expect((yield* rates.between(null, "XAA", "XBB", "USD")).map(({ spread_bps }) => spread_bps)).toEqual([0])
    })
  )
})
