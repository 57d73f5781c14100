/** Verification requests in memory. */
import { Effect, Layer, Option } from "effect"
import {
  memoryTable,
  newestFirst,
  openTables,
  currentDate,
  matches,
  seenIn
} from "../../platform/database/MemoryDatabase.ts"
import { type Scope } from "../../platform/database/Query.ts"
import { type VerificationRequest, VerificationStore } from "./VerificationStore.ts"

const verificationTables = { verificationRequests: memoryTable<VerificationRequest>("verificationRequests") }

export const verificationStoreMemory = Layer.effect(
  VerificationStore,
  Effect.map(openTables(verificationTables), ({ verificationRequests }): VerificationStore["Type"] => {
    const find = (scope: Scope, id: string) => verificationRequests.one(id, seenIn(scope))
    return {
      insert: (request) =>
        Effect.map(currentDate, (at) => {
          const row = { ...request, created_at: at, updated_at: at }
          verificationRequests.set(request.request_id, row)
          return row
        }),
      find: (scope, id) => Effect.sync(() => find(scope, id)),
      list: (scope, filter, window) =>
        Effect.sync(() =>
          newestFirst(verificationRequests.all(seenIn(scope), matches(filter)), (row) => row.request_id, window)
        ),
      close: (scope, id, status) =>
        Effect.map(currentDate, (updated_at) =>
          Option.map(
            Option.filter(find(scope, id), (row) => row.status === "pending"),
            (row) => {
              const closed = { ...row, status, updated_at }
              verificationRequests.set(id, closed)
              return closed
            }
          )
        )
    }
  })
)
