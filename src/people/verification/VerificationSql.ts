/** Verification requests in PostgreSQL. */
import { SqlClient } from "@effect/sql"
import { Effect, Layer, Schema } from "effect"
import * as Api from "../../contract/api/VerificationApi.ts"
import { inScope, newest, ownedIn, query } from "../../platform/database/Query.ts"
import { VerificationStore } from "./VerificationStore.ts"

const Request = Schema.typeSchema(Api.VerificationRequest)
const requests = query(Request)

export const verificationStoreSql = Layer.effect(
  VerificationStore,
  Effect.map(SqlClient.SqlClient, (sql): VerificationStore["Type"] => {
    const columns = sql.literal(`request_id, org_id, requested_by, target, user_id, transaction_id, verification_type,
      triggered_by, priority, status, created_at, updated_at`)
    return {
      insert: (fresh) =>
        requests.one(sql`insert into verification_requests ${sql.insert({ ...fresh })}
          returning ${columns}`),
      find: (scope, id) =>
        requests.first(sql`select ${columns} from verification_requests
          where request_id = ${id} and ${ownedIn(sql, scope)}`),
      list: (scope, { status, transaction_id }, window) => {
        const ofStatus = status === undefined ? sql`true` : sql`status = ${status}`
        const [mine, about] =
          transaction_id === undefined
            ? [inScope(sql, scope), sql`true`]
            : [ownedIn(sql, scope), sql`transaction_id = ${transaction_id}`]
        return requests.all(sql`select ${columns} from verification_requests
          where ${mine} and ${ofStatus} and ${about} ${newest(sql, "request_id", window)}`)
      },
      close: (scope, id, status) =>
        requests.first(sql`update verification_requests set status = ${status}, updated_at = now()
          where request_id = ${id} and status = 'pending' and ${ownedIn(sql, scope)} returning ${columns}`)
    }
  })
)
