/** Callbacks that belong to no payment, in PostgreSQL. */
import { SqlClient } from "@effect/sql"
import { Duration, Effect, Layer } from "effect"
import { strayCallbackRetention } from "../../domain/policies/Payments.ts"
import { retentionBatch } from "../../domain/policies/Server.ts"
import { StrayCallbackStore } from "./StrayCallbackStore.ts"

export const strayCallbackStoreSql = Layer.effect(
  StrayCallbackStore,
  Effect.map(SqlClient.SqlClient, (sql) => ({
    forgetOld: sql`delete from provider_callbacks where callback_id = any (array(
        select callback_id from provider_callbacks where payment_id is null
          and received_at < now() - make_interval(secs => ${Duration.toSeconds(strayCallbackRetention)})
        limit ${retentionBatch})) and payment_id is null returning 1 as forgotten`.pipe(
      Effect.map((rows) => rows.length),
      Effect.orDie
    )
  }))
)
