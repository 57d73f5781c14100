/** Idempotency keys in PostgreSQL. */
import { orDatabaseFailure } from "../database/DatabaseFailure.ts"
import { SqlClient } from "@effect/sql"
import { Duration, Effect, Layer, Option, Schema } from "effect"
import { anyRow, execute, query, rowAs } from "../database/Query.ts"
import { retentionBatch } from "../../domain/policies/ServerPolicies.ts"
import { Settings } from "../config/Settings.ts"
import { FoundKey, IdempotencyStore, type KeyName, type NewKey, Owners } from "./IdempotencyStore.ts"
import { OrgId } from "../../domain/Ids.ts"

const found = rowAs(FoundKey)

export const idempotencyStoreSql = Layer.effect(
  IdempotencyStore,
  Effect.map(Effect.all([SqlClient.SqlClient, Settings]), ([sql, { retention }]): IdempotencyStore["Type"] => {
    const age = Duration.toMillis(retention.idempotency)
    const old = sql`created_at < now() - make_interval(secs => ${age / 1000})`
    const named = ({ key, operation, org_id }: KeyName) =>
      sql`org_id = ${org_id} and operation = ${operation} and key = ${key}`
    const mine = (key: NewKey) => sql`${named(key)} and claim = ${key.claim} and status is null`
    return {
      find: (name) =>
        sql`select org_id, operation, key, body_digest, claim, payment_id, status, response, created_at,
            (extract(epoch from now() - created_at) * 1000)::float8 as age_millis
          from idempotency_keys where ${named(name)}`.pipe(
          Effect.flatMap(found),
          Effect.flatMap((row) => {
            if (!Option.exists(row, ({ age_millis }) => age_millis > age)) return Effect.succeed(row)
            return Effect.as(sql`delete from idempotency_keys where ${named(name)} and ${old}`, Option.none())
          }),
          orDatabaseFailure
        ),
      claim: (payment_id, { body_digest, claim, key, operation, org_id }) =>
        anyRow(sql`insert into idempotency_keys ${sql.insert({ org_id, operation, key, body_digest, claim, payment_id })}
          on conflict do nothing returning 1 as claimed`),
      keepResponse: (key, status, response) =>
        execute(sql`update idempotency_keys set status = ${status}, response = ${response} where ${mine(key)}`),
      release: (key) => execute(sql`delete from idempotency_keys where ${mine(key)}`),
      forgetOld: sql`delete from idempotency_keys where ctid = any (array(
          select ctid from idempotency_keys where ${old} limit ${retentionBatch})) returning 1 as forgotten`.pipe(
        Effect.map((rows) => rows.length),
        orDatabaseFailure
      )
    }
  })
)

/** Owners from PostgreSQL. */
const owner = query(Schema.Struct({ org_id: OrgId }))

export const ownersSql = Layer.effect(
  Owners,
  Effect.map(SqlClient.SqlClient, (sql): Owners["Type"] => ({
    ownerOf: ({ account_id = null, escrow_id = null, payment_id = null }) =>
      sql`
        select org_id from payments where payment_id = ${payment_id}::uuid
        union all select org_id from virtual_accounts where account_id = ${account_id}::uuid
        union all select org_id from escrows where escrow_id = ${escrow_id}::uuid
        limit 1`.pipe(owner.first, Effect.map(Option.map(({ org_id }) => org_id)))
  }))
)
