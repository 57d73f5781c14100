/** Base rates in memory. */
import { Clock, Effect, Layer, Option } from "effect"
import { memoryTable, openTables } from "../../platform/database/MemoryDatabase.ts"
import { RateStore, type StoredRate } from "./RateStore.ts"

/** Spreads are a column of the organisations in SQL. */
const rateTables = { rates: memoryTable<StoredRate>("rates"), spreads: memoryTable<number>("spreads") }

export const rateStoreMemory = Layer.effect(
  RateStore,
  Effect.map(openTables(rateTables), ({ rates, spreads }) => ({
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
    between: (orgId, from, to, through) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const codes = [from, to, through]
        return Array.from(rates.values())
          .filter(({ from_currency, to_currency }) => codes.includes(from_currency) && codes.includes(to_currency))
          .map((rate) => ({ ...rate, read_at: new Date(now), spread_bps: spreads.get(orgId ?? "") ?? 0 }))
      }),
    setSpread: (orgId, basisPoints) => Effect.sync(() => void spreads.set(orgId, basisPoints))
  }))
)
