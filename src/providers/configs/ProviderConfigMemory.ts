/** Provider configurations in memory. */
import { Clock, Effect, Layer, Option } from "effect"
import type { ConfigId } from "../../domain/Ids.ts"
import { memoryTable, newestFirst, openTables } from "../../platform/database/MemoryDatabase.ts"
import { accountTables } from "../accounts/ProviderAccountMemory.ts"
import {
  complete,
  type OfAccount,
  type ProviderConfig,
  ProviderConfigStore,
  type ServingConfig,
  wantedIn
} from "./ProviderConfigStore.ts"

type Row = Omit<ProviderConfig, keyof OfAccount>

const configTables = { providerConfigs: memoryTable<Row>("providerConfigs"), ...accountTables }

export const providerConfigStoreMemory = Layer.effect(
  ProviderConfigStore,
  Effect.map(openTables(configTables), ({ providerAccounts, providerConfigs }) => {
    const serving = (row: Row): ServingConfig => {
      const account = providerAccounts.get(row.config_id)
      return {
        ...row,
        has_credentials: account !== undefined,
        credentials_tested_at: account?.tested_at ?? null,
        credentials_version: account?.version ?? null
      }
    }
    const whole = (row: Row): ProviderConfig => {
      const { credentials_version: _, ...config } = serving(row)
      return config
    }
    const find = (id: ConfigId) => Effect.sync(() => Option.map(providerConfigs.one(id), whole))
    return {
      insert: (configs) =>
        Effect.map(Clock.currentTimeMillis, (now) =>
          configs.map((config) => {
            const at = new Date(now)
            const row = { ...complete(config), created_at: at, updated_at: at }
            providerConfigs.set(row.config_id, row)
            return whole(row)
          })
        ),
      list: (filter, window) =>
        Effect.sync(() => {
          const wanted = wantedIn(filter)
          const rows = providerConfigs.all((config) => wanted.every(([column, value]) => config[column] === value))
          return newestFirst(rows, (config) => config.config_id, window).map(whole)
        }),
      find,
      findForUpdate: find,
      update: (config) =>
        Effect.map(Clock.currentTimeMillis, (now) =>
          Option.map(providerConfigs.one(config.config_id), ({ created_at }) => {
            const row = { ...config, created_at, updated_at: new Date(now) }
            providerConfigs.set(row.config_id, row)
            return whole(row)
          })
        ),
      remove: (id) => Effect.sync(() => void providerConfigs.delete(id)),
      forCorridor: (orgId, { country, flow, paymentMethod }) =>
        Effect.sync(() =>
          providerConfigs
            .all(
              (config) =>
                config.country === country &&
                config.payment_method === paymentMethod &&
                config.direction === flow &&
                (config.org_id === orgId || config.org_id === null)
            )
            .map(serving)
        )
    }
  })
)
