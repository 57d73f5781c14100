/** What became of an idempotency key. Its row is written by the payment that it led to, in that payment's transaction. */
import { SqlClient } from "@effect/sql"
import { Clock, Context, Duration, Effect, Layer, Option } from "effect"
import { MemoryTables } from "../database/MemoryTables.ts"
import { firstRow } from "../database/Query.ts"
import { idempotencyRetention } from "../domain/Policies.ts"

/** What the payment that a key leads to writes down with itself. */
export interface NewKey {
  readonly operation: string
  readonly key: string
  readonly body_digest: string
}

export interface StoredKey extends NewKey {
  readonly org_id: string
  readonly payment_id: string | null
  readonly created_at: Date
  readonly status?: number | null
  readonly response?: string | null
}

export type KeyName = Pick<StoredKey, "org_id" | "operation" | "key">

interface Store {
  /** A key older than a day is forgotten. */
  readonly find: (name: KeyName) => Effect.Effect<Option.Option<StoredKey>>
  /**
   * For what happens to a payment that exists, or without one: belongs in the same transaction. False when another
   * request was faster.
   */
  readonly claim: (orgId: string, paymentId: string | null, key: NewKey) => Effect.Effect<boolean>
  readonly keepResponse: (name: KeyName, status: number, response: string) => Effect.Effect<void>
  /** Answers with how many were forgotten. */
  readonly forgetOld: Effect.Effect<number>
}

const nameOf = ({ key, operation, org_id }: KeyName): string => `${org_id} ${operation} ${key}`

export class IdempotencyStore extends Context.Tag("corridor/IdempotencyStore")<IdempotencyStore, Store>() {
  static readonly layer = Layer.effect(
    IdempotencyStore,
    Effect.map(SqlClient.SqlClient, (sql): Store => {
      const age = Duration.toSeconds(idempotencyRetention)
      return {
        find: ({ key, operation, org_id }) =>
          sql<StoredKey>`delete from idempotency_keys where org_id = ${org_id} and operation = ${operation}
            and key = ${key} and created_at < now() - make_interval(secs => ${age})`.pipe(
            Effect.zipRight(
              sql<StoredKey>`select org_id, operation, key, body_digest, payment_id, status, response, created_at from idempotency_keys
                where org_id = ${org_id} and operation = ${operation} and key = ${key}`
            ),
            Effect.map(firstRow),
            Effect.orDie
          ),
        claim: (org_id, payment_id, { body_digest, key, operation }) =>
          sql`insert into idempotency_keys ${sql.insert({ org_id, operation, key, body_digest, payment_id })}
            on conflict do nothing returning 1 as claimed`.pipe(
            Effect.map((rows) => rows.length > 0),
            Effect.orDie
          ),
        keepResponse: ({ key, operation, org_id }, status, response) =>
          sql`update idempotency_keys set status = ${status}, response = ${response}
            where org_id = ${org_id} and operation = ${operation} and key = ${key}`.pipe(Effect.orDie, Effect.asVoid),
        forgetOld: sql`delete from idempotency_keys where ctid = any (array(
            select ctid from idempotency_keys where created_at < now() - make_interval(secs => ${age}) limit 1000))
            returning 1 as forgotten`.pipe(
          Effect.map((rows) => rows.length),
          Effect.orDie
        )
      }
    })
  )

  static readonly layerMemory = Layer.effect(
    IdempotencyStore,
    Effect.map(MemoryTables, ({ idempotencyKeys }): Store => {
      const isOld = (now: number) => (row: StoredKey) =>
        now - row.created_at.getTime() > Duration.toMillis(idempotencyRetention)
      return {
        find: (name) =>
          Effect.map(Effect.clock, (clock) => {
            const now = clock.unsafeCurrentTimeMillis()
            const found = idempotencyKeys.get(nameOf(name))
            if (found === undefined || !isOld(now)(found)) return Option.fromNullable(found)
            idempotencyKeys.delete(nameOf(name))
            return Option.none()
          }),
        claim: (org_id, payment_id, key) =>
          Effect.map(Clock.currentTimeMillis, (now) => {
            const name = nameOf({ ...key, org_id })
            if (idempotencyKeys.has(name)) return false
            idempotencyKeys.set(name, { ...key, org_id, payment_id, created_at: new Date(now) })
            return true
          }),
        keepResponse: (name, status, response) =>
          Effect.sync(() => {
            const found = idempotencyKeys.get(nameOf(name))
            if (found !== undefined) idempotencyKeys.set(nameOf(name), { ...found, status, response })
          }),
        forgetOld: Effect.map(Effect.clock, (clock) => {
          const old = Array.from(idempotencyKeys.entries()).filter(([, row]) =>
            isOld(clock.unsafeCurrentTimeMillis())(row)
          )
          for (const [name] of old) idempotencyKeys.delete(name)
          return old.length
        })
      }
    })
  )
}
