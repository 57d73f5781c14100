/** Base rates in memory. */
import { Clock, Duration, Effect, Layer, Option } from "effect"
import { rateProposalTime } from "../../domain/policies/PaymentPolicies.ts"
import { memoryTable, openTables } from "../../platform/database/MemoryDatabase.ts"
import { type RateProposal, RateStore, type StoredRate } from "./RateStore.ts"

/** Spreads are a column of the organisations in SQL. */
const rateTables = {
  rates: memoryTable<StoredRate>("rates"),
  rateProposals: memoryTable<RateProposal>("rateProposals"),
  spreads: memoryTable<number>("spreads")
}

export const rateStoreMemory = Layer.effect(
  RateStore,
  Effect.map(openTables(rateTables), ({ rateProposals, rates, spreads }) => ({
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
    proposals: Effect.map(Clock.currentTimeMillis, (now) =>
      Array.from(rateProposals.entries())
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([, proposal]) => proposal)
        .filter(({ proposed_at }) => proposed_at.getTime() > now - Duration.toMillis(rateProposalTime))
    ),
    propose: (proposal) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const row = { ...proposal, proposed_at: new Date(now) }
        rateProposals.set(`${row.from_currency} ${row.to_currency}`, row)
        return row
      }),
    dropProposal: (from, to) => Effect.sync(() => void rateProposals.delete(`${from} ${to}`)),
    setSpread: (orgId, basisPoints) => Effect.sync(() => void spreads.set(orgId, basisPoints))
  }))
)
