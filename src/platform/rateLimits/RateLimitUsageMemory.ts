/** Spent tokens in memory. */
import { Clock, Duration, Effect, Layer } from "effect"
import { usageRetention, usageMaxAge } from "../../domain/policies/ServerPolicies.ts"
import { memoryTable, openTables } from "../database/MemoryDatabase.ts"
import { type UsageBatch, RateLimitUsageStore } from "./RateLimits.ts"

interface Row extends UsageBatch {
  readonly instance: string
  readonly toldAt: number
}

const tables = { spentTokens: memoryTable<Row>("spent_tokens") }

export const rateLimitUsageMemory = Layer.effect(
  RateLimitUsageStore,
  Effect.map(openTables(tables), ({ spentTokens }): RateLimitUsageStore["Type"] => ({
    exchange: (instance, own, received) =>
      Effect.map(Clock.currentTimeMillis, (now) => {
        for (const [key, { toldAt }] of spentTokens) {
          if (now - toldAt > Duration.toMillis(usageRetention)) spentTokens.delete(key)
        }
        const key = `${instance} ${own?.number}`
        if (own !== undefined && !spentTokens.has(key)) spentTokens.set(key, { ...own, instance, toldAt: now })
        return spentTokens
          .all(
            (row) =>
              row.instance !== instance &&
              row.number > (received.get(row.instance) ?? 0) &&
              now - row.toldAt < Duration.toMillis(usageMaxAge)
          )
          .sort((a, b) => a.toldAt - b.toldAt || a.number - b.number)
          .map(({ toldAt, ...row }) => ({ ...row, ageMillis: Math.max(0, now - toldAt) }))
      })
  }))
)
