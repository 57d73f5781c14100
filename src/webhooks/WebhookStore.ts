/** Stores webhook endpoints. Secrets are encrypted, and reads leave them out. */
import { Context, type Option, Duration, Effect, Layer } from "effect"
import type { OrgId, WebhookId } from "../domain/Ids.ts"
import type { Stored } from "../platform/database/DatabaseFailure.ts"
import {
  type Scope,
  type Window,
  inScope,
  newest,
  ownedIn,
  execute,
  queryCount,
  query
} from "../platform/database/Query.ts"
import { type StoredWebhook, Webhook } from "./Webhook.ts"
import { SqlClient } from "@effect/sql"
import { webhookSecretOverlap } from "../domain/policies/WebhookPolicies.ts"

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

const webhooks = query(Webhook)

export const webhookStoreSql = Layer.effect(
  WebhookStore,
  Effect.map(SqlClient.SqlClient, (sql): WebhookStore["Type"] => {
    const columns = sql.literal(Object.keys(Webhook.fields).join(", "))
    const one = (scope: Scope, id: WebhookId) => sql`webhook_id = ${id} and ${ownedIn(sql, scope)}`
    return {
      // Two statements: a single one would count rows as of before the lock.
      lockAndCount: (orgId) =>
        sql`select 1 from organizations where org_id = ${orgId} for no key update`.pipe(
          Effect.zipRight(sql`select count(*)::int from webhooks where org_id = ${orgId}`),
          queryCount
        ),
      insert: (fresh) =>
        webhooks.one(sql`insert into webhooks ${sql.insert({ ...fresh, events: [...fresh.events] })}
          returning ${columns}`),
      list: (scope, window) =>
        webhooks.all(sql`select ${columns} from webhooks where ${inScope(sql, scope)}
          ${newest(sql, "webhook_id", window)}`),
      find: (scope, id) => webhooks.first(sql`select ${columns} from webhooks where ${one(scope, id)}`),
      findForUpdate: (scope, id) =>
        webhooks.first(sql`select ${columns} from webhooks where ${one(scope, id)} for no key update`),
      update: (scope, id, patch) => {
        const set = Object.keys(patch).length === 0 ? sql.literal("") : sql`${sql.update({ ...patch })},`
        return webhooks.first(sql`update webhooks set ${set} updated_at = now() where ${one(scope, id)}
          returning ${columns}`)
      },
      replaceSecret: (scope, id, sealed, immediate) => {
        const seconds = Duration.toSeconds(webhookSecretOverlap)
        const previous = immediate
          ? sql.literal("previous_secret_sealed = null, previous_secret_until = null")
          : sql`previous_secret_sealed = secret_sealed, previous_secret_until = now() + make_interval(secs => ${seconds})`
        return webhooks.first(sql`update webhooks set ${previous}, secret_sealed = ${sealed}, updated_at = now()
          where ${one(scope, id)} returning ${columns}`)
      },
      remove: (scope, id) => execute(sql`delete from webhooks where ${one(scope, id)}`)
    }
  })
)
