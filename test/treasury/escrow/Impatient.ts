/** A server on PostgreSQL whose transactions are not tried again: a deadlock is a 500 there, not a delay. */
import { SqlClient, SqlError } from "@effect/sql"
import { Effect, Layer } from "effect"
import { StoresLive } from "../../../src/app/Stores.ts"
import { isDatabaseFailure } from "../../../src/domain/Failure.ts"
import { InTransaction, Transactor } from "../../../src/platform/database/Transactor.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import type { TestServerOptions } from "../../support/TestServer.ts"

const onceOnly = Layer.effect(
  Transactor,
  Effect.map(SqlClient.SqlClient, (sql) => ({
    atomically: <A, E, R>(effect: Effect.Effect<A, E, R>) =>
      Effect.catchAll(sql.withTransaction(Effect.provideService(effect, InTransaction, true)), (error) =>
        error instanceof SqlError.SqlError || isDatabaseFailure(error) ? Effect.die(error) : Effect.fail(error)
      )
  }))
)

export const impatient: TestServerOptions = {
  stores: Layer.merge(StoresLive, onceOnly).pipe(Layer.provide(TestDatabase)),
  variables: { DATABASE_POOL: "16" }
}
