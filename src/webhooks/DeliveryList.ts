/** Lists of deliveries in PostgreSQL, however they are filtered: none takes longer because there are more deliveries. */
import type { SqlClient, Statement } from "@effect/sql"
import { Option } from "effect"
import type { WebhookId } from "../domain/Identifiers.ts"
import { newestAmong, ownedIn, type Scope } from "../platform/database/Query.ts"
import type { Window } from "../platform/database/Window.ts"
import { type DeliveryStatus, deliveryStatuses } from "./Webhook.ts"

interface Filter {
  readonly status?: DeliveryStatus | undefined
  readonly webhook_id?: WebhookId | undefined
  readonly since?: Date | undefined
}

export const newestDeliveries = (
  sql: SqlClient.SqlClient,
  scope: Scope,
  { since, status, webhook_id }: Filter,
  window: Window
): Statement.Fragment => {
  const statuses = sql`unnest(${status === undefined ? [...deliveryStatuses] : [status]}::text[]) as a_status`
  const [parts, theirs] =
    webhook_id === undefined
      ? [
          statuses,
          Option.match(scope, {
            onNone: () => sql`lower(status) = lower(a_status)`,
            onSome: (orgId) => sql`org_id = ${orgId} and status = a_status`
          })
        ]
      : [
          sql`(select webhook_id as an_endpoint from webhooks where webhook_id = ${webhook_id} and ${ownedIn(sql, scope)}) w
            cross join ${statuses}`,
          sql`webhook_id = an_endpoint and status = a_status`
        ]
  const ids = newestAmong(sql, "delivery_id", window, {
    parts,
    table: "webhook_deliveries",
    within: sql.and([theirs, ...(since === undefined ? [] : [sql`created_at >= ${since}`])])
  })
  return sql`delivery_id = any (array(${ids})) order by created_at desc, delivery_id desc`
}
