/** All or nothing, for whatever stores an effect touches. */
import { SqlClient, SqlError } from "@effect/sql"
import { Cause, Context, Effect, Layer } from "effect"
import { serializationRetry } from "../../domain/policies/Database.ts"
import { runningPending } from "./AfterCommit.ts"
import { InTransaction } from "./InTransaction.ts"
import { Lanes } from "./Lanes.ts"
import { MemoryDatabase } from "./MemoryDatabase.ts"
import { sqlStateOf } from "./Setback.ts"

interface Atomically {
  readonly atomically: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

/** Serialization failure and deadlock: the database undid the work and asks for it again. */
const mayRetry = (cause: Cause.Cause<unknown>): boolean =>
  Array.from(Cause.defects(cause)).some((defect) => ["40001", "40P01"].includes(sqlStateOf(defect) ?? ""))

export class Transactor extends Context.Tag("corridor/Transactor")<Transactor, Atomically>() {
  static readonly layer = Layer.effect(
    Transactor,
    Effect.map(Effect.all([SqlClient.SqlClient, Lanes]), ([sql, lanes]) => ({
      atomically: (effect) => {
        const transaction = sql.withTransaction(Effect.provideService(effect, InTransaction, true))
        return Effect.flatMap(InTransaction, (inside) =>
          inside ? transaction : runningPending(lanes.transaction(transaction))
        ).pipe(
          Effect.catchAll((error) => (error instanceof SqlError.SqlError ? Effect.die(error) : Effect.fail(error))),
          Effect.sandbox,
          // A failure at COMMIT arrives as a defect, so the whole cause is looked at.
          Effect.retry({ schedule: serializationRetry, while: mayRetry }),
          Effect.unsandbox
        )
      }
    }))
  )

  static readonly layerMemory = Layer.effect(
    Transactor,
    Effect.map(MemoryDatabase, ({ atomically }) => ({ atomically }))
  )
}
