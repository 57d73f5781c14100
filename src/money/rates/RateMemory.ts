/** Base rates in memory. */
import { Clock, Duration, Effect, Layer, Option } from "effect"
import { rateMoveWindow, rateProposalTime } from "../../domain/policies/PaymentPolicies.ts"
import { memoryTable, openTables } from "../../platform/database/MemoryDatabase.ts"
import {
  manualOrigin,
  type RateFetch,
  type RateProposal,
  RateStore,
  type RateToChange,
  type StoredRate
} from "./RateStore.ts"

interface Row extends RateToChange {
  readonly compared_at: number
}

const storedOf = ({ compared_at: _at, compared_rate: _rate, ...rate }: Row): StoredRate => rate

/** A window that has passed counts from the rate at its end. */
const toChange = (row: Row, now: number): RateToChange => ({
  ...storedOf(row),
  compared_rate: now - row.compared_at < Duration.toMillis(rateMoveWindow) ? row.compared_rate : row.rate
})

const rateTables = {
  rates: memoryTable<Row>("rates"),
  rateFetches: memoryTable<RateFetch & { readonly next_at: number }>("rateFetches"),
  rateProposals: memoryTable<RateProposal>("rateProposals"),
  organizations: memoryTable<{ readonly spread_bps: number }>("organizations")
}

export const rateStoreMemory = Layer.effect(
  RateStore,
  Effect.map(openTables(rateTables), ({ organizations, rateFetches, rateProposals, rates }) => ({
    set: (all, origin = manualOrigin, isConfirmed = false) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        for (const rate of all) {
          const key = `${rate.from_currency} ${rate.to_currency}`
          const before = isConfirmed ? undefined : rates.get(key)
          const isWithin = before !== undefined && now - before.compared_at < Duration.toMillis(rateMoveWindow)
          rates.set(key, {
            ...rate,
            ...origin,
            updated_at: new Date(now),
            compared_rate: before === undefined ? rate.rate : toChange(before, now).compared_rate,
            compared_at: isWithin ? before.compared_at : now
          })
        }
      }),
    list: Effect.sync(() =>
      Array.from(rates.entries())
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([, rate]) => storedOf(rate))
    ),
    listForUpdate: Effect.map(Clock.currentTimeMillis, (now) =>
      Array.from(rates.values(), (rate) => ({ ...toChange(rate, now), read_at: new Date(now) }))
    ),
    claimFetch: (source, every) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const last = rateFetches.get(source)
        if (last !== undefined && last.next_at > now) return false
        const none = { source, fetched_at: null, published_at: null, failures: 0, last_error: null }
        rateFetches.set(source, { ...(last ?? none), next_at: now + Duration.toMillis(every) })
        return true
      }),
    fetched: (source, published_at) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const next_at = rateFetches.get(source)?.next_at ?? now
        rateFetches.set(source, {
          source,
          next_at,
          fetched_at: new Date(now),
          published_at,
          failures: 0,
          last_error: null
        })
      }),
    fetchFailed: (source, last_error) =>
      Effect.map(Clock.currentTimeMillis, (next_at) => {
        const none = { source, fetched_at: null, published_at: null, failures: 0, next_at }
        const last = rateFetches.get(source) ?? none
        const failures = last.failures + 1
        rateFetches.set(source, { ...last, failures, last_error })
        return failures
      }),
    fetches: Effect.sync(() =>
      Array.from(rateFetches.values(), ({ next_at: _next, ...fetch }) => fetch).sort((a, b) =>
        a.source < b.source ? -1 : 1
      )
    ),
    findForUpdate: (from, to) =>
      Effect.map(Clock.currentTimeMillis, (now) =>
        Option.map(rates.one(`${from} ${to}`), (rate) => toChange(rate, now))
      ),
    between: (orgId, from, to, through) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        const codes = [from, to, through]
        return rates
          .all(({ from_currency, to_currency }) => codes.includes(from_currency) && codes.includes(to_currency))
          .map((rate) => ({
            ...rate,
            read_at: new Date(now),
            spread_bps: organizations.get(orgId ?? "")?.spread_bps ?? 0
          }))
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
    dropProposal: (from, to) => Effect.sync(() => void rateProposals.delete(`${from} ${to}`))
  }))
)
