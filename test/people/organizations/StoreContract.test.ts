import { expect } from "@effect/vitest"
import { Effect, Option } from "effect"
import { OrganizationStore } from "../../../src/people/organizations/OrganizationStore.ts"
import { onBothStores } from "../../support/OnBothStores.ts"
import { newOrganization } from "../../support/StoreFixtures.ts"
import { atOneMoment, everything, expectWindows } from "../../support/ListPages.ts"
import { nilId } from "../../support/AnyId.ts"

onBothStores("OrganizationStore", (it) => {
  it.effect("keeps what was inserted, and fills in the rest", () =>
    Effect.gen(function* () {
      const store = yield* OrganizationStore
      const about = { name: "Zürich Öl", country: "CH", currency: "CHF", features: ["escrow", "x"], sandbox: true }
      const made = yield* newOrganization(about)
      expect(made).toMatchObject({ ...about, kyb_status: "not_started", kyb_customer_id: null })
      expect(made.created_at).toBeInstanceOf(Date)
      expect(made.updated_at).toEqual(made.created_at)
      expect(yield* store.find(Option.none(), made.org_id)).toEqual(Option.some(made))
    })
  )

  it.effect("finds an organisation only within its own scope", () =>
    Effect.gen(function* () {
      const store = yield* OrganizationStore
      const [one, other] = yield* Effect.all([newOrganization(), newOrganization()])
      expect(yield* store.find(Option.some(one.org_id), one.org_id)).toEqual(Option.some(one))
      expect(yield* store.find(Option.some(other.org_id), one.org_id)).toEqual(Option.none())
      expect(yield* store.find(Option.none(), nilId)).toEqual(Option.none())
      expect(yield* store.list(Option.some(one.org_id), everything)).toEqual([one])
    })
  )

  it.effect("lists newest first, page by page", () =>
    Effect.gen(function* () {
      const store = yield* OrganizationStore
      const before = yield* store.list(Option.none(), everything)
      const three = Effect.replicateEffect(newOrganization(), 3)
      const made = [...(yield* atOneMoment(three)), ...(yield* atOneMoment(three)), yield* newOrganization()]
      yield* expectWindows(
        [...before, ...made],
        (window) => store.list(Option.none(), window),
        (row) => row.org_id
      )
    })
  )
})
