/** Views of an organisation in both stores: names, order, scope. */
import { expect } from "@effect/vitest"
import { Effect, Option } from "effect"
import { ViewId } from "../../../src/domain/Ids.ts"
import { SavedViewStore, type ViewDraft } from "../../../src/payments/views/SavedViews.ts"
import { nextId } from "../../support/StoreFixtures.ts"
import { onBothStores } from "../../support/OnBothStores.ts"
import { newOwner } from "../support/NewPayment.ts"

const filters: ViewDraft["filters"] = { status: "failed", search: "kamau", from: "2026-03-02" }

onBothStores("A saved view", (it) => {
  it.effect("is listed by name, found and changed within its organisation, and deleted", () =>
    Effect.gen(function* () {
      const store = yield* SavedViewStore
      const [mine, theirs] = yield* Effect.all([newOwner, newOwner])
      const save = (owner: typeof mine, name: string) =>
        Effect.flatMap(nextId, (id) =>
          store.insert({ view_id: ViewId.make(id), org_id: owner.org_id, created_by: owner.user_id, name, filters })
        )
      const payouts = Option.getOrThrow(yield* save(mine, "Payouts"))
      const failed = Option.getOrThrow(yield* save(mine, "Failed"))
      expect(yield* save(mine, "Failed"), "taken").toEqual(Option.none())
      const other = Option.getOrThrow(yield* save(theirs, "Failed"))
      expect(yield* store.list(mine.org_id)).toEqual([failed, payouts])
      expect(yield* store.countForUpdate(mine.org_id)).toBe(2)
      expect(failed).toMatchObject({ filters, created_by: mine.user_id })

      const [own, foreign] = [Option.some(mine.org_id), Option.some(theirs.org_id)]
      expect(yield* store.find(own, failed.view_id)).toEqual(Option.some(failed))
      expect(yield* store.find(foreign, failed.view_id)).toEqual(Option.none())
      expect(yield* store.find(Option.none(), failed.view_id)).toEqual(Option.some(failed))
      const renamed = yield* store.update(own, failed.view_id, { name: "Declined", filters: {} })
      expect(Option.getOrThrow(renamed)).toMatchObject({ name: "Declined", filters: {}, view_id: failed.view_id })
      expect(yield* store.update(own, failed.view_id, { name: "Payouts", filters })).toEqual(Option.none())
      expect(yield* store.update(foreign, failed.view_id, { name: "Mine", filters })).toEqual(Option.none())

      yield* store.remove(foreign, payouts.view_id)
      yield* store.remove(own, failed.view_id)
      expect(yield* store.list(mine.org_id)).toEqual([payouts])
      expect(yield* store.list(theirs.org_id)).toEqual([other])
    })
  )
})
