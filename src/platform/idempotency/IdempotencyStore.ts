/**
 * Stored idempotency keys. A row is written in the transaction of its request; `claim` tells two requests with the
 * same key apart.
 */
import { Context, Option, Schema, Duration, Effect, Layer } from "effect"
import { PaymentId, type AccountId, type EscrowId, OrgId } from "../../domain/Ids.ts"
import { type Stored, orDatabaseFailure } from "../database/DatabaseFailure.ts"
import { SqlClient } from "@effect/sql"
import { anyRow, deletedRows, execute, query, rowAs } from "../database/Query.ts"
import { retentionBatch } from "../../domain/policies/ServerPolicies.ts"
import { Settings } from "../config/Settings.ts"

const KeyName = Schema.Struct({ org_id: Schema.String, operation: Schema.String, key: Schema.String })
export type KeyName = typeof KeyName.Type

const NewKey = Schema.Struct({ ...KeyName.fields, body_digest: Schema.String, claim: Schema.String })
/** Key that a request stores with its work. */
export type NewKey = typeof NewKey.Type

const StoredKey = Schema.Struct({
  ...NewKey.fields,
  payment_id: Schema.NullOr(PaymentId),
  created_at: Schema.DateFromSelf,
  status: Schema.NullOr(Schema.Number),
  response: Schema.NullOr(Schema.String)
})
export type StoredKey = typeof StoredKey.Type

/** Age by the store's clock, since clocks of instances differ. */
export const FoundKey = Schema.Struct({ ...StoredKey.fields, age_millis: Schema.Number })
export type FoundKey = typeof FoundKey.Type

export class IdempotencyStore extends Context.Tag("corridor/IdempotencyStore")<
  IdempotencyStore,
  {
    /** Found key; none past its retention. */
    readonly find: (name: KeyName) => Stored<Option.Option<FoundKey>>
    /** Belongs before, or into the transaction of, the first thing that a request does. False when another was faster. */
    readonly claim: (paymentId: PaymentId | null, key: NewKey) => Stored<boolean>
    /** Only where the row is this request's, and the answer its first. */
    readonly keepResponse: (key: NewKey, status: number, response: string) => Stored<void>
    /** For a request that claimed its key and then did nothing. */
    readonly release: (key: NewKey) => Stored<void>
    /** Deletes a batch of keys past their retention; returns how many. */
    readonly forgetOld: Stored<number>
  }
>() {}

interface Named {
  readonly payment_id?: PaymentId | undefined
  readonly account_id?: AccountId | undefined
  readonly escrow_id?: EscrowId | undefined
}

/** Owner of the object that a request names, for callers that belong to no organisation. */
export class Owners extends Context.Tag("corridor/Owners")<
  Owners,
  /** The organisation of the first object that is named and exists. */
  { readonly ownerOf: (named: Named) => Stored<Option.Option<OrgId>> }
>() {}

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
      forgetOld: deletedRows(sql`delete from idempotency_keys where ctid = any (array(
          select ctid from idempotency_keys where ${old} limit ${retentionBatch})) returning 1 as forgotten`)
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
