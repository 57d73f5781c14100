/** Handlers of the endpoints for saved views. */
import { Effect } from "effect"
import type { SavedViewsApi } from "../../contract/api/SavedViewsApi.ts"
import { answer, type Handlers } from "../../platform/http/Handlers.ts"
import { SavedViews } from "./SavedViews.ts"

export const savedViewsHandlers = Effect.map(SavedViews, (views): Handlers<typeof SavedViewsApi> => ({
  list: ({ permit }) => answer("Saved views", views.list(permit)),
  create: ({ payload: { filters, name }, permit }) =>
    answer("View saved", views.create(permit, { filters, name: name.trim() })),
  change: ({ path, payload: { name, ...filters }, permit }) =>
    answer(
      "View changed",
      views.change(permit, path.view_id, { ...filters, ...(name === undefined ? {} : { name: name.trim() }) })
    ),
  remove: ({ path, permit }) => views.remove(permit, path.view_id)
}))
