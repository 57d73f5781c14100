/** Provider configurations in memory. */
import { Clock, Effect, Layer, Option } from "effect"
import type { ConfigId } from "../../domain/Identifiers.ts"
import { memoryTable, newestFirst, openTables } from "../../platform/database/MemoryDatabase.ts"
import { complete, type ProviderConfig, ProviderConfigStore, wantedIn } from "./ProviderConfigStore.ts"

const configTables = { providerConfigs: memoryTable<ProviderConfig>("providerConfigs") }

export const providerConfigStoreMemory = Layer.effect(
  ProviderConfigStore,
  Effect.map(openTables(configTables), ({ providerConfigs }) => {
    const find = (id: ConfigId) => Effect.sync(() => Option.fromNullable(providerConfigs.get(id)))
    return {
      insert: (configs) =>
        Effect.map(Clock.currentTimeMillis, (now) =>
          configs.map((config) => {
            const at = new Date(now)
            const row = { ...complete(config), created_at: at, updated_at: at }
            providerConfigs.set(row.config_id, row)
            return row
          })
        ),
      list: (filter, window) =>
        Effect.sync(() => {
          const wanted = wantedIn(filter)
          const rows = Array.from(providerConfigs.values()).filter((config) =>
            wanted.every(([column, value]) => config[column] === value)
          )
          return newestFirst(rows, (config) => config.config_id, window)
        }),
      find,
      findForUpdate: find,
      update: (config) =>
        Effect.map(Clock.currentTimeMillis, (now) =>
          Option.map(Option.fromNullable(providerConfigs.get(config.config_id)), ({ created_at }) => {
            const row = { ...config, created_at, updated_at: new Date(now) }
            providerConfigs.set(row.config_id, row)
            return row
          })
        ),
      remove: (id) => Effect.sync(() => void providerConfigs.delete(id)),
      forCorridor: (orgId, { country, flow, paymentMethod }) =>
        Effect.sync(() =>
          Array.from(providerConfigs.values()).filter(
            (config) =>
              config.country === country &&
              config.payment_method === paymentMethod &&
              config.direction === flow &&
              (config.org_id === orgId || config.org_id === null)
          )
        )
    }
  })
)
