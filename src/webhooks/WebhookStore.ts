/** Stores webhook endpoints. Secrets are encrypted, and reads leave them out. */
import { Context, type Option } from "effect"
import type { OrgId, WebhookId } from "../domain/Ids.ts"
import type { Stored } from "../platform/database/DatabaseFailure.ts"
import type { Scope, Window } from "../platform/database/Query.ts"
import type { StoredWebhook, Webhook } from "./Webhook.ts"

export type NewWebhook = Pick<StoredWebhook, "webhook_id" | "org_id" | "endpoint_url" | "events" | "secret_sealed">

export type WebhookPatch = Partial<
  Pick<StoredWebhook, "endpoint_url" | "events" | "status" | "disabled_reason" | "failing_since">
>

interface Store {
  /** Counts an organisation's endpoints. Locks out other additions until the end of the transaction. */
  readonly lockAndCount: (orgId: OrgId) => Stored<number>
  readonly insert: (webhook: NewWebhook) => Stored<Webhook>
  readonly list: (scope: Scope, window: Window) => Stored<ReadonlyArray<Webhook>>
  readonly find: (scope: Scope, id: WebhookId) => Stored<Option.Option<Webhook>>
  /** Locks the row until the end of the transaction; events can still be inserted. */
  readonly findForUpdate: (scope: Scope, id: WebhookId) => Stored<Option.Option<Webhook>>
  readonly update: (scope: Scope, id: WebhookId, patch: WebhookPatch) => Stored<Option.Option<Webhook>>
  /** Keeps the current secret as the previous one for a time; with `immediate` drops it. */
  readonly replaceSecret: (
    scope: Scope,
    id: WebhookId,
    sealed: string,
    immediate: boolean
  ) => Stored<Option.Option<Webhook>>
  /** Deletes its deliveries too. */
  readonly remove: (scope: Scope, id: WebhookId) => Stored<void>
}

export class WebhookStore extends Context.Tag("corridor/WebhookStore")<WebhookStore, Store>() {}
