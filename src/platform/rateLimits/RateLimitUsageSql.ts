/** Spent tokens in a table that PostgreSQL keeps no log of; times are the database's. */
import { SqlClient } from "@effect/sql"
import { Duration, Effect, Layer, Schema } from "effect"
import { usageRetention, usageMaxAge } from "../../domain/policies/ServerPolicies.ts"
import { query } from "../database/Query.ts"
import { RateLimitUsageStore, KeyUsage } from "./RateLimits.ts"

const receivedRows = query(
  Schema.Struct({
    instance: Schema.String,
    number: Schema.Number,
    spent: Schema.Array(KeyUsage),
    ageMillis: Schema.Number
  })
)

const maxAge = Duration.toSeconds(usageMaxAge)
const kept = Duration.toSeconds(usageRetention)

export const rateLimitUsageSql = Layer.effect(
  RateLimitUsageStore,
  Effect.map(SqlClient.SqlClient, (sql): RateLimitUsageStore["Type"] => ({
    exchange: (instance, own, received) => {
      const spent = own === undefined ? null : JSON.stringify(own.spent)
      const known = JSON.stringify(Array.from(received, ([id, batch]) => ({ id, batch })))
      return receivedRows.all(sql`with stored as (
          insert into spent_tokens (instance_id, batch, spent)
          select ${instance}::uuid, ${own?.number ?? 0}::int, ${spent}::jsonb where ${spent}::jsonb is not null
          on conflict do nothing
        ), deleted as (
          delete from spent_tokens where (instance_id, batch) in (
            select instance_id, batch from spent_tokens
            where told_at < now() - make_interval(secs => ${kept}) for update skip locked
          )
        )
        select s.instance_id as instance, s.batch as number, s.spent,
          greatest(0, extract(epoch from now() - s.told_at) * 1000)::float8 as "ageMillis"
        from spent_tokens s
        left join jsonb_to_recordset(${known}::jsonb) as k (id uuid, batch int) on k.id = s.instance_id
        where s.instance_id <> ${instance}::uuid and s.batch > coalesce(k.batch, 0)
          and s.told_at > now() - make_interval(secs => ${maxAge})
        order by s.told_at, s.batch`)
    }
  }))
)
