/** Transactions over any stores. */
import { SqlClient, type SqlError } from "@effect/sql"
import { Context, Effect, Layer, type Scope } from "effect"
import { Busy } from "../../domain/Failure.ts"
import { serializationRetry, connectTimeout } from "../../domain/policies/DatabasePolicies.ts"
import { isConflict, orTransactionFailure, type Stored } from "./DatabaseFailure.ts"
import { Settings } from "../config/Settings.ts"
import { makePermits } from "../fibers/KeyedLocks.ts"
import { withoutLimits } from "./Connections.ts"

/** Callbacks for after the commit; without a transaction they run at once. */
class Pending extends Context.Reference<Pending>()("corridor/AfterCommit", {
  defaultValue: (): Array<() => void> | undefined => undefined
}) {}

/** Runs after the commit. For hints only: they are lost if the process ends first. */
export const afterCommit = (run: () => void): Effect.Effect<void> =>
  Effect.map(Pending, (pending) => {
    if (pending === undefined) run()
    else pending.push(run)
  })

/** Around the outermost transaction. */
const runningPending = <A, E, R>(transaction: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.suspend(() => {
    const pending: Array<() => void> = []
    return Effect.tap(Effect.provideService(transaction, Pending, pending), () =>
      Effect.sync(() => {
        for (const run of pending) run()
      })
    )
  })

/** Whether the current fiber works inside `Transactor.atomically`. */
export class InTransaction extends Context.Reference<InTransaction>()("corridor/InTransaction", {
  defaultValue: () => false
}) {}

/** Quotas of a connection pool, so that statements waiting for rows never take all connections. */
interface Shared {
  /** For batches that left the common batch. */
  readonly aside: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** For transactions: fails with `Busy` if no connection is free in time. */
  readonly transaction: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E | Busy, R>
  /** Registers a queue; `isStuck` tells whether a request has waited there for too long. */
  readonly watch: (isStuck: () => boolean) => Effect.Effect<void, never, Scope.Scope>
  readonly isStuck: Effect.Effect<boolean>
}

export class PoolQuotas extends Context.Tag("corridor/PoolQuotas")<PoolQuotas, Shared>() {
  /** At most a third of the pool for separate batches, and two thirds for transactions. */
  static readonly make = (connections: number): Effect.Effect<Shared> =>
    Effect.sync(() => {
      const watched = new Set<() => boolean>()
      const third = Math.max(1, Math.floor(connections / 3))
      const transactions = makePermits(Math.max(1, connections - third))
      return {
        aside: makePermits(third).use,
        transaction: transactions.useWithin(connectTimeout),
        watch: (isStuck) =>
          Effect.acquireRelease(
            Effect.sync(() => watched.add(isStuck)),
            () => Effect.sync(() => watched.delete(isStuck))
          ),
        isStuck: Effect.sync(() => [...watched].some((isStuck) => isStuck()))
      }
    })

  static readonly layer = Layer.effect(
    PoolQuotas,
    Effect.flatMap(Settings, ({ databasePool }) => PoolQuotas.make(databasePool))
  )
}

const mayRetry = (error: unknown): boolean => error instanceof Busy && isConflict(error)

export class Transactor extends Context.Tag("corridor/Transactor")<
  Transactor,
  { readonly atomically: <A, E, R>(effect: Effect.Effect<A, E, R>) => Stored<A, E, R> }
>() {
  static readonly layer = Layer.effect(
    Transactor,
    Effect.map(Effect.all([SqlClient.SqlClient, PoolQuotas]), ([sql, quotas]) => ({
      atomically: (effect) => {
        const transaction = sql.withTransaction(Effect.provideService(effect, InTransaction, true))
        return Effect.flatMap(InTransaction, (inside) =>
          inside ? transaction : runningPending(quotas.transaction(transaction))
        ).pipe(orTransactionFailure, Effect.retry({ schedule: serializationRetry, while: mayRetry }))
      }
    }))
  )
}

/** Runs work on the whole database in a transaction without time limits. */
export const unlimited = <A, E, R>(
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, E | SqlError.SqlError, R | SqlClient.SqlClient> =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql.withTransaction(Effect.zipRight(sql.unsafe(withoutLimits), effect)))
