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
    /** Changes the keys that work and are meant; returns their ids. */
    const change = (
      scope: Scope,
      isMeant: (key: StoredApiKey) => boolean,
      changed: (now: number) => Partial<StoredApiKey>
    ) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const working = visible(scope, now).filter((key) => key.status !== "revoked" && isMeant(key))
        for (const key of working) {
          apiKeys.set(key.api_key_id, { ...key, ...changed(now), updated_at: new Date(now) })
        }
        return working.map((key) => key.api_key_id)
      })
    const named = (id: KeyId) => (key: StoredApiKey) => key.api_key_id === id
    const revoked = () => ({ status: "revoked", expires_at: null }) as const
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
      revoke: (scope, id) => Effect.asVoid(change(scope, named(id), revoked)),
      revokeAllOf: (orgId, userId) => change(Option.some(orgId), (key) => key.user_id === userId, revoked),
      expire: (scope, id, graceSeconds) =>
        Effect.asVoid(
          change(scope, named(id), (now) => ({
            status: "expiring",
            expires_at: new Date(now + graceSeconds * 1000)
          }))
        )
    }
  })
)
