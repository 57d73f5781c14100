/**
 * The queue between events and their receivers. Claims are fair: endpoints are drawn first, then a handful of
 * deliveries of each, so that a backlog for one of them is in nobody else's way.
 */
import { SqlClient } from "@effect/sql"
import { Context, Effect, Layer } from "effect"
import { MemoryTables } from "../../database/MemoryTables.ts"
import type { Claim, ClaimedDelivery, ClaimOptions, GivenUp, Result } from "./Delivery.ts"
import { makeQueueMemory } from "./QueueMemory.ts"
import { makeQueueSql } from "./QueueSql.ts"

export interface QueueStoreService {
  /** Until the lease ends, nobody else claims what this one answers with. */
  readonly claim: (options: ClaimOptions) => Effect.Effect<Claim>
  /** All of them together; a result whose lease was lost changes nothing. Answers with the endpoints it disabled. */
  readonly finish: (results: ReadonlyArray<Result>) => Effect.Effect<ReadonlyArray<GivenUp>>
  /** Gives back what was not tried to its end, as if it had not been claimed. */
  readonly release: (held: ReadonlyArray<Pick<ClaimedDelivery, "delivery_id" | "lease_token">>) => Effect.Effect<void>
}

export class QueueStore extends Context.Tag("corridor/WebhookQueueStore")<QueueStore, QueueStoreService>() {
  static readonly layer = Layer.effect(QueueStore, Effect.map(SqlClient.SqlClient, makeQueueSql))

  static readonly layerMemory = Layer.effect(QueueStore, Effect.map(MemoryTables, makeQueueMemory))
}
