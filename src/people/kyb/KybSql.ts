/** KYB in PostgreSQL. */
import { SqlClient } from "@effect/sql"
import { Effect, Layer, Option, Schema } from "effect"
import { anyRow, execute, query } from "../../platform/database/Query.ts"
import { KybState } from "../../contract/api/KybApi.ts"
import { KybStore } from "./KybStore.ts"

const state = query(Schema.typeSchema(KybState))
const latest = query(Schema.Struct({ at: Schema.NullOr(Schema.DateFromSelf) }))

export const kybStoreSql = Layer.effect(
  KybStore,
  Effect.map(SqlClient.SqlClient, (sql): KybStore["Type"] => ({
    lock: (orgId) =>
      state.first(sql`select org_id, kyb_status, kyb_customer_id from organizations where org_id = ${orgId}
        for update`),
    lockByCustomer: (customerId) =>
      state.first(sql`select o.org_id, o.kyb_status, o.kyb_customer_id from kyb_applications a
        join organizations o using (org_id) where a.customer_id = ${customerId} for update of o`),
    open: (application) =>
      sql`insert into kyb_applications ${sql.insert({ ...application })}`.pipe(
        Effect.zipRight(
          sql`update organizations set kyb_status = 'pending', kyb_customer_id = ${application.customer_id},
            updated_at = now() where org_id = ${application.org_id}`
        ),
        execute
      ),
    setStatus: (orgId, status) =>
      execute(sql`update organizations set kyb_status = ${status}, updated_at = now() where org_id = ${orgId}`),
    latestDecision: (customerId) =>
      sql`select max(occurred_at) as at from kyb_callbacks where customer_id = ${customerId}`.pipe(
        latest.one,
        Effect.map(({ at }) => Option.fromNullable(at))
      ),
    insertCallback: (callback) =>
      anyRow(sql`insert into kyb_callbacks ${sql.insert({ ...callback })} on conflict do nothing returning 1`)
  }))
)
