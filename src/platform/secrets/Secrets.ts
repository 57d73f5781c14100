/** Encrypted secrets, by name; the name is also the encryption context. */
import { Context, Option, Schema, Effect, Layer } from "effect"
import { type Stored, orDatabaseFailure } from "../database/DatabaseFailure.ts"
import { Vault, type VaultError } from "./Vault.ts"
import { SqlClient } from "@effect/sql"
import { execute, query } from "../database/Query.ts"
import { traced } from "../observability/Spans.ts"

const EncryptedSecret = Schema.Struct({ name: Schema.String, sealed: Schema.String })
type EncryptedSecret = typeof EncryptedSecret.Type

export class SecretStore extends Context.Tag("corridor/SecretStore")<
  SecretStore,
  {
    readonly find: (name: string) => Stored<Option.Option<string>>
    /** Keeps what is there already, and answers with what is kept. */
    readonly putIfAbsent: (secret: EncryptedSecret) => Stored<string>
    readonly replace: (secret: EncryptedSecret) => Stored<void>
  }
>() {}

/** Secrets of the service itself. */
export class Secrets extends Context.Tag("corridor/Secrets")<
  Secrets,
  {
    /** Made where there is none yet; of several instances that make one at once, the first decides for all. */
    readonly getOrMake: (name: string, make: Effect.Effect<string>) => Stored<string, VaultError>
    readonly find: (name: string) => Stored<Option.Option<string>, VaultError>
    /** Replaces the one of this name. */
    readonly put: (name: string, secret: string) => Stored<void, VaultError>
  }
>() {
  static readonly layer = Layer.effect(
    Secrets,
    Effect.gen(function* () {
      const store = yield* SecretStore
      const vault = yield* Vault
      return {
        getOrMake: traced("Secrets.getOrMake")(function* (name, make) {
          const kept = yield* store.find(name)
          const sealed = Option.isSome(kept)
            ? kept.value
            : yield* store.putIfAbsent({ name, sealed: yield* vault.encrypt(yield* make, name) })
          return yield* vault.decrypt(sealed, name)
        }),
        find: traced("Secrets.find")(function* (name) {
          const kept = yield* store.find(name)
          return Option.isNone(kept) ? Option.none() : Option.some(yield* vault.decrypt(kept.value, name))
        }),
        put: traced("Secrets.put")(function* (name, secret) {
          const sealed = yield* vault.encrypt(secret, name)
          if ((yield* store.putIfAbsent({ name, sealed })) !== sealed) yield* store.replace({ name, sealed })
        })
      }
    })
  )
}

/** Table whose secrets a rotation of the master key encrypts again. Secrets in other tables are lost with the old key. */
export interface RotatableTable {
  readonly table: string
  /** Primary key. Its first column determines the context. */
  readonly key: readonly [string, ...ReadonlyArray<string>]
  /** Columns with encrypted text or null. */
  readonly columns: ReadonlyArray<string>
  readonly context: (id: string) => string
}

export class RotatableTables extends Context.Tag("corridor/RotatableTables")<
  RotatableTables,
  ReadonlyArray<RotatableTable>
>() {}

export const rotatableSecrets: RotatableTable = {
  table: "secrets",
  key: ["name"],
  columns: ["sealed"],
  context: (name) => name
}

const secrets = query(EncryptedSecret)

export const secretStoreSql = Layer.effect(
  SecretStore,
  Effect.map(SqlClient.SqlClient, (sql): SecretStore["Type"] => {
    const find = (name: string) =>
      sql`select name, sealed from secrets where name = ${name}`.pipe(
        secrets.first,
        Effect.map(Option.map(({ sealed }) => sealed))
      )
    return {
      find,
      putIfAbsent: (fresh) =>
        sql`insert into secrets ${sql.insert({ ...fresh })} on conflict do nothing`.pipe(
          orDatabaseFailure,
          Effect.zipRight(find(fresh.name)),
          Effect.flatMap(Effect.orDie)
        ),
      replace: ({ name, sealed }) =>
        execute(sql`update secrets set sealed = ${sealed}, updated_at = now() where name = ${name}`)
    }
  })
)
