/**
 * Reads lists from a replica once it has replayed all that the primary had committed at the time of the request. If the
 * replica lags, is down or fails a statement, the primary answers.
 */
import { SqlClient, type SqlConnection, type SqlError } from "@effect/sql"
import { Context, Duration, Effect, identity, Option, Schema, type Scope, Stream } from "effect"
import { replicaPollInterval, replicaPatience, replicaPause } from "../../domain/policies/DatabasePolicies.ts"
import type { DatabaseFailure } from "../../domain/Failure.ts"
import { monotonicMillis } from "../fibers/Deadlines.ts"
import { batchedReads } from "./Batcher.ts"
import { failureOf, orDatabaseFailure, type Stored } from "./DatabaseFailure.ts"
import type { PoolQuotas } from "./Transactor.ts"
import { theRowAs } from "./Query.ts"

type Reads = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

/** For reads, on their own fiber. */
export class Replica extends Context.Reference<Replica>()("corridor/Replica", {
  defaultValue: (): { readonly reads: Reads } => ({ reads: identity })
}) {}

/** The replica cannot be used now. The primary answers instead. */
class NotNow extends Schema.TaggedError<NotNow>()("NotNow", { reason: Schema.String }) {}

const positionRow = theRowAs(Schema.Struct({ position: Schema.String }))
const progressRow = theRowAs(Schema.Struct({ has_it: Schema.NullOr(Schema.Boolean) }))

/** One that was made a primary has a history of its own from then on. */
const PROGRESS = `select case when pg_is_in_recovery()
  then coalesce(pg_last_wal_replay_lsn() >= $1::pg_lsn, false) end as has_it`

type Connection = SqlConnection.Connection

/** Waits until the replica has replayed up to the position. */
const caughtUp = (connection: Connection, position: string): Effect.Effect<void, NotNow | SqlError.SqlError> => {
  const look = connection.execute(PROGRESS, [position], undefined).pipe(Effect.flatMap(progressRow))
  const wait: Effect.Effect<void, NotNow | SqlError.SqlError> = Effect.flatMap(look, ({ has_it }) => {
    if (has_it === null) return new NotNow({ reason: "it is no replica" })
    return has_it ? Effect.void : Effect.zipRight(Effect.sleep(replicaPollInterval), wait)
  })
  return Effect.timeoutFail(wait, {
    duration: replicaPatience,
    onTimeout: () => new NotNow({ reason: `it is more than ${Duration.format(replicaPatience)} behind` })
  })
}

export const readingFrom = (
  replica: SqlClient.SqlClient
): Effect.Effect<Replica["Type"], never, SqlClient.SqlClient | PoolQuotas | Scope.Scope> =>
  Effect.gen(function* () {
    const primary = yield* SqlClient.SqlClient
    /** Concurrent requests share one statement, which runs after the last of them has come. */
    const askPosition = yield* batchedReads(
      () => "",
      () =>
        primary`select pg_current_wal_flush_lsn()::text as position`.pipe(
          Effect.flatMap(positionRow),
          Effect.map((row) => [row.position]),
          orDatabaseFailure
        )
    )
    let leftAloneUntil = 0

    /** Pauses the replica. An error of one statement does not count. */
    const leaveAlone = (error: NotNow | SqlError.SqlError | DatabaseFailure) =>
      Effect.gen(function* () {
        if (!(error instanceof NotNow) && failureOf(error) === undefined) return
        const now = yield* monotonicMillis
        const isNews = now >= leftAloneUntil
        leftAloneUntil = now + Duration.toMillis(replicaPause)
        if (isNews) yield* Effect.logWarning("The replica cannot be read from now: the primary answers", error)
      })

    const onPrimary = <A>(use: (connection: Connection) => Effect.Effect<A, SqlError.SqlError>) =>
      Effect.scoped(Effect.flatMap(primary.reserve, use))

    /** Position and statement use one connection: behind a pooler another one may lead to another server. */
    const connectionAt = (position: Stored<string>): Connection => {
      const run = <A>(use: (connection: Connection) => Effect.Effect<A, SqlError.SqlError>) =>
        Effect.gen(function* () {
          if ((yield* monotonicMillis) < leftAloneUntil) return yield* onPrimary(use)
          const read = Effect.scoped(
            Effect.gen(function* () {
              const at = yield* position
              const connection = yield* replica.reserve
              yield* caughtUp(connection, at)
              return yield* use(connection)
            })
          )
          return yield* Effect.catchAll(read, (error) => Effect.zipRight(leaveAlone(error), onPrimary(use)))
        })
      return {
        execute: (...given) => run((one) => one.execute(...given)),
        executeRaw: (...given) => run((one) => one.executeRaw(...given)),
        executeValues: (...given) => run((one) => one.executeValues(...given)),
        executeUnprepared: (...given) => run((one) => one.executeUnprepared(...given)),
        executeStream: (...given) =>
          Stream.unwrapScoped(Effect.map(primary.reserve, (one) => one.executeStream(...given)))
      }
    }

    const reads: Reads = (effect) =>
      Effect.gen(function* () {
        const inside = yield* Effect.serviceOption(SqlClient.TransactionConnection)
        if (Option.isSome(inside)) return yield* effect
        const position = yield* Effect.cached(askPosition(undefined))
        return yield* Effect.provideService(effect, SqlClient.TransactionConnection, [
          connectionAt(position),
          0
        ] as const)
      })
    return { reads }
  })
