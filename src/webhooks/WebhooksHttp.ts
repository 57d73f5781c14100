import { Effect } from "effect"
import type { WebhooksApi } from "../contract/api/WebhooksApi.ts"
import { answer, type Handlers } from "../platform/http/Handlers.ts"
import { makePages } from "../platform/pagination/Pagination.ts"
import { Webhooks } from "./Webhooks.ts"

export const webhooksHandlers = Effect.map(
  Effect.all([Webhooks, makePages]),
  ([webhooks, pages]): Handlers<typeof WebhooksApi> => ({
    list: (request) =>
      pages(request, {
        message: "Webhooks",
        fetch: (window) => webhooks.list(request.permit, window),
        idOf: (webhook) => webhook.webhook_id
      }),
    create: ({ payload, permit }) =>
      answer("Webhook registered; store its secret now, it is not shown again", webhooks.create(permit, payload)),
    find: ({ path, permit }) => answer("Webhook", webhooks.find(permit, path.webhook_id)),
    update: ({ path, payload, permit }) => answer("Webhook updated", webhooks.update(permit, path.webhook_id, payload)),
    remove: ({ path, permit }) => webhooks.remove(permit, path.webhook_id),
    rotateSecret: ({ path, payload, permit }) =>
      answer("Secret rotated; store the new one now", webhooks.rotateSecret(permit, path.webhook_id, payload.immediate))
  })
)
