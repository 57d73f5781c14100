/** Idempotency keys in memory. */
import { Duration, Clock, Effect, Layer, Option } from "effect"
import { openTables } from "../database/MemoryDatabase.ts"
import { idempotencyTables, nameOf, unanswered } from "./MemoryTables.ts"
import { retentionBatch } from "../../domain/policies/Server.ts"
import { Settings } from "../config/Settings.ts"
import { type NewKey, type StoredKey, IdempotencyStore } from "./IdempotencyStore.ts"

export const idempotencyStoreMemory = Layer.effect(
  IdempotencyStore,
  Effect.map(
    Effect.all([openTables(idempotencyTables), Settings]),
    ([{ idempotencyKeys }, { retention }]): IdempotencyStore["Type"] => {
      const age = Duration.toMillis(retention.idempotency)
      const isOld = (now: number) => (row: StoredKey) => now - row.created_at.getTime() > age
      const mine = (key: NewKey): StoredKey | undefined => {
        const found = idempotencyKeys.get(nameOf(key))
        return found?.claim === key.claim && found.status === null ? found : undefined
      }
      return {
        find: (name) =>
          Effect.map(Clock.currentTimeMillis, (now) => {
            const found = idempotencyKeys.get(nameOf(name))
            if (found !== undefined && !isOld(now)(found)) {
              return Option.some({ ...found, age_millis: now - found.created_at.getTime() })
            }
            idempotencyKeys.delete(nameOf(name))
            return Option.none()
          }),
        claim: (payment_id, key) =>
          Effect.map(Clock.currentTimeMillis, (now) => {
            if (idempotencyKeys.has(nameOf(key))) return false
            idempotencyKeys.set(nameOf(key), unanswered(key, payment_id, new Date(now)))
            return true
          }),
        keepResponse: (key, status, response) =>
          Effect.sync(() => {
            const found = mine(key)
            if (found !== undefined) idempotencyKeys.set(nameOf(key), { ...found, status, response })
          }),
        release: (key) =>
          Effect.sync(() => {
            if (mine(key) !== undefined) idempotencyKeys.delete(nameOf(key))
          }),
        forgetOld: Effect.map(Clock.currentTimeMillis, (now) => {
          const old = Array.from(idempotencyKeys.values()).filter(isOld(now)).slice(0, retentionBatch)
          for (const row of old) idempotencyKeys.delete(nameOf(row))
          return old.length
        })
      }
    }
  )
)
