import { Effect } from "effect"
import type { ApiKeysApi } from "../../contract/api/ApiKeysApi.ts"
import { success } from "../../contract/api/Envelope.ts"
import type { Handlers } from "../../platform/http/Handlers.ts"
import { makePages } from "../../platform/pagination/Pagination.ts"
import { ApiKeys } from "./ApiKeys.ts"

export const apiKeysHandlers = Effect.gen(function* () {
  const keys = yield* ApiKeys
  const pages = yield* makePages
  const handlers: Handlers<typeof ApiKeysApi> = {
    list: Effect.fnUntraced(function* (request) {
      const { permit } = request
      const page = yield* pages(request, {
        message: "API keys",
        fetch: (window) => keys.list(permit, window),
        idOf: (key) => key.api_key_id
      })
      const total_count = yield* keys.count(permit)
      return { ...page, meta: { ...page.meta, total_count } }
    }),
    create: ({ payload, permit }) =>
      Effect.map(keys.create(permit, payload), (key) =>
        success("API key created; store it now, it is not shown again", key)
      ),
    rotate: ({ path, payload, permit }) =>
      Effect.map(keys.rotate(permit, path.api_key_id, payload.grace_seconds), (key) =>
        success("API key rotated; store the new one now", key)
      ),
    revoke: ({ path, permit }) => keys.revoke(permit, path.api_key_id)
  }
  return handlers
})
