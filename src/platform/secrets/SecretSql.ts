/** Sealed secrets in PostgreSQL. */
import { orDatabaseFailure } from "../database/DatabaseFailure.ts"
import { SqlClient } from "@effect/sql"
import { Effect, Layer, Option } from "effect"
import { rowAs, rowsAs } from "../database/Query.ts"
import { SealedSecret, SecretStore } from "./Secrets.ts"

const secret = rowAs(SealedSecret)
const secrets = rowsAs(SealedSecret)

export const secretStoreSql = Layer.effect(
  SecretStore,
  Effect.map(SqlClient.SqlClient, (sql): SecretStore["Type"] => {
    const find = (name: string) =>
      sql`select name, sealed from secrets where name = ${name}`.pipe(
        Effect.flatMap(secret),
        Effect.map(Option.map(({ sealed }) => sealed)),
        orDatabaseFailure
      )
    return {
      find,
      putIfAbsent: (fresh) =>
        sql`insert into secrets ${sql.insert({ ...fresh })} on conflict do nothing`.pipe(
          orDatabaseFailure,
          Effect.zipRight(find(fresh.name)),
          Effect.flatMap(Effect.orDie)
        ),
      hold: sql`lock table secrets in share row exclusive mode`.pipe(Effect.asVoid, orDatabaseFailure),
      replace: ({ name, sealed }) =>
        sql`update secrets set sealed = ${sealed}, updated_at = now() where name = ${name}`.pipe(
          orDatabaseFailure,
          Effect.asVoid
        ),
      all: sql`select name, sealed from secrets order by name`.pipe(Effect.flatMap(secrets), orDatabaseFailure)
    }
  })
)
