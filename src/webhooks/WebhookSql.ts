/** Webhook endpoints in PostgreSQL. */
import { SqlClient } from "@effect/sql"
import { Duration, Effect, Layer, Schema } from "effect"
import type { WebhookId } from "../domain/Ids.ts"
import { orDatabaseFailure } from "../platform/database/DatabaseFailure.ts"
import { inScope, newest, ownedIn, type Scope, rowAs, rowsAs, theRowAs } from "../platform/database/Query.ts"
import { webhookSecretOverlap } from "../domain/policies/WebhookPolicies.ts"
import { Webhook } from "./Webhook.ts"
import { SealedRow, WebhookStore } from "./WebhookStore.ts"

const webhook = rowAs(Webhook)
const theWebhook = theRowAs(Webhook)
const webhooks = rowsAs(Webhook)
const sealedRows = rowsAs(SealedRow)
const counted = theRowAs(Schema.Struct({ count: Schema.Number }))

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
          Effect.flatMap(counted),
          Effect.map(({ count }) => count),
          orDatabaseFailure
        ),
      insert: (fresh) =>
        sql`insert into webhooks ${sql.insert({ ...fresh, events: [...fresh.events] })}
          returning ${columns}`.pipe(Effect.flatMap(theWebhook), orDatabaseFailure),
      list: (scope, window) =>
        sql`select ${columns} from webhooks where ${inScope(sql, scope)}
          ${newest(sql, "webhook_id", window)}`.pipe(Effect.flatMap(webhooks), orDatabaseFailure),
      find: (scope, id) =>
        sql`select ${columns} from webhooks where ${one(scope, id)}`.pipe(Effect.flatMap(webhook), orDatabaseFailure),
      findForUpdate: (scope, id) =>
        sql`select ${columns} from webhooks where ${one(scope, id)} for no key update`.pipe(
          Effect.flatMap(webhook),
          orDatabaseFailure
        ),
      update: (scope, id, patch) => {
        const set = Object.keys(patch).length === 0 ? sql.literal("") : sql`${sql.update({ ...patch })},`
        return sql`update webhooks set ${set} updated_at = now() where ${one(scope, id)}
          returning ${columns}`.pipe(Effect.flatMap(webhook), orDatabaseFailure)
      },
      replaceSecret: (scope, id, sealed, immediate) => {
        const seconds = Duration.toSeconds(webhookSecretOverlap)
        const previous = immediate
          ? sql.literal("previous_secret_sealed = null, previous_secret_until = null")
          : sql`previous_secret_sealed = secret_sealed, previous_secret_until = now() + make_interval(secs => ${seconds})`
        return sql`update webhooks set ${previous}, secret_sealed = ${sealed}, updated_at = now()
          where ${one(scope, id)} returning ${columns}`.pipe(Effect.flatMap(webhook), orDatabaseFailure)
      },
      remove: (scope, id) => sql`delete from webhooks where ${one(scope, id)}`.pipe(orDatabaseFailure, Effect.asVoid),
      lockSecrets: sql`lock table webhooks in share row exclusive mode`.pipe(Effect.asVoid, orDatabaseFailure),
      allSealed: sql`select webhook_id, secret_sealed, previous_secret_sealed from webhooks order by webhook_id`.pipe(
        Effect.flatMap(sealedRows),
        orDatabaseFailure
      ),
      replaceSealed: ({ webhook_id, ...sealed }) =>
        sql`update webhooks set ${sql.update(sealed)} where webhook_id = ${webhook_id}`.pipe(
          orDatabaseFailure,
          Effect.asVoid
        )
    }
  })
)
