/**
 * What became of an idempotency key. Its row is written by the request that it belongs to, in the transaction of what
 * that request does, and answers to nobody else: `claim` tells two requests with the same key apart.
 */
import { SqlClient } from "@effect/sql"
import { Clock, Context, Duration, Effect, Layer, Option } from "effect"
import { openTables } from "../database/MemoryDatabase.ts"
import { idempotencyTables } from "./MemoryTables.ts"
import { idempotencyRetention, retentionBatch } from "../../domain/Policies.ts"

export interface KeyName {
  readonly org_id: string
  readonly operation: string
  readonly key: string
}

/** What a request writes down with whatever it does. */
export interface NewKey extends KeyName {
  readonly body_digest: string
  readonly claim: string
}

export interface StoredKey extends NewKey {
  readonly payment_id: string | null
  readonly created_at: Date
  readonly status: number | null
  readonly response: string | null
}

/** Its age is by the clock of whoever keeps it: those of two instances may differ. */
export interface FoundKey extends StoredKey {
  readonly age_millis: number
}

interface Store {
  /** A key older than a day is forgotten. */
  readonly find: (name: KeyName) => Effect.Effect<Option.Option<FoundKey>>
  /** Belongs before, or into the transaction of, the first thing that a request does. False when another was faster. */
  readonly claim: (paymentId: string | null, key: NewKey) => Effect.Effect<boolean>
  /** Only where the row is this request's, and the answer its first. */
  readonly keepResponse: (key: NewKey, status: number, response: string) => Effect.Effect<void>
  /** For a request that claimed its key and then did nothing. */
  readonly release: (key: NewKey) => Effect.Effect<void>
  /** Answers with how many were forgotten, one batch at most. */
  readonly forgetOld: Effect.Effect<number>
}

const age = Duration.toMillis(idempotencyRetention)

export const nameOf = ({ key, operation, org_id }: KeyName): string => `${org_id} ${operation} ${key}`

export const unanswered = (key: NewKey, payment_id: string | null, created_at: Date): StoredKey => ({
  ...key,
  payment_id,
  created_at,
  status: null,
  response: null
})

export class IdempotencyStore extends Context.Tag("corridor/IdempotencyStore")<IdempotencyStore, Store>() {
  static readonly layer = Layer.effect(
    IdempotencyStore,
    Effect.map(SqlClient.SqlClient, (sql): Store => {
      const old = sql`created_at < now() - make_interval(secs => ${age / 1000})`
      const named = ({ key, operation, org_id }: KeyName) =>
        sql`org_id = ${org_id} and operation = ${operation} and key = ${key}`
      const mine = (key: NewKey) => sql`${named(key)} and claim = ${key.claim} and status is null`
      return {
        find: (name) =>
          sql<FoundKey>`select org_id, operation, key, body_digest, claim, payment_id, status, response, created_at,
              (extract(epoch from now() - created_at) * 1000)::float8 as age_millis
            from idempotency_keys where ${named(name)}`.pipe(
            Effect.flatMap(([found]) => {
              if (found === undefined || found.age_millis <= age) return Effect.succeed(Option.fromNullable(found))
              return Effect.as(sql`delete from idempotency_keys where ${named(name)} and ${old}`, Option.none())
            }),
            Effect.orDie
          ),
        claim: (payment_id, { body_digest, claim, key, operation, org_id }) =>
          sql`insert into idempotency_keys ${sql.insert({ org_id, operation, key, body_digest, claim, payment_id })}
            on conflict do nothing returning 1 as claimed`.pipe(
            Effect.map((rows) => rows.length > 0),
            Effect.orDie
          ),
        keepResponse: (key, status, response) =>
          sql`update idempotency_keys set status = ${status}, response = ${response} where ${mine(key)}`.pipe(
            Effect.orDie,
            Effect.asVoid
          ),
        release: (key) => sql`delete from idempotency_keys where ${mine(key)}`.pipe(Effect.orDie, Effect.asVoid),
        forgetOld: sql`delete from idempotency_keys where ctid = any (array(
            select ctid from idempotency_keys where ${old} limit ${retentionBatch})) returning 1 as forgotten`.pipe(
          Effect.map((rows) => rows.length),
          Effect.orDie
        )
      }
    })
  )

  static readonly layerMemory = Layer.effect(
    IdempotencyStore,
    Effect.map(openTables(idempotencyTables), ({ idempotencyKeys }): Store => {
      const isOld = (now: number) => (row: StoredKey) => now - row.created_at.getTime() > age
      const mine = (key: NewKey): StoredKey | undefined => {
        const found = idempotencyKeys.get(nameOf(key))
        return found?.claim === key.claim && found.status === null ? found : undefined
      }
      return {
        find: (name) =>
          Effect.map(Clock.currentTimeMillis, (now) => {
            const found = idempotencyKeys.get(nameOf(name))
            if (found !== undefined && !isOld(now)(found)) {
              return Option.some({ ...found, age_millis: now - found.created_at.getTime() })
            }
            idempotencyKeys.delete(nameOf(name))
            return Option.none()
          }),
        claim: (payment_id, key) =>
          Effect.map(Clock.currentTimeMillis, (now) => {
            if (idempotencyKeys.has(nameOf(key))) return false
            idempotencyKeys.set(nameOf(key), unanswered(key, payment_id, new Date(now)))
            return true
          }),
        keepResponse: (key, status, response) =>
          Effect.sync(() => {
            const found = mine(key)
            if (found !== undefined) idempotencyKeys.set(nameOf(key), { ...found, status, response })
          }),
        release: (key) =>
          Effect.sync(() => {
            if (mine(key) !== undefined) idempotencyKeys.delete(nameOf(key))
          }),
        forgetOld: Effect.map(Clock.currentTimeMillis, (now) => {
          const old = Array.from(idempotencyKeys.values()).filter(isOld(now)).slice(0, retentionBatch)
          for (const row of old) idempotencyKeys.delete(nameOf(row))
          return old.length
        })
      }
    })
  )
}
