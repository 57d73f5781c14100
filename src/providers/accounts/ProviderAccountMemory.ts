/** In-memory stores of provider accounts. */
import { Duration, Effect, Layer, Option } from "effect"
import type { ConfigId } from "../../domain/Ids.ts"
import { replacedCredentialsGrace, replacedCredentialsKept } from "../../domain/policies/ProviderPolicies.ts"
import { currentDate, deleteOld, openTables, memoryTable } from "../../platform/database/MemoryDatabase.ts"
import {
  ProviderAccountStore,
  type ReplacedCredentials,
  type ProviderAccount,
  type PlatformAccount,
  PlatformAccountStore
} from "./ProviderAccountStore.ts"

/** Tables, also read by the store of configurations. */
export const accountTables = {
  providerAccounts: memoryTable<ProviderAccount>("providerAccounts"),
  replacedCredentials: memoryTable<ReplacedCredentials>("replacedCredentials")
}

const keyOf = ({ config_id, version }: Pick<ReplacedCredentials, "config_id" | "version">) => `${config_id} ${version}`

export const providerAccountStoreMemory = Layer.effect(
  ProviderAccountStore,
  Effect.map(openTables(accountTables), ({ providerAccounts, replacedCredentials }): ProviderAccountStore["Type"] => {
    const replacedOf = (id: ConfigId) =>
      replacedCredentials.all(({ config_id }) => config_id === id).sort((a, b) => b.version - a.version)
    return {
      find: (id) => Effect.sync(() => providerAccounts.one(id)),
      put: ({ config_id, provider, sealed, tested }) =>
        Effect.map(currentDate, (at) => {
          const before = providerAccounts.get(config_id)
          if (!tested && before !== undefined && before.tested_at !== null) return Option.none()
          if (before !== undefined && before.tested_at !== null) {
            const until = new Date(at.getTime() + Duration.toMillis(replacedCredentialsGrace))
            const replaced = { config_id, version: before.version, sealed: before.sealed, until }
            replacedCredentials.set(keyOf(replaced), replaced)
            for (const old of replacedOf(config_id).slice(replacedCredentialsKept))
              replacedCredentials.delete(keyOf(old))
          }
          const version = (before?.version ?? 0) + 1
          const row = { config_id, provider, sealed, version, tested_at: tested ? at : null, updated_at: at }
          providerAccounts.set(config_id, row)
          return Option.some(row)
        }),
      replaced: (id) => Effect.map(currentDate, (at) => replacedOf(id).filter(({ until }) => until > at)),
      forgetReplaced: (id) =>
        Effect.sync(() => {
          for (const old of replacedOf(id)) replacedCredentials.delete(keyOf(old))
        }),
      markTested: (id, version) =>
        Effect.map(currentDate, (tested_at) =>
          Option.map(
            providerAccounts.one(id, (row) => row.version === version),
            (row) => {
              const tested = { ...row, tested_at }
              providerAccounts.set(id, tested)
              return tested
            }
          )
        ),
      allCredentials: Effect.sync(() =>
        Array.from(providerAccounts.values(), ({ config_id, provider, sealed }) => ({
          config_id,
          provider,
          sealed
        })).sort((a, b) => (a.config_id < b.config_id ? -1 : 1))
      ),
      forgetOld: deleteOld(replacedCredentials, ({ until }, now) => until.getTime() <= now)
    }
  })
)

const tables = { platformAccounts: memoryTable<PlatformAccount>("platformAccounts") }

export const platformAccountStoreMemory = Layer.effect(
  PlatformAccountStore,
  Effect.map(openTables(tables), ({ platformAccounts }): PlatformAccountStore["Type"] => ({
    see: (named) =>
      Effect.map(currentDate, (now) => {
        for (const { fingerprint, provider } of named) {
          const key = `${provider} ${fingerprint}`
          const first_seen_at = platformAccounts.get(key)?.first_seen_at ?? now
          platformAccounts.set(key, { provider, fingerprint, first_seen_at, last_seen_at: now })
        }
        return platformAccounts.all()
      })
  }))
)
