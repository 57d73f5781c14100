/** Webhook endpoints at rest. Their secrets are sealed, and are no part of what reads give. */
import { Context, type Effect, type Option, Schema } from "effect"
import type { OrgId, WebhookId } from "../domain/Identifiers.ts"
import type { Scope } from "../platform/database/Query.ts"
import type { Window } from "../platform/database/Window.ts"
import { SealedSecrets, type StoredWebhook, Webhook } from "./Webhook.ts"

export type NewWebhook = Pick<StoredWebhook, "webhook_id" | "org_id" | "endpoint_url" | "events" | "secret_sealed">

export type WebhookPatch = Partial<
  Pick<StoredWebhook, "endpoint_url" | "events" | "status" | "disabled_reason" | "failing_since">
>

export const SealedRow = Schema.Struct({
  ...Webhook.pick("webhook_id").fields,
  ...SealedSecrets.omit("previous_secret_until").fields
})
export type SealedRow = typeof SealedRow.Type

interface Store {
  /** Of an organisation. Until the end of the transaction that it stands in, nobody else counts them to add one. */
  readonly countToAdd: (orgId: OrgId) => Effect.Effect<number>
  readonly insert: (webhook: NewWebhook) => Effect.Effect<Webhook>
  readonly list: (scope: Scope, window: Window) => Effect.Effect<ReadonlyArray<Webhook>>
  readonly find: (scope: Scope, id: WebhookId) => Effect.Effect<Option.Option<Webhook>>
  /** Inside a transaction the row stays locked until its end; events still find it. */
  readonly findForUpdate: (scope: Scope, id: WebhookId) => Effect.Effect<Option.Option<Webhook>>
  readonly update: (scope: Scope, id: WebhookId, patch: WebhookPatch) => Effect.Effect<Option.Option<Webhook>>
  /** The secret in force becomes the previous one for a while, or with `immediate` goes at once. */
  readonly replaceSecret: (
    scope: Scope,
    id: WebhookId,
    sealed: string,
    immediate: boolean
  ) => Effect.Effect<Option.Option<Webhook>>
  /** With its deliveries. */
  readonly remove: (scope: Scope, id: WebhookId) => Effect.Effect<void>
  /** Until the end of the transaction nobody adds or changes a secret. */
  readonly holdSecrets: Effect.Effect<void>
  /** Whatever is sealed in the table. */
  readonly allSealed: Effect.Effect<ReadonlyArray<SealedRow>>
  readonly replaceSealed: (row: SealedRow) => Effect.Effect<void>
}

export class WebhookStore extends Context.Tag("corridor/WebhookStore")<WebhookStore, Store>() {}
