/** The dead letter queue at rest: deliveries whose status is `dead`, and the log of every attempt at them. */
import { webhookTables } from "../MemoryTables.ts"
import { openTables } from "../../platform/database/MemoryDatabase.ts"
import { SqlClient } from "@effect/sql"
import { Context, Effect, Layer, type Option } from "effect"
import type { Scope } from "../../platform/database/Query.ts"
import type { Window } from "../../platform/database/Window.ts"
import type { DeadLetter, Replayed, Selection } from "./DeadLetter.ts"
import { makeDeadLetterMemory } from "./DeadLetterMemory.ts"
import { makeDeadLetterSql } from "./DeadLetterSql.ts"
import type { StoredAttempt } from "../Webhook.ts"

export interface DeadLetterStoreService {
  readonly list: (scope: Scope, selection: Selection, window: Window) => Effect.Effect<ReadonlyArray<DeadLetter>>
  /** Whatever its status, with the exact text that is sent. */
  readonly find: (
    scope: Scope,
    deliveryId: string
  ) => Effect.Effect<Option.Option<DeadLetter & { readonly payload: string }>>
  /** Oldest first. */
  readonly attempts: (scope: Scope, deliveryId: string) => Effect.Effect<ReadonlyArray<StoredAttempt>>
  readonly now: Effect.Effect<Date>
  /** How many died before a time: those that can be replayed, and those whose endpoint is disabled. */
  readonly count: (scope: Scope, selection: Selection, diedBefore: Date) => Effect.Effect<Replayed>
  /** Puts some of them back into the queue, oldest first, for the whole table of attempts; answers with how many. */
  readonly replay: (scope: Scope, selection: Selection, diedBefore: Date, limit: number) => Effect.Effect<number>
}

export class DeadLetterStore extends Context.Tag("corridor/DeadLetterStore")<
  DeadLetterStore,
  DeadLetterStoreService
>() {
  static readonly layer = Layer.effect(DeadLetterStore, Effect.map(SqlClient.SqlClient, makeDeadLetterSql))

  static readonly layerMemory = Layer.effect(
    DeadLetterStore,
    Effect.map(openTables(webhookTables), makeDeadLetterMemory)
  )
}
