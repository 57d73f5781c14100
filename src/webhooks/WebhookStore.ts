/** Webhook endpoints at rest. Their secrets are sealed, and are no part of what reads give. */
import { Context, type Option, Schema } from "effect"
import type { OrgId, WebhookId } from "../domain/Ids.ts"
import type { Stored } from "../platform/database/DatabaseFailure.ts"
import type { Scope, Window } from "../platform/database/Query.ts"
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
  readonly lockAndCount: (orgId: OrgId) => Stored<number>
  readonly insert: (webhook: NewWebhook) => Stored<Webhook>
  readonly list: (scope: Scope, window: Window) => Stored<ReadonlyArray<Webhook>>
  readonly find: (scope: Scope, id: WebhookId) => Stored<Option.Option<Webhook>>
  /** Inside a transaction the row stays locked until its end; events still find it. */
  readonly findForUpdate: (scope: Scope, id: WebhookId) => Stored<Option.Option<Webhook>>
  readonly update: (scope: Scope, id: WebhookId, patch: WebhookPatch) => Stored<Option.Option<Webhook>>
  /** The secret in force becomes the previous one for a while, or with `immediate` goes at once. */
  readonly replaceSecret: (
    scope: Scope,
    id: WebhookId,
    sealed: string,
    immediate: boolean
  ) => Stored<Option.Option<Webhook>>
  /** With its deliveries. */
  readonly remove: (scope: Scope, id: WebhookId) => Stored<void>
  /** Until the end of the transaction nobody adds or changes a secret. */
  readonly lockSecrets: Stored<void>
  /** Whatever is sealed in the table. */
  readonly allSealed: Stored<ReadonlyArray<SealedRow>>
  readonly replaceSealed: (row: SealedRow) => Stored<void>
}

export class WebhookStore extends Context.Tag("corridor/WebhookStore")<WebhookStore, Store>() {}
