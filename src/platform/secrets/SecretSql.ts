/** Sealed secrets in PostgreSQL. */
import { orDatabaseFailure } from "../database/DatabaseFailure.ts"
import { SqlClient } from "@effect/sql"
import { Effect, Layer, Option } from "effect"
import { execute, query } from "../database/Query.ts"
import { SealedSecret, SecretStore } from "./Secrets.ts"

const secrets = query(SealedSecret)

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
