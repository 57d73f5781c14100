/** Stores verification requests. */
import { Context, type Option, Effect, Layer, Schema } from "effect"
import type { TransactionId } from "../../domain/Ids.ts"
import * as Api from "../../contract/api/VerificationApi.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"
import { type Scope, type Window, inScope, newest, ownedIn, query } from "../../platform/database/Query.ts"
import { SqlClient } from "@effect/sql"

export type VerificationRequest = typeof Api.VerificationRequest.Type
export type NewVerificationRequest = Omit<VerificationRequest, "created_at" | "updated_at">
type Status = VerificationRequest["status"]

export interface VerificationFilter {
  readonly status?: Status | undefined
  readonly transaction_id?: TransactionId | undefined
}

interface Store {
  readonly insert: (request: NewVerificationRequest) => Stored<VerificationRequest>
  readonly find: (scope: Scope, id: string) => Stored<Option.Option<VerificationRequest>>
  readonly list: (
    scope: Scope,
    filter: VerificationFilter,
    window: Window
  ) => Stored<ReadonlyArray<VerificationRequest>>
  /** Closes a request; none if it is not in scope, or not pending. */
  readonly close: (
    scope: Scope,
    id: string,
    status: Exclude<Status, "pending">
  ) => Stored<Option.Option<VerificationRequest>>
}

export class VerificationStore extends Context.Tag("corridor/VerificationStore")<VerificationStore, Store>() {}

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
