/** Saved views in memory. */
import { Effect, Layer, Option } from "effect"
import type { ViewId } from "../../domain/Ids.ts"
import { currentDate, memoryTable, openTables, seenIn } from "../../platform/database/MemoryDatabase.ts"
import type { Scope } from "../../platform/database/Query.ts"
import { type SavedView, SavedViewStore, type Store } from "./SavedViews.ts"

const viewTables = { savedViews: memoryTable<SavedView>("saved_views") }

export const savedViewStoreMemory = Layer.effect(
  SavedViewStore,
  Effect.map(openTables(viewTables), ({ savedViews }): Store => {
    const of = (orgId: string) => savedViews.all(({ org_id }) => org_id === orgId)
    const look = (scope: Scope, id: ViewId) => savedViews.one(id, seenIn(scope))
    const isTaken = ({ name, org_id, view_id }: Pick<SavedView, "name" | "org_id" | "view_id">) =>
      of(org_id).some((other) => other.name === name && other.view_id !== view_id)
    return {
      list: (orgId) => Effect.sync(() => of(orgId).toSorted((a, b) => (a.name < b.name ? -1 : 1))),
      countForUpdate: (orgId) => Effect.sync(() => of(orgId).length),
      insert: (view) =>
        Effect.map(currentDate, (at) => {
          if (isTaken(view)) return Option.none()
          const row = { ...view, created_at: at, updated_at: at }
          savedViews.set(view.view_id, row)
          return Option.some(row)
        }),
      find: (scope, id) => Effect.sync(() => look(scope, id)),
      update: (scope, id, fields) =>
        Effect.map(currentDate, (updated_at) =>
          Option.flatMap(look(scope, id), (row) => {
            const changed = { ...row, ...fields, updated_at }
            if (isTaken(changed)) return Option.none()
            savedViews.set(id, changed)
            return Option.some(changed)
          })
        ),
      remove: (scope, id) =>
        Effect.sync(() => {
          if (Option.isSome(look(scope, id))) savedViews.delete(id)
        })
    }
  })
)
