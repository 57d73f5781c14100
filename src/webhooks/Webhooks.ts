/** Manages webhook endpoints: create, update, rotate the secret, remove. */
import { Context, Effect, Layer } from "effect"
import { WebhookId, Ids } from "../domain/Ids.ts"
import type { CreateWebhook, UpdateWebhook, WebhooksApi } from "../contract/api/WebhooksApi.ts"
import { orNotFound } from "../platform/database/DatabaseFailure.ts"
import { AuditLog } from "../platform/audit/AuditLog.ts"
import { Settings } from "../platform/config/Settings.ts"
import { Transactor } from "../platform/database/Transactor.ts"
import { WorkQueues } from "../platform/database/WorkQueues.ts"
import { type Access, organizationOf, type Permit } from "../domain/Access.ts"
import { Conflict, Invalid } from "../domain/Failure.ts"
import type { Window } from "../platform/database/Query.ts"
import { Vault } from "../platform/secrets/Vault.ts"
import { everyEvent } from "../domain/EventTypes.ts"
import { formatSecret, SECRET_BYTES, secretContext } from "./WebhookSecrets.ts"
import { Dns } from "./ssrf/Dns.ts"
import { type EndpointRefused, resolveChecked } from "./ssrf/EndpointUrl.ts"
import type { Webhook } from "./Webhook.ts"
import { type WebhookPatch, WebhookStore } from "./WebhookStore.ts"
import { answer, type Handlers } from "../platform/http/Handlers.ts"
import { makePages } from "../platform/pagination/Pagination.ts"
import { traced } from "../platform/observability/Spans.ts"

const tooMany = (most: number): Conflict =>
  new Conflict({
    message: `This organisation has reached its limit of ${most} webhook endpoints. Remove or change one, or ask the operator to raise WEBHOOK_ENDPOINTS_PER_ORG.`
  })

const make = Effect.gen(function* () {
  const store = yield* WebhookStore
  const audit = yield* AuditLog
  const ids = yield* Ids
  const vault = yield* Vault
  const dns = yield* Dns
  const { mode, webhookEndpointsPerOrg: most } = yield* Settings
  const { atomically } = yield* Transactor
  const { announce } = yield* WorkQueues

  const found = orNotFound("webhook")

  const find = (permit: Permit<Access>, id: WebhookId) => found(store.find(permit.scope, id))

  /** Accepts a name without an address yet: every connection resolves and checks it again. */
  const mayResolveLater = (url: string, { kind }: EndpointRefused): boolean =>
    kind === "unresolved" && new URL(url).protocol === "https:"

  const checkEndpoint = (url: string) =>
    resolveChecked(url, mode).pipe(
      Effect.provideService(Dns, dns),
      Effect.asVoid,
      Effect.catchAll((refused) =>
        mayResolveLater(url, refused)
          ? Effect.void
          : Effect.fail(new Invalid({ message: `endpoint_url: ${refused.message}.` }))
      )
    )

  const record = (permit: Permit<"webhooks">, action: string, webhook: Webhook, detail?: WebhookPatch | object) =>
    audit.record(permit, {
      action: `webhook.${action}`,
      org: webhook.org_id,
      subject: ["webhook", webhook.webhook_id],
      detail: { ...detail }
    })

  const newSecret = Effect.fnUntraced(function* (webhookId: WebhookId) {
    const secret_key = formatSecret(yield* ids.bytes(SECRET_BYTES))
    return { secret_key, sealed: yield* vault.encrypt(secret_key, secretContext(webhookId)) }
  })

  return {
    list: (permit: Permit<Access>, window: Window) => store.list(permit.scope, window),
    find,
    create: traced("Webhooks.create")(function* (
      permit: Permit<"webhooks">,
      { endpoint_url, events = [everyEvent] }: typeof CreateWebhook.Type
    ) {
      const org_id = yield* organizationOf(permit)
      yield* checkEndpoint(endpoint_url)
      const webhook_id = yield* ids.make(WebhookId)
      const { sealed, secret_key } = yield* newSecret(webhook_id)
      const asked = { endpoint_url, events: Array.from(new Set(events)) }
      return yield* atomically(
        Effect.gen(function* () {
          if ((yield* store.lockAndCount(org_id)) >= most) return yield* tooMany(most)
          const webhook = yield* store.insert({ webhook_id, org_id, ...asked, secret_sealed: sealed })
          yield* record(permit, "created", webhook, asked)
          return { ...webhook, secret_key }
        })
      )
    }),
    update: traced("Webhooks.update")(function* (
      permit: Permit<"webhooks">,
      id: WebhookId,
      { endpoint_url, events, status }: typeof UpdateWebhook.Type
    ) {
      const before = yield* find(permit, id)
      if (endpoint_url !== undefined) yield* checkEndpoint(endpoint_url)
      const moved = endpoint_url !== undefined && endpoint_url !== before.endpoint_url
      const asked: WebhookPatch = {
        ...(endpoint_url === undefined ? {} : { endpoint_url }),
        ...(events === undefined ? {} : { events: Array.from(new Set(events)) }),
        ...(status === undefined ? {} : { status })
      }
      if (Object.keys(asked).length === 0) return before
      const cleared: WebhookPatch = {
        ...(moved || status === "active" ? { failing_since: null } : {}),
        ...(status === "active" ? { disabled_reason: null } : {})
      }
      return yield* atomically(
        Effect.gen(function* () {
          const webhook = yield* found(store.update(permit.scope, id, { ...asked, ...cleared }))
          yield* record(permit, "updated", webhook, asked)
          // Deliveries may have waited while it was disabled.
          if (status === "active") yield* announce("webhooks")
          return webhook
        })
      )
    }),
    remove: traced("Webhooks.remove")(function* (permit: Permit<"webhooks">, id: WebhookId) {
      const webhook = yield* found(store.findForUpdate(permit.scope, id))
      yield* store.remove(permit.scope, id)
      yield* record(permit, "deleted", webhook, { endpoint_url: webhook.endpoint_url })
    }, atomically),
    rotateSecret: traced("Webhooks.rotateSecret")(function* (
      permit: Permit<"webhooks">,
      id: WebhookId,
      immediate: boolean
    ) {
      const { sealed, secret_key } = yield* newSecret(id)
      return yield* atomically(
        Effect.gen(function* () {
          const webhook = yield* found(store.replaceSecret(permit.scope, id, sealed, immediate))
          yield* record(permit, "secret_rotated", webhook, { immediate })
          return { ...webhook, secret_key }
        })
      )
    })
  }
})

export class Webhooks extends Context.Tag("corridor/Webhooks")<Webhooks, Effect.Effect.Success<typeof make>>() {
  static readonly layer = Layer.effect(Webhooks, make)
}

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
