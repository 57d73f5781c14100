/** API keys in memory. */
import { Clock, Effect, Layer, Option } from "effect"
import type { KeyId } from "../../domain/Ids.ts"
import { newestFirst, openTables, memoryTable, currentDate, seenIn } from "../../platform/database/MemoryDatabase.ts"
import type { Scope } from "../../platform/database/Query.ts"
import { type Key, type StoredApiKey, ApiKeyStore } from "./ApiKeyStore.ts"

export const apiKeyTables = {
  apiKeys: memoryTable<StoredApiKey>("apiKeys")
}

const withoutHash = ({ hash: _hash, mode: _mode, ...key }: StoredApiKey): Key => key

/** Shows an expiring key as revoked once its grace time is over. */
const asOf = (now: number, key: StoredApiKey): StoredApiKey =>
  key.status === "expiring" && key.expires_at !== null && key.expires_at.getTime() <= now
    ? { ...key, status: "revoked", expires_at: null }
    : key

export const apiKeyStoreMemory = Layer.effect(
  ApiKeyStore,
  Effect.map(openTables(apiKeyTables), ({ apiKeys }): ApiKeyStore["Type"] => {
    const visible = (scope: Scope, now: number) => apiKeys.all(seenIn(scope)).map((key) => asOf(now, key))
    const change = (scope: Scope, id: KeyId, change: (key: StoredApiKey, now: number) => Partial<StoredApiKey>) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        for (const key of visible(scope, now)) {
          if (key.api_key_id === id && key.status !== "revoked") {
            apiKeys.set(id, { ...key, ...change(key, now), updated_at: new Date(now) })
          }
        }
      })
    return {
      insert: (key) =>
        Effect.map(currentDate, (at) => {
          const stored: StoredApiKey = { ...key, status: "active", expires_at: null, created_at: at, updated_at: at }
          apiKeys.set(key.api_key_id, stored)
          return withoutHash(stored)
        }),
      list: (scope, window) =>
        Effect.map(Clock.currentTimeMillis, (now) =>
          newestFirst(visible(scope, now), (key) => key.api_key_id, window).map(withoutHash)
        ),
      count: (scope) => Effect.map(Clock.currentTimeMillis, (now) => visible(scope, now).length),
      findForUpdate: (scope, id) =>
        Effect.map(Clock.currentTimeMillis, (now) =>
          Option.map(Option.fromNullable(visible(scope, now).find((key) => key.api_key_id === id)), withoutHash)
        ),
      revoke: (scope, id) => change(scope, id, () => ({ status: "revoked", expires_at: null })),
      revokeAllOf: (orgId, userId) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          const working = visible(Option.some(orgId), now).filter(
            (key) => key.user_id === userId && key.status !== "revoked"
          )
          for (const key of working) {
            apiKeys.set(key.api_key_id, { ...key, status: "revoked", expires_at: null, updated_at: new Date(now) })
          }
          return working.map((key) => key.api_key_id)
        }),
      expire: (scope, id, graceSeconds) =>
        change(scope, id, (_, now) => ({ status: "expiring", expires_at: new Date(now + graceSeconds * 1000) }))
    }
  })
)
