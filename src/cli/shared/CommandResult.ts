/** Writes a command's result to standard output: one JSON document, or text. */
import { Cause, Data, Effect } from "effect"
import { stringifyWire } from "../../domain/Decimal.ts"
import { Streams } from "./Terminal.ts"
import { isDatabaseFailure } from "../../domain/Failure.ts"
import { redactText } from "../../platform/observability/Redaction.ts"

export interface CommandResult {
  /** `data` of the JSON document, in the API's own field names. */
  readonly data: unknown
  /** The same for people. */
  readonly text: string
  /** And where that is a terminal, so many columns wide. */
  readonly fit?: (columns: number) => string
  /** Why the command failed although it has something to show. */
  readonly failure?: string | undefined
}

/** The result is on standard output already; the exit code and one sentence are left. */
export class AlreadyReported extends Data.TaggedError("AlreadyReported")<{ readonly message: string }> {}

export const errorDocument = (message: string) => ({ status: "error", message })

export const writeLine = (text: string): Effect.Effect<void> => Effect.map(Streams, ({ out }) => out(`${text}\n`))

export const report = <E, R>(
  asJson: boolean,
  work: Effect.Effect<CommandResult, E, R>
): Effect.Effect<void, E | AlreadyReported, R> =>
  Effect.flatMap(Effect.zip(work, Streams), ([{ data, failure, fit, text }, { columns }]) => {
    const document = failure === undefined ? { data } : { ...errorDocument(failure), data }
    const laid = fit === undefined || columns === undefined ? text : fit(columns)
    return Effect.zipRight(
      writeLine(asJson ? stringifyWire(document) : laid),
      failure === undefined ? Effect.void : new AlreadyReported({ message: failure })
    )
  })

/** The words of an error and of what caused it, outermost first; a driver hides the reason behind a general one. */
const wordsOf = (error: unknown): ReadonlyArray<string> => {
  if (!(error instanceof Error)) return [String(error)]
  return error.cause === undefined ? [error.message] : [error.message, ...wordsOf(error.cause)]
}

/** A server's words, or a reader's own, must not move the cursor or colour the terminal. */
const CONTROLS = /\p{Cc}+/gu

export const sentenceOf = (cause: Cause.Cause<unknown>): string => {
  const error = Cause.squash(cause)
  // The database's own message is the cause of the API's message.
  const isOfDatabase = isDatabaseFailure(error) && error.cause !== undefined
  const words = isOfDatabase
    ? wordsOf(error.cause)
    : Cause.isFailure(cause)
      ? wordsOf(error).slice(0, 1)
      : wordsOf(error)
  return redactText(words.filter((text) => text !== "").join(": ")).replace(CONTROLS, " ")
}

/** Writes a failure as one sentence to standard error; LOG_LEVEL=debug adds the stack. */
export const explainFailure =
  ({ asJson, debug }: { readonly asJson: boolean; readonly debug: boolean }) =>
  (cause: Cause.Cause<unknown>): Effect.Effect<void> => {
    if (Cause.isInterruptedOnly(cause)) return Effect.void
    const sentence = sentenceOf(cause)
    const isShown = Cause.squash(cause) instanceof AlreadyReported
    return Effect.map(Streams, ({ err, out }) => {
      err(`corridor: ${sentence}\n`)
      if (debug) err(`${redactText(Cause.pretty(cause, { renderErrorCause: true }))}\n`)
      if (asJson && !isShown) out(`${JSON.stringify(errorDocument(sentence))}\n`)
    })
  }
