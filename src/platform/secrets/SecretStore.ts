/** Sealed secrets at rest, by name; the name is also the context that each is sealed for. */
import { SqlClient } from "@effect/sql"
import { Context, Effect, Layer, Option } from "effect"
import { openTables } from "../database/MemoryDatabase.ts"
import { secretTables } from "./MemoryTables.ts"
import { firstRow } from "../database/Query.ts"

export interface SealedSecret {
  readonly name: string
  readonly sealed: string
}

interface Store {
  readonly find: (name: string) => Effect.Effect<Option.Option<string>>
  /** Keeps what is there already, and answers with what is kept. */
  readonly putIfAbsent: (secret: SealedSecret) => Effect.Effect<string>
  readonly replace: (secret: SealedSecret) => Effect.Effect<void>
  readonly all: Effect.Effect<ReadonlyArray<SealedSecret>>
}

export class SecretStore extends Context.Tag("corridor/SecretStore")<SecretStore, Store>() {
  static readonly layer = Layer.effect(
    SecretStore,
    Effect.map(SqlClient.SqlClient, (sql): Store => {
      const find = (name: string) =>
        sql<SealedSecret>`select name, sealed from secrets where name = ${name}`.pipe(
          Effect.map((rows) => Option.map(firstRow(rows), (row) => row.sealed)),
          Effect.orDie
        )
      return {
        find,
        putIfAbsent: (secret) =>
          sql`insert into secrets ${sql.insert({ ...secret })} on conflict do nothing`.pipe(
            Effect.orDie,
            Effect.zipRight(find(secret.name)),
            Effect.flatMap(Effect.orDie)
          ),
        replace: ({ name, sealed }) =>
          sql`update secrets set sealed = ${sealed}, updated_at = now() where name = ${name}`.pipe(
            Effect.orDie,
            Effect.asVoid
          ),
        all: sql<SealedSecret>`select name, sealed from secrets order by name`.pipe(Effect.orDie)
      }
    })
  )

  static readonly layerMemory = Layer.effect(
    SecretStore,
    Effect.map(openTables(secretTables), ({ secrets }): Store => ({
      find: (name) => Effect.sync(() => Option.fromNullable(secrets.get(name))),
      putIfAbsent: ({ name, sealed }) =>
        Effect.sync(() => {
          const kept = secrets.get(name) ?? sealed
          secrets.set(name, kept)
          return kept
        }),
      replace: ({ name, sealed }) =>
        Effect.sync(() => {
          if (secrets.has(name)) secrets.set(name, sealed)
        }),
      all: Effect.sync(() =>
        Array.from(secrets.entries())
          .sort(([a], [b]) => (a < b ? -1 : 1))
          .map(([name, sealed]) => ({ name, sealed }))
      )
    }))
  )
}
