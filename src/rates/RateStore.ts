/** Base rates at rest: the exact decimal, and when it was set. */
import { SqlClient } from "@effect/sql"
import { Clock, Context, Effect, Layer } from "effect"
import { MemoryTables } from "../database/MemoryTables.ts"

export interface StoredRate {
  readonly from_currency: string
  readonly to_currency: string
  /** Decimal text, without trailing zeros. */
  readonly rate: string
  readonly updated_at: Date
}

interface Store {
  readonly set: (rates: ReadonlyArray<Omit<StoredRate, "updated_at">>) => Effect.Effect<void>
  readonly list: Effect.Effect<ReadonlyArray<StoredRate>>
}

export class RateStore extends Context.Tag("corridor/RateStore")<RateStore, Store>() {
  static readonly layer = Layer.effect(
    RateStore,
    Effect.map(SqlClient.SqlClient, (sql): Store => ({
      set: (rates) =>
        sql`insert into rates ${sql.insert(rates)}
            on conflict (from_currency, to_currency) do update set rate = excluded.rate, updated_at = now()`.pipe(
          Effect.orDie,
          Effect.asVoid
        ),
      list: sql<StoredRate>`select from_currency, to_currency, trim_scale(rate)::text as rate, updated_at from rates
          order by from_currency, to_currency`.pipe(Effect.orDie)
    }))
  )

  static readonly layerMemory = Layer.effect(
    RateStore,
    Effect.map(MemoryTables, ({ rates }): Store => ({
      set: (all) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          for (const rate of all) {
            rates.set(`${rate.from_currency} ${rate.to_currency}`, { ...rate, updated_at: new Date(now) })
          }
        }),
      list: Effect.sync(() =>
        Array.from(rates.entries())
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([, rate]) => rate)
      )
    }))
  )
}
