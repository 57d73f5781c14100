import { Effect } from "effect"
import { success } from "../api/Envelope.ts"
import type { WebhooksApi } from "../api/Webhooks.ts"
import type { Handlers } from "../http/Handlers.ts"
import { paginate } from "../pagination/Page.ts"
import { Vault } from "../secrets/Vault.ts"
import { Webhooks } from "./Webhooks.ts"

export const webhooksHandlers = Effect.gen(function* () {
  const webhooks = yield* Webhooks
  const vault = yield* Vault
  const handlers: Handlers<typeof WebhooksApi> = {
    list: ({ permit, route, urlParams }) =>
      paginate({
        vault,
        permit,
        route,
        asked: urlParams,
        fetch: (window) => webhooks.list(permit, window),
        idOf: (webhook) => webhook.webhook_id
      }).pipe(Effect.map((page) => ({ status: "success", message: "Webhooks", ...page }))),
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
