/** Callbacks that belong to no payment of ours, at rest: kept in case one turns up, but not for good. */
import { SqlClient } from "@effect/sql"
import { Clock, Context, Duration, Effect, Layer } from "effect"
import { openTables } from "../../platform/database/MemoryDatabase.ts"
import { paymentTables } from "./MemoryTables.ts"
import { retentionBatch, strayCallbackRetention } from "../../domain/Policies.ts"

interface Store {
  /** Answers with how many were forgotten, one batch at most. */
  readonly forgetOld: Effect.Effect<number>
}

export class StrayCallbackStore extends Context.Tag("corridor/StrayCallbackStore")<StrayCallbackStore, Store>() {
  static readonly layer = Layer.effect(
    StrayCallbackStore,
    Effect.map(SqlClient.SqlClient, (sql): Store => ({
      forgetOld: sql`delete from provider_callbacks where callback_id = any (array(
          select callback_id from provider_callbacks where payment_id is null
            and received_at < now() - make_interval(secs => ${Duration.toSeconds(strayCallbackRetention)})
          limit ${retentionBatch})) and payment_id is null returning 1 as forgotten`.pipe(
        Effect.map((rows) => rows.length),
        Effect.orDie
      )
    }))
  )

  static readonly layerMemory = Layer.effect(
    StrayCallbackStore,
    Effect.map(openTables(paymentTables), ({ callbacks }): Store => ({
      forgetOld: Effect.map(Clock.currentTimeMillis, (now) => {
        const before = now - Duration.toMillis(strayCallbackRetention)
        const old = Array.from(callbacks.entries())
          .filter(([, { payment_id, received_at }]) => payment_id === null && received_at.getTime() < before)
          .slice(0, retentionBatch)
        for (const [id] of old) callbacks.delete(id)
        return old.length
      })
    }))
  )
}
