/** All or nothing, for whatever stores an effect touches. */
import { SqlClient, type SqlError } from "@effect/sql"
import { Context, Effect, Layer, type Scope } from "effect"
import { Busy } from "../../domain/Failure.ts"
import { serializationRetry, connectTimeout } from "../../domain/policies/DatabasePolicies.ts"
import { isConflict, orTransactionFailure, type Stored } from "./DatabaseFailure.ts"
import { Settings } from "../config/Settings.ts"
import { permitWithin } from "../fibers/KeyedLocks.ts"
import { withoutLimits } from "./Connections.ts"

/** What is done once the current transaction is committed, or at once where there is none: never for what was undone. */
class Pending extends Context.Reference<Pending>()("corridor/AfterCommit", {
  defaultValue: (): Array<() => void> | undefined => undefined
}) {}

/** Quick, and nobody's loss where the process ends before: a hint to somebody who looks anyway. */
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

/** What everybody who uses one pool shares, so that those who wait for rows never take all of its connections. */
interface Shared {
  /** For the statements of a batcher that leave the common batch. */
  readonly aside: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** For transactions: one that finds no room in time is told that the service is busy. */
  readonly transaction: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E | Busy, R>
  /** `isStuck` tells whether somebody waits there for too long. */
  readonly watch: (isStuck: () => boolean) => Effect.Effect<void, never, Scope.Scope>
  readonly isStuck: Effect.Effect<boolean>
}

export class PoolQuotas extends Context.Tag("corridor/PoolQuotas")<PoolQuotas, Shared>() {
  /** A third of the pool for batches that are set aside, two thirds for transactions at most. */
  static readonly make = (connections: number): Effect.Effect<Shared> =>
    Effect.gen(function* () {
      const watched = new Set<() => boolean>()
      const third = Math.max(1, Math.floor(connections / 3))
      const aside = yield* Effect.makeSemaphore(third)
      const transactions = yield* Effect.makeSemaphore(Math.max(1, connections - third))
      return {
        aside: aside.withPermits(1),
        transaction: permitWithin(transactions, connectTimeout),
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

interface Atomically {
  readonly atomically: <A, E, R>(effect: Effect.Effect<A, E, R>) => Stored<A, E, R>
}

const mayRetry = (error: unknown): boolean => error instanceof Busy && isConflict(error)

export class Transactor extends Context.Tag("corridor/Transactor")<Transactor, Atomically>() {
  static readonly layer = Layer.effect(
    Transactor,
    Effect.map(Effect.all([SqlClient.SqlClient, PoolQuotas]), ([sql, lanes]) => ({
      atomically: (effect) => {
        const transaction = sql.withTransaction(Effect.provideService(effect, InTransaction, true))
        return Effect.flatMap(InTransaction, (inside) =>
          inside ? transaction : runningPending(lanes.transaction(transaction))
        ).pipe(orTransactionFailure, Effect.retry({ schedule: serializationRetry, while: mayRetry }))
      }
    }))
  )
}

/** Work on the whole database that takes as long as it takes, in a transaction of its own. */
export const unlimited = <A, E, R>(
  effect: Effect.Effect<A, E, R>
): Effect.Effect<A, E | SqlError.SqlError, R | SqlClient.SqlClient> =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql.withTransaction(Effect.zipRight(sql.unsafe(withoutLimits), effect)))
