/** The queue in PostgreSQL. */
import { SqlClient } from "@effect/sql"
import { Effect, Layer } from "effect"
import { claimingSql } from "./ClaimSql.ts"
import { QueueStore } from "./QueueStore.ts"
import { settlingSql } from "./SettleSql.ts"

export const queueStoreSql = Layer.effect(
  QueueStore,
  Effect.map(SqlClient.SqlClient, (sql) => ({ ...claimingSql(sql), ...settlingSql(sql) }))
)
