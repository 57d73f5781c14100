/** Callbacks that belong to no payment, in memory. */
import { Clock, Duration, Effect, Layer } from "effect"
import { openTables } from "../../platform/database/MemoryDatabase.ts"
import { Settings } from "../../platform/config/Settings.ts"
import { retentionBatch } from "../../domain/policies/ServerPolicies.ts"
import { paymentTables } from "./AttemptQueueMemory.ts"
import { UnmatchedCallbackStore } from "./StrayCallbackStore.ts"

export const unmatchedCallbackStoreMemory = Layer.effect(
  UnmatchedCallbackStore,
  Effect.map(Effect.all([openTables(paymentTables), Settings]), ([{ callbacks }, { retention }]) => ({
    forgetOld: Effect.map(Clock.currentTimeMillis, (now) => {
      const before = now - Duration.toMillis(retention.strayCallbacks)
      const old = Array.from(callbacks.entries())
        .filter(([, { payment_id, received_at }]) => payment_id === null && received_at.getTime() < before)
        .slice(0, retentionBatch)
      for (const [id] of old) callbacks.delete(id)
      return old.length
    })
  }))
)
