/** Which provider serves which corridor, at rest. */
import { SqlClient } from "@effect/sql"
import { Clock, Context, Effect, Layer } from "effect"
import { MemoryTables } from "../database/MemoryTables.ts"

export interface ProviderConfig {
  readonly config_id: string
  readonly org_id: string | null
  readonly provider: string
  readonly country: string
  readonly payment_method: "bank_transfer" | "card" | "mobile_money" | "crypto" | "wallet"
  readonly direction: "inbound" | "outbound" | "external"
  readonly priority: number
  readonly is_active: boolean
  readonly created_at: Date
  readonly updated_at: Date
}

interface Store {
  readonly insert: (configs: ReadonlyArray<Omit<ProviderConfig, "created_at" | "updated_at">>) => Effect.Effect<void>
  readonly list: Effect.Effect<ReadonlyArray<ProviderConfig>>
}

export class ProviderConfigStore extends Context.Tag("corridor/ProviderConfigStore")<ProviderConfigStore, Store>() {
  static readonly layer = Layer.effect(
    ProviderConfigStore,
    Effect.map(SqlClient.SqlClient, (sql): Store => ({
      insert: (configs) => sql`insert into provider_configs ${sql.insert(configs)}`.pipe(Effect.orDie, Effect.asVoid),
      list: sql<ProviderConfig>`select config_id, org_id, provider, country, payment_method, direction, priority,
          is_active, created_at, updated_at from provider_configs
          order by country, payment_method, direction, priority, config_id`.pipe(Effect.orDie)
    }))
  )

  static readonly layerMemory = Layer.effect(
    ProviderConfigStore,
    Effect.map(MemoryTables, ({ providerConfigs }): Store => ({
      insert: (configs) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          const at = new Date(now)
          for (const config of configs) {
            providerConfigs.set(config.config_id, { ...config, created_at: at, updated_at: at })
          }
        }),
      list: Effect.sync(() => {
        const key = (c: ProviderConfig) =>
          [c.country, c.payment_method, c.direction, String(c.priority + 1e10), c.config_id].join(" ")
        return Array.from(providerConfigs.values()).sort((a, b) => (key(a) < key(b) ? -1 : 1))
      })
    }))
  )
}
