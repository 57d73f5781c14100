/** Base rates at rest: the exact decimal, and when it was set. */
import { SqlClient } from "@effect/sql"
import { Clock, Context, Effect, Layer, Option } from "effect"
import { openTables } from "../../platform/database/MemoryDatabase.ts"
import { rateTables } from "./MemoryTables.ts"
import { organizationTables } from "../../people/organizations/MemoryTables.ts"
import { firstRow } from "../../platform/database/Query.ts"

export interface StoredRate {
  readonly from_currency: string
  readonly to_currency: string
  /** Decimal text, without trailing zeros. */
  readonly rate: string
  readonly updated_at: Date
}

/** With the time at which it was read, by the same clock as `updated_at`. */
export interface ReadRate extends StoredRate {
  readonly read_at: Date
}

interface Store {
  readonly set: (rates: ReadonlyArray<Omit<StoredRate, "updated_at">>) => Effect.Effect<void>
  readonly list: Effect.Effect<ReadonlyArray<StoredRate>>
  /** Inside a transaction the row stays locked until its end. */
  readonly findForUpdate: (from: string, to: string) => Effect.Effect<Option.Option<StoredRate>>
  /** The pair's own row and the two that cross through a third currency, each both ways, as far as there are any. */
  readonly between: (from: string, to: string, through: string) => Effect.Effect<ReadonlyArray<ReadRate>>
  /** What an organisation's customers get less than the base rate, in basis points. */
  readonly spreadOf: (orgId: string) => Effect.Effect<number>
  readonly setSpread: (orgId: string, basisPoints: number) => Effect.Effect<void>
}

export class RateStore extends Context.Tag("corridor/RateStore")<RateStore, Store>() {
  static readonly layer = Layer.effect(
    RateStore,
    Effect.map(SqlClient.SqlClient, (sql): Store => ({
      set: (rates) =>
        rates.length === 0
          ? Effect.void
          : sql`insert into rates ${sql.insert(rates)}
              on conflict (from_currency, to_currency) do update set rate = excluded.rate, updated_at = now()`.pipe(
              Effect.orDie,
              Effect.asVoid
            ),
      list: sql<StoredRate>`select from_currency, to_currency, trim_scale(rate)::text as rate, updated_at from rates
          order by from_currency, to_currency`.pipe(Effect.orDie),
      findForUpdate: (from, to) =>
        sql<StoredRate>`select from_currency, to_currency, trim_scale(rate)::text as rate, updated_at from rates
          where from_currency = ${from} and to_currency = ${to} for update`.pipe(Effect.map(firstRow), Effect.orDie),
      between: (from, to, through) =>
        sql<ReadRate>`select from_currency, to_currency, trim_scale(rate)::text as rate, updated_at, now() as read_at
          from rates where from_currency in (${from}, ${to}, ${through})
            and to_currency in (${from}, ${to}, ${through})`.pipe(Effect.orDie),
      spreadOf: (orgId) =>
        sql<{ spread_bps: number }>`select spread_bps from organizations where org_id = ${orgId}`.pipe(
          Effect.map((rows) => rows[0]?.spread_bps ?? 0),
          Effect.orDie
        ),
      setSpread: (orgId, basisPoints) =>
        sql`update organizations set spread_bps = ${basisPoints}, updated_at = now() where org_id = ${orgId}`.pipe(
          Effect.orDie,
          Effect.asVoid
        )
    }))
  )

  static readonly layerMemory = Layer.effect(
    RateStore,
    Effect.map(openTables({ ...rateTables, ...organizationTables }), ({ rates, spreads }): Store => ({
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
      ),
      findForUpdate: (from, to) => Effect.sync(() => Option.fromNullable(rates.get(`${from} ${to}`))),
      between: (from, to, through) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          const codes = [from, to, through]
          return Array.from(rates.values())
            .filter(({ from_currency, to_currency }) => codes.includes(from_currency) && codes.includes(to_currency))
            .map((rate) => ({ ...rate, read_at: new Date(now) }))
        }),
      spreadOf: (orgId) => Effect.sync(() => spreads.get(orgId) ?? 0),
      setSpread: (orgId, basisPoints) => Effect.sync(() => void spreads.set(orgId, basisPoints))
    }))
  )
}
