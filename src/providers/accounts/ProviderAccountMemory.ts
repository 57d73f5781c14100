/** The accounts of configurations in memory. */
import { Clock, Duration, Effect, Layer, Option } from "effect"
import { replacedCredentialsGrace } from "../../domain/policies/Providers.ts"
import { openTables } from "../../platform/database/MemoryDatabase.ts"
import { accountTables } from "./MemoryTables.ts"
import { ProviderAccountStore } from "./ProviderAccountStore.ts"

const now = Effect.map(Clock.currentTimeMillis, (millis) => new Date(millis))

export const providerAccountStoreMemory = Layer.effect(
  ProviderAccountStore,
  Effect.map(openTables(accountTables), ({ providerAccounts, replacedCredentials }): ProviderAccountStore["Type"] => ({
    find: (id) => Effect.sync(() => Option.fromNullable(providerAccounts.get(id))),
    put: ({ config_id, provider, sealed, tested }) =>
      Effect.map(now, (at) => {
        const before = providerAccounts.get(config_id)
        if (!tested && before !== undefined && before.tested_at !== null) return Option.none()
        if (before !== undefined && before.tested_at !== null) {
          const until = new Date(at.getTime() + Duration.toMillis(replacedCredentialsGrace))
          replacedCredentials.set(config_id, { config_id, sealed: before.sealed, until })
        }
        const version = (before?.version ?? 0) + 1
        const row = { config_id, provider, sealed, version, tested_at: tested ? at : null, updated_at: at }
        providerAccounts.set(config_id, row)
        return Option.some(row)
      }),
    replaced: (id) =>
      Effect.map(now, (at) =>
        Option.filter(Option.fromNullable(replacedCredentials.get(id)), ({ until }) => until > at)
      ),
    markTested: (id, version) =>
      Effect.map(now, (tested_at) =>
        Option.map(
          Option.filter(Option.fromNullable(providerAccounts.get(id)), (row) => row.version === version),
          (row) => {
            const tested = { ...row, tested_at }
            providerAccounts.set(id, tested)
            return tested
          }
        )
      ),
    hold: Effect.void,
    allSealed: Effect.sync(() =>
      Array.from(providerAccounts.values(), ({ config_id, sealed }) => ({ config_id, sealed })).sort((a, b) =>
        a.config_id < b.config_id ? -1 : 1
      )
    ),
    replaceSealed: ({ config_id, sealed }) =>
      Effect.sync(() => {
        const row = providerAccounts.get(config_id)
        if (row !== undefined) providerAccounts.set(config_id, { ...row, sealed })
      }),
    allReplaced: Effect.sync(() =>
      Array.from(replacedCredentials.values(), ({ config_id, sealed }) => ({ config_id, sealed })).sort((a, b) =>
        a.config_id < b.config_id ? -1 : 1
      )
    ),
    resealReplaced: ({ config_id, sealed }) =>
      Effect.sync(() => {
        const row = replacedCredentials.get(config_id)
        if (row !== undefined) replacedCredentials.set(config_id, { ...row, sealed })
      }),
    forgetOld: Effect.map(now, (at) => {
      const old = Array.from(replacedCredentials.values()).filter(({ until }) => until <= at)
      for (const { config_id } of old) replacedCredentials.delete(config_id)
      return old.length
    })
  }))
)
