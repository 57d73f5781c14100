/** The platform's accounts in memory. */
import { Clock, Effect, Layer } from "effect"
import { memoryTable, openTables } from "../../platform/database/MemoryDatabase.ts"
import { type PlatformAccount, PlatformAccountStore } from "./PlatformAccountStore.ts"

const tables = { platformAccounts: memoryTable<PlatformAccount>("platformAccounts") }

export const platformAccountStoreMemory = Layer.effect(
  PlatformAccountStore,
  Effect.map(openTables(tables), ({ platformAccounts }): PlatformAccountStore["Type"] => ({
    see: (named) =>
      Effect.map(Clock.currentTimeMillis, (millis) => {
        const now = new Date(millis)
        for (const { fingerprint, provider } of named) {
          const key = `${provider} ${fingerprint}`
          const first_seen_at = platformAccounts.get(key)?.first_seen_at ?? now
          platformAccounts.set(key, { provider, fingerprint, first_seen_at, last_seen_at: now })
        }
        return Array.from(platformAccounts.values())
      })
  }))
)
