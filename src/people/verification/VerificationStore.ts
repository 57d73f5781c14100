/** Verification requests at rest. */
import { SqlClient } from "@effect/sql"
import { Clock, Context, Effect, Layer, Option } from "effect"
import type * as Api from "../../contract/api/Verification.ts"
import { newestFirst, openTables } from "../../platform/database/MemoryDatabase.ts"
import { verificationTables } from "./MemoryTables.ts"
import { firstRow, inScope, newest, type Scope } from "../../platform/database/Query.ts"
import type { Window } from "../../platform/database/Window.ts"

export type VerificationRequest = typeof Api.VerificationRequest.Type
export type NewVerificationRequest = Omit<VerificationRequest, "created_at" | "updated_at">
type Status = VerificationRequest["status"]

export interface VerificationFilter {
  readonly status?: Status | undefined
  readonly transaction_id?: string | undefined
}

interface Store {
  readonly insert: (request: NewVerificationRequest) => Effect.Effect<VerificationRequest>
  readonly find: (scope: Scope, id: string) => Effect.Effect<Option.Option<VerificationRequest>>
  readonly list: (
    scope: Scope,
    filter: VerificationFilter,
    window: Window
  ) => Effect.Effect<ReadonlyArray<VerificationRequest>>
  /** None when there is no such request in the scope, or it is not pending any more. */
  readonly end: (
    scope: Scope,
    id: string,
    status: Exclude<Status, "pending">
  ) => Effect.Effect<Option.Option<VerificationRequest>>
}

export class VerificationStore extends Context.Tag("corridor/VerificationStore")<VerificationStore, Store>() {
  static readonly layer = Layer.effect(
    VerificationStore,
    Effect.map(SqlClient.SqlClient, (sql): Store => {
      const columns = sql.literal(`request_id, org_id, requested_by, target, user_id, transaction_id, verification_type,
        triggered_by, priority, status, created_at, updated_at`)
      return {
        insert: (request) =>
          sql<VerificationRequest>`insert into verification_requests ${sql.insert({ ...request })}
            returning ${columns}`.pipe(
            Effect.map((rows) => rows[0]!),
            Effect.orDie
          ),
        find: (scope, id) =>
          sql<VerificationRequest>`select ${columns} from verification_requests
            where request_id = ${id} and ${inScope(sql, scope)}`.pipe(Effect.map(firstRow), Effect.orDie),
        list: (scope, { status, transaction_id }, window) => {
          const ofStatus = status === undefined ? sql`true` : sql`status = ${status}`
          const about = transaction_id === undefined ? sql`true` : sql`transaction_id = ${transaction_id}`
          return sql<VerificationRequest>`select ${columns} from verification_requests
            where ${inScope(sql, scope)} and ${ofStatus} and ${about} ${newest(sql, "request_id", window)}`.pipe(
            Effect.orDie
          )
        },
        end: (scope, id, status) =>
          sql<VerificationRequest>`update verification_requests set status = ${status}, updated_at = now()
            where request_id = ${id} and status = 'pending' and ${inScope(sql, scope)} returning ${columns}`.pipe(
            Effect.map(firstRow),
            Effect.orDie
          )
      }
    })
  )

  static readonly layerMemory = Layer.effect(
    VerificationStore,
    Effect.map(openTables(verificationTables), ({ verificationRequests }): Store => {
      const visible = (scope: Scope) =>
        Array.from(verificationRequests.values()).filter((row) => Option.isNone(scope) || row.org_id === scope.value)
      const find = (scope: Scope, id: string) =>
        Option.fromNullable(visible(scope).find((row) => row.request_id === id))
      return {
        insert: (request) =>
          Effect.map(Clock.currentTimeMillis, (now) => {
            const row = { ...request, created_at: new Date(now), updated_at: new Date(now) }
            verificationRequests.set(request.request_id, row)
            return row
          }),
        find: (scope, id) => Effect.sync(() => find(scope, id)),
        list: (scope, { status, transaction_id }, window) =>
          Effect.sync(() => {
            const rows = visible(scope).filter(
              (row) =>
                (status === undefined || row.status === status) &&
                (transaction_id === undefined || row.transaction_id === transaction_id)
            )
            return newestFirst(rows, (row) => row.request_id, window)
          }),
        end: (scope, id, status) =>
          Effect.map(Clock.currentTimeMillis, (now) =>
            Option.map(
              Option.filter(find(scope, id), (row) => row.status === "pending"),
              (row) => {
                const ended = { ...row, status, updated_at: new Date(now) }
                verificationRequests.set(id, ended)
                return ended
              }
            )
          )
      }
    })
  )
}
