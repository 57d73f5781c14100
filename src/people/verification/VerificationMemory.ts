/** Verification requests in memory. */
import { Clock, Effect, Layer, Option } from "effect"
import { memoryTable, newestFirst, openTables } from "../../platform/database/MemoryDatabase.ts"
import { type Scope } from "../../platform/database/Query.ts"
import { type VerificationRequest, VerificationStore } from "./VerificationStore.ts"

const verificationTables = { verificationRequests: memoryTable<VerificationRequest>("verificationRequests") }

export const verificationStoreMemory = Layer.effect(
  VerificationStore,
  Effect.map(openTables(verificationTables), ({ verificationRequests }): VerificationStore["Type"] => {
    const visible = (scope: Scope) =>
      Array.from(verificationRequests.values()).filter((row) => Option.isNone(scope) || row.org_id === scope.value)
    const find = (scope: Scope, id: string) => Option.fromNullable(visible(scope).find((row) => row.request_id === id))
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
      close: (scope, id, status) =>
        Effect.map(Clock.currentTimeMillis, (now) =>
          Option.map(
            Option.filter(find(scope, id), (row) => row.status === "pending"),
            (row) => {
              const closed = { ...row, status, updated_at: new Date(now) }
              verificationRequests.set(id, closed)
              return closed
            }
          )
        )
    }
  })
)
