/** What waits for a person, from PostgreSQL. */
import { SqlClient } from "@effect/sql"
import { Effect, Layer } from "effect"
import { deadLettersCounted } from "../domain/policies/Webhooks.ts"
import { orDatabaseFailure } from "../platform/database/DatabaseFailure.ts"
import { inScope, newest } from "../platform/database/Query.ts"
import { rowsAs } from "../platform/database/Rows.ts"
import { Trouble, WebhookIssues } from "./WebhookIssues.ts"

const troubles = rowsAs(Trouble)

export const webhookIssuesSql = Layer.effect(
  WebhookIssues,
  Effect.map(SqlClient.SqlClient, (sql): WebhookIssues["Type"] => ({
    list: (scope, window) =>
      sql`select kind, item_id, org_id, webhook_id, endpoint_url, delivery_id, reason, created_at, (
          select count(*)::int from (
            select from webhook_deliveries d where d.webhook_id = t.webhook_id and d.status = 'dead'
            order by d.created_at, d.delivery_id limit ${deadLettersCounted}
          ) counted
        ) as dead_letters
        from (
          select 'dead_letter' as kind, oldest.delivery_id as item_id, org_id, webhook_id, endpoint_url,
            oldest.delivery_id, oldest.reason, oldest.created_at
          from webhooks w cross join lateral (
            select delivery_id, last_error as reason, d.created_at from webhook_deliveries d
            where d.webhook_id = w.webhook_id and d.status = 'dead' order by d.created_at, delivery_id limit 1
          ) oldest where ${inScope(sql, scope)}
          union all
          select 'disabled_endpoint', webhook_id, org_id, webhook_id, endpoint_url, null, disabled_reason, updated_at
          from webhooks where ${inScope(sql, scope)} and status = 'disabled'
        ) t where true ${newest(sql, "item_id", window)}`.pipe(Effect.flatMap(troubles), orDatabaseFailure)
  }))
)
