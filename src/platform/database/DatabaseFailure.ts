/**
 * Translates the errors of statements, in this one place, into what a caller may do about them: `Busy`, `NotWritten` or
 * `MaybeWritten`. Everything else that PostgreSQL refuses is a defect of ours.
 */
import { SqlError } from "@effect/sql"
import { Data, Effect, Option } from "effect"
import { dual } from "effect/Function"
import {
  busy,
  type Busy,
  type DatabaseFailure,
  isDatabaseFailure,
  maybeWritten,
  notFound,
  notWritten
} from "../../domain/Failure.ts"

/** Work on stores: it may also fail because of the database. */
export type Stored<A, E = never, R = never> = Effect.Effect<A, E | DatabaseFailure, R>

/** The connection broke or timed out while a statement ran. */
export class ConnectionLost extends Data.TaggedError("ConnectionLost")<{
  readonly message: string
  /** False where the statement may have been carried out all the same. */
  readonly nothingWritten: boolean
  readonly cause?: unknown
}> {}

/** The server is a replica and takes no writes. */
export const READ_ONLY = "25006"

/** Lock timeout. */
export const LOCK_TIMEOUT = "55P03"

/** Serialization failure and deadlock: the database undid the work and asks for it again. */
const conflictStates = new Set(["40001", "40P01"])

/** Lock, statement and idle transaction timeouts; a server that stops or starts; one that is the primary no longer. */
const busyStates = new Set([LOCK_TIMEOUT, "57014", "25P03", "57P01", "57P03", READ_ONLY, ...conflictStates])

/** Class 53: the server lacks connections, memory or room on its disk. */
const isBusy = (state: string): boolean => busyStates.has(state) || state.startsWith("53")

/** Errors of broken connections that only read. */
const onlyRead = new WeakSet<object>()

/** Marks the error of a lost connection that only read. */
export const noteOnlyRead = (error: Error): void => void onlyRead.add(error)

const stateOf = (error: object): string | undefined =>
  "code" in error && typeof error.code === "string" ? error.code : undefined

const judged = (error: object, whole: unknown): DatabaseFailure | undefined => {
  if (isDatabaseFailure(error)) return error
  if (error instanceof ConnectionLost) return error.nothingWritten ? notWritten(whole) : maybeWritten(whole)
  if (isBusy(stateOf(error) ?? "")) return busy(whole)
  if (!(error instanceof SqlError.SqlError)) return undefined
  // Only the message tells whether there was a connection at all.
  if (error.message?.startsWith("Failed to acquire connection") === true) return busy(whole)
  if (error.message !== "Connection error") return undefined
  const isRead = typeof error.cause === "object" && error.cause !== null && onlyRead.has(error.cause)
  return isRead ? notWritten(whole) : maybeWritten(whole)
}

const causesOf = function* (error: unknown): Generator<object> {
  for (let at = error; typeof at === "object" && at !== null; at = "cause" in at ? at.cause : undefined) yield at
}

/** Failure of the database that caused an error, if one did. */
export const failureOf = (error: unknown): DatabaseFailure | undefined =>
  Array.from(causesOf(error), (one) => judged(one, error)).find((failure) => failure !== undefined)

/** For the errors of a statement that are no answers. */
export const failOrDie = (error: unknown): Effect.Effect<never, DatabaseFailure> => {
  const failure = failureOf(error)
  return failure === undefined ? Effect.die(error) : Effect.fail(failure)
}

/** For every statement of a store, in place of `Effect.orDie`. */
export const orDatabaseFailure = <A, E, R>(
  statement: Effect.Effect<A, E, R>
): Effect.Effect<A, Exclude<E, SqlError.SqlError> | DatabaseFailure, R> =>
  Effect.catchAll(statement, (error): Effect.Effect<never, Exclude<E, SqlError.SqlError> | DatabaseFailure> =>
    error instanceof SqlError.SqlError ? failOrDie(error) : Effect.fail(error as Exclude<E, SqlError.SqlError>)
  )

