import { Effect } from "effect"
import { success } from "../contract/api/Envelope.ts"
import type { WebhooksApi } from "../contract/api/WebhooksApi.ts"
import type { Handlers } from "../platform/http/Handlers.ts"
import { makePages } from "../platform/pagination/Pagination.ts"
import { Webhooks } from "./Webhooks.ts"

export const webhooksHandlers = Effect.gen(function* () {
  const webhooks = yield* Webhooks
  const pages = yield* makePages
  const handlers: Handlers<typeof WebhooksApi> = {
    list: (request) => {
      const { permit } = request
      return pages(request, {
        message: "Webhooks",
        fetch: (window) => webhooks.list(permit, window),
        idOf: (webhook) => webhook.webhook_id
      })
    },
    create: ({ payload, permit }) =>
      Effect.map(webhooks.create(permit, payload), (webhook) =>
        success("Webhook registered; store its secret now, it is not shown again", webhook)
      ),
    find: ({ path, permit }) =>
      Effect.map(webhooks.find(permit, path.webhook_id), (webhook) => success("Webhook", webhook)),
    update: ({ path, payload, permit }) =>
      Effect.map(webhooks.update(permit, path.webhook_id, payload), (webhook) => success("Webhook updated", webhook)),
    remove: ({ path, permit }) => webhooks.remove(permit, path.webhook_id),
    rotateSecret: ({ path, payload, permit }) =>
      Effect.map(webhooks.rotateSecret(permit, path.webhook_id, payload.immediate), (webhook) =>
        success("Secret rotated; store the new one now", webhook)
      )
  }
  return handlers
})
