/** What a failed statement says about the database rather than about itself. */
import { SqlError } from "@effect/sql"
import { Cause, Data } from "effect"
import { Overloaded, PerhapsWritten } from "../../domain/Failure.ts"

/** The connection broke, or was given up for its silence, while a statement was under way. */
export class ConnectionLost extends Data.TaggedError("ConnectionLost")<{
  readonly message: string
  /** False where the statement may have been carried out all the same. */
  readonly nothingWritten: boolean
  readonly cause?: unknown
}> {}

/** Nothing can be written where a statement has come to: it is a replica. */
export const READ_ONLY = "25006"

/** A lock was not to be had in the time that was allowed for it. */
export const LOCK_TIMEOUT = "55P03"

/** `busy`: a later try may succeed. `cut off`: the connection is gone. Of `lost` alone nobody knows whether it was written. */
export type Setback = "busy" | "cut off" | "lost"

/** Lock, statement and idle transaction timeouts; a server that stops or starts; one that is the primary no longer. */
const busyStates = new Set([LOCK_TIMEOUT, "57014", "25P03", "57P01", "57P03", READ_ONLY])

/** The class of states in which a server lacks what it needs: connections, memory, room on its disk. */
const LACKING = "53"

const isBusy = (state: string): boolean => busyStates.has(state) || state.startsWith(LACKING)

/** Broken connections over which nothing was asked for but to read. */
const onlyRead = new WeakSet<object>()

/** Of the error that a connection tells everybody of who listens to it, whatever they then make of it. */
export const noteOnlyRead = (error: Error): void => void onlyRead.add(error)

const stateOf = (error: object): string | undefined =>
  "code" in error && typeof error.code === "string" ? error.code : undefined

const judged = (error: object): Setback | undefined => {
  if (error instanceof Overloaded) return "busy"
  if (error instanceof PerhapsWritten) return "lost"
  if (error instanceof ConnectionLost) return error.nothingWritten ? "cut off" : "lost"
  if (isBusy(stateOf(error) ?? "")) return "busy"
  if (!(error instanceof SqlError.SqlError)) return undefined
  // Its own words are all that tells whether a connection was there at all.
  if (error.message?.startsWith("Failed to acquire connection") === true) return "busy"
  if (error.message !== "Connection error") return undefined
  return typeof error.cause === "object" && error.cause !== null && onlyRead.has(error.cause) ? "cut off" : "lost"
}

const causesOf = function* (defect: unknown): Generator<object> {
  for (let at = defect; typeof at === "object" && at !== null; at = "cause" in at ? at.cause : undefined) yield at
}

/** Of an error, by it or by what caused it. */
export const setbackOf = (error: unknown): Setback | undefined => {
  for (const one of causesOf(error)) {
    const setback = judged(one)
    if (setback !== undefined) return setback
  }
  return undefined
}

const errorsIn = (cause: Cause.Cause<unknown>): ReadonlyArray<unknown> => [
  ...Cause.defects(cause),
  ...Cause.failures(cause)
]

/** Of a whole cause: what may have been written counts more than what was not. */
export const setbackIn = (cause: Cause.Cause<unknown>): Setback | undefined => {
  const found = errorsIn(cause).map(setbackOf)
  return found.find((one) => one === "lost") ?? found.find((one) => one !== undefined)
}

/** The state that PostgreSQL names for an error, wherever in its causes it stands. */
export const sqlStateOf = (error: unknown): string | undefined => {
  for (const one of causesOf(error)) {
    const state = stateOf(one)
    if (state !== undefined) return state
  }
  return undefined
}

/** What PostgreSQL itself says of an error; what stands around it says only that there was one. */
export const sqlReasonOf = (error: unknown): string => {
  const causes = Array.from(causesOf(error))
  const own = causes.find((one) => stateOf(one) !== undefined) ?? causes.at(-1)
  return own instanceof Error ? own.message : String(error)
}

export const sqlStateIn = (cause: Cause.Cause<unknown>): string | undefined =>
  errorsIn(cause)
    .map(sqlStateOf)
    .find((state) => state !== undefined)
