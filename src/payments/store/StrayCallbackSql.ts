/** Callbacks that belong to no payment, in PostgreSQL. */
import { orDatabaseFailure } from "../../platform/database/DatabaseFailure.ts"
import { SqlClient } from "@effect/sql"
import { Duration, Effect, Layer } from "effect"
import { Settings } from "../../platform/config/Settings.ts"
import { retentionBatch } from "../../domain/policies/ServerPolicies.ts"
import { UnmatchedCallbackStore } from "./StrayCallbackStore.ts"

export const unmatchedCallbackStoreSql = Layer.effect(
  UnmatchedCallbackStore,
  Effect.map(Effect.all([SqlClient.SqlClient, Settings]), ([sql, { retention }]) => ({
    forgetOld: sql`delete from provider_callbacks where ctid = any (array(
        select ctid from provider_callbacks where payment_id is null
          and received_at < now() - make_interval(secs => ${Duration.toSeconds(retention.strayCallbacks)})
        limit ${retentionBatch})) and payment_id is null returning 1 as forgotten`.pipe(
      Effect.map((rows) => rows.length),
      orDatabaseFailure
    )
  }))
)
