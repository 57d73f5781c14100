/** All or nothing, for whatever stores an effect touches. */
import { SqlClient } from "@effect/sql"
import { Context, Effect, Layer } from "effect"
import { Busy } from "../../domain/Failure.ts"
import { serializationRetry } from "../../domain/policies/Database.ts"
import { runningPending } from "./AfterCommit.ts"
import { isConflict, orTransactionFailure, type Stored } from "./DatabaseFailure.ts"
import { InTransaction } from "./InTransaction.ts"
import { Lanes } from "./Lanes.ts"
import { MemoryDatabase } from "./MemoryDatabase.ts"

interface Atomically {
  readonly atomically: <A, E, R>(effect: Effect.Effect<A, E, R>) => Stored<A, E, R>
}

const mayRetry = (error: unknown): boolean => error instanceof Busy && isConflict(error)

export class Transactor extends Context.Tag("corridor/Transactor")<Transactor, Atomically>() {
  static readonly layer = Layer.effect(
    Transactor,
    Effect.map(Effect.all([SqlClient.SqlClient, Lanes]), ([sql, lanes]) => ({
      atomically: (effect) => {
        const transaction = sql.withTransaction(Effect.provideService(effect, InTransaction, true))
        return Effect.flatMap(InTransaction, (inside) =>
          inside ? transaction : runningPending(lanes.transaction(transaction))
        ).pipe(orTransactionFailure, Effect.retry({ schedule: serializationRetry, while: mayRetry }))
      }
    }))
  )

  static readonly layerMemory = Layer.effect(
    Transactor,
    Effect.map(MemoryDatabase, ({ atomically }) => ({ atomically }))
  )
}
