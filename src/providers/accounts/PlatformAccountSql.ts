/** The platform's accounts in PostgreSQL. */
import { SqlClient } from "@effect/sql"
import { Effect, Layer } from "effect"
import { orDatabaseFailure } from "../../platform/database/DatabaseFailure.ts"
import { rowsAs } from "../../platform/database/Rows.ts"
import { PlatformAccount, PlatformAccountStore } from "./PlatformAccountStore.ts"

const accounts = rowsAs(PlatformAccount)

export const platformAccountStoreSql = Layer.effect(
  PlatformAccountStore,
  Effect.map(SqlClient.SqlClient, (sql): PlatformAccountStore["Type"] => ({
    see: (named) =>
      // In one order, so that two instances never wait for each other's rows. Read afterwards, so that of two which
      // start at once one sees the other.
      sql`insert into platform_accounts as a (provider, fingerprint)
          select provider, fingerprint
          from jsonb_to_recordset(${JSON.stringify(named)}::jsonb) as named (provider text, fingerprint text)
          order by provider, fingerprint
          on conflict (provider, fingerprint) do update set last_seen_at = greatest(a.last_seen_at, now())`.pipe(
        Effect.zipRight(sql`select provider, fingerprint, first_seen_at, last_seen_at from platform_accounts`),
        Effect.flatMap(accounts),
        orDatabaseFailure
      )
  }))
)
