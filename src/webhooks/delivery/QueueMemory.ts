/** The queue in memory. */
import { Effect, Layer } from "effect"
import { openTables } from "../../platform/database/MemoryDatabase.ts"
import { webhookTables } from "../MemoryTables.ts"
import { claimingMemory } from "./ClaimMemory.ts"
import { QueueStore } from "./QueueStore.ts"
import { settlingMemory } from "./SettleMemory.ts"

export const queueStoreMemory = Layer.effect(
  QueueStore,
  Effect.map(openTables(webhookTables), (tables) => ({ ...claimingMemory(tables), ...settlingMemory(tables) }))
)
