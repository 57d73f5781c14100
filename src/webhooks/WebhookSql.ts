/** Webhook endpoints in PostgreSQL. */
import { SqlClient } from "@effect/sql"
import { Duration, Effect, Layer } from "effect"
import type { WebhookId } from "../domain/Ids.ts"
import { inScope, newest, ownedIn, type Scope, execute, queryCount, query } from "../platform/database/Query.ts"
import { webhookSecretOverlap } from "../domain/policies/WebhookPolicies.ts"
import { Webhook } from "./Webhook.ts"
import { WebhookStore } from "./WebhookStore.ts"

const webhooks = query(Webhook)

export const webhookStoreSql = Layer.effect(
  WebhookStore,
  Effect.map(SqlClient.SqlClient, (sql): WebhookStore["Type"] => {
    const columns = sql.literal(
      "webhook_id, org_id, endpoint_url, events, status, disabled_reason, created_at, updated_at"
    )
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
