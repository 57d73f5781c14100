import { Effect } from "effect"
import type { ApiKeysApi } from "../../contract/api/ApiKeysApi.ts"
import { answer, type Handlers } from "../../platform/http/Handlers.ts"
import { makePages } from "../../platform/pagination/Pagination.ts"
import { ApiKeys } from "./ApiKeys.ts"

export const apiKeysHandlers = Effect.gen(function* () {
  const keys = yield* ApiKeys
  const pages = yield* makePages
  return {
    list: Effect.fnUntraced(function* (request) {
      const page = yield* pages(request, {
        message: "API keys",
        fetch: (window) => keys.list(request.permit, window),
        idOf: (key) => key.api_key_id
      })
      return { ...page, meta: { ...page.meta, total_count: yield* keys.count(request.permit) } }
    }),
    create: ({ payload, permit }) =>
      answer("API key created; store it now, it is not shown again", keys.create(permit, payload)),
    rotate: ({ path, payload, permit }) =>
      answer("API key rotated; store the new one now", keys.rotate(permit, path.api_key_id, payload.grace_seconds)),
    revoke: ({ path, permit }) => keys.revoke(permit, path.api_key_id)
  } satisfies Handlers<typeof ApiKeysApi>
})