/** The same for a transaction: the library tells of a failed COMMIT or ROLLBACK by a defect. */
export const orTransactionFailure = <A, E, R>(
  transaction: Effect.Effect<A, E, R>
): Effect.Effect<A, Exclude<E, SqlError.SqlError> | DatabaseFailure, R> =>
  Effect.catchSomeDefect(orDatabaseFailure(transaction), (defect) => {
    const failure = defect instanceof SqlError.SqlError ? failureOf(defect) : undefined
    return failure === undefined ? Option.none() : Option.some(Effect.fail(failure))
  })

/** `Effect.catchAll` for every failure but the database's, which passes. */
export const catchRefusal: {
  <E, A2, E2, R2>(
    otherwise: (refusal: Exclude<E, DatabaseFailure>) => Effect.Effect<A2, E2, R2>
  ): <A, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A | A2, E2 | Extract<E, DatabaseFailure>, R | R2>
  <A, E, R, A2, E2, R2>(
    effect: Effect.Effect<A, E, R>,
    otherwise: (refusal: Exclude<E, DatabaseFailure>) => Effect.Effect<A2, E2, R2>
  ): Effect.Effect<A | A2, E2 | Extract<E, DatabaseFailure>, R | R2>
} = dual(
  2,
  (effect: Effect.Effect<unknown, unknown>, otherwise: (refusal: unknown) => Effect.Effect<unknown, unknown>) =>
    Effect.catchAll(effect, (error) => (isDatabaseFailure(error) ? Effect.fail(error) : otherwise(error)))
)

/** `Effect.mapError` for every failure but the database's. */
export const mapRefusal: {
  <E, E2>(
    to: (refusal: Exclude<E, DatabaseFailure>) => E2
  ): <A, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E2 | Extract<E, DatabaseFailure>, R>
  <A, E, R, E2>(
    effect: Effect.Effect<A, E, R>,
    to: (refusal: Exclude<E, DatabaseFailure>) => E2
  ): Effect.Effect<A, E2 | Extract<E, DatabaseFailure>, R>
} = dual(2, (effect: Effect.Effect<unknown, unknown>, to: (refusal: unknown) => unknown) =>
  Effect.mapError(effect, (error) => (isDatabaseFailure(error) ? error : to(error)))
)

/** The row that was found; fails with the refusal if there is none. */
export const orRefuse =
  <E2>(refusal: () => E2) =>
  <A, E, R>(found: Effect.Effect<Option.Option<A>, E, R>): Effect.Effect<A, E | E2, R> =>
    Effect.flatMap(found, Effect.mapError(refusal))

export const orNotFound = (what: string) => orRefuse(() => notFound(what))

/** `Effect.orDie` for every failure but the database's. */
export const orDefect = <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, Extract<E, DatabaseFailure>, R> =>
  catchRefusal(effect, Effect.die)

/** Whether the database rolled back because of a conflict (serialization failure or deadlock). */
export const isConflict = (failure: Busy): boolean => conflictStates.has(sqlStateOf(failure) ?? "")

/** Whether rows stayed locked for too long. */
export const isLockTimeout = (failure: Busy): boolean => sqlStateOf(failure) === LOCK_TIMEOUT

/** The state that PostgreSQL names for an error, wherever in its causes it stands. */
export const sqlStateOf = (error: unknown): string | undefined =>
  Array.from(causesOf(error), (one) => (isDatabaseFailure(one) ? undefined : stateOf(one))).find(
    (state) => state !== undefined
  )

/** Message of PostgreSQL within an error. */
export const sqlReasonOf = (error: unknown): string => {
  const causes = Array.from(causesOf(error))
  const own = causes.find((one) => !isDatabaseFailure(one) && stateOf(one) !== undefined) ?? causes.at(-1)
  return own instanceof Error ? own.message : String(error)
}
