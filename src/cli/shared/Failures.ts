/** A command that fails says in one sentence what to change; a stack is for whoever asks for it with LOG_LEVEL=debug. */
import { type HelpDoc, ValidationError } from "@effect/cli"
import { Cause, Effect } from "effect"
import { isDatabaseFailure } from "../../domain/Failure.ts"
import { redactText } from "../../platform/observability/Redaction.ts"
import { plainText } from "./PlainHelp.ts"
import { AlreadyReported, errorDocument, writeLine } from "./Report.ts"
import { Streams } from "./Streams.ts"

/** The words of an error and of what caused it, outermost first; a driver hides the reason behind a general one. */
const wordsOf = (error: unknown): ReadonlyArray<string> => {
  if (!(error instanceof Error)) return [String(error)]
  return error.cause === undefined ? [error.message] : [error.message, ...wordsOf(error.cause)]
}

const plain = (doc: HelpDoc.HelpDoc): string =>
  plainText(doc)
    .trim()
    .replace(/\s*\n\s*/g, "; ")

/** A server's words, or a reader's own, must not move the cursor or colour the terminal. */
const CONTROLS = /\p{Cc}+/gu

export const sentenceOf = (cause: Cause.Cause<unknown>): string => {
  const error = Cause.squash(cause)
  if (ValidationError.isValidationError(error)) return plain(error.error).replace(/[^.]$/, "$&.")
  // What a database said stands behind the words for callers of the API.
  const isOfDatabase = isDatabaseFailure(error) && error.cause !== undefined
  const words = isOfDatabase
    ? wordsOf(error.cause)
    : Cause.isFailure(cause)
      ? wordsOf(error).slice(0, 1)
      : wordsOf(error)
  return redactText(words.filter((text) => text !== "").join(": ")).replace(CONTROLS, " ")
}

export const explainFailure =
  (how: { readonly path: ReadonlyArray<string>; readonly asJson: boolean; readonly debug: boolean }) =>
  (cause: Cause.Cause<unknown>): Effect.Effect<void> => {
    if (Cause.isInterruptedOnly(cause)) return Effect.void
    const error = Cause.squash(cause)
    const badCommandLine = ValidationError.isValidationError(error)
    const help = badCommandLine ? ` See: ${["corridor", ...how.path].join(" ")} --help` : ""
    const sentence = `${sentenceOf(cause)}${help}`
    const document = how.asJson && !(error instanceof AlreadyReported)
    return Effect.zipRight(
      Effect.map(Streams, ({ err }) => {
        err(`corridor: ${sentence}\n`)
        if (how.debug) err(`${redactText(Cause.pretty(cause, { renderErrorCause: true }))}\n`)
      }),
      document ? writeLine(JSON.stringify(errorDocument(sentence))) : Effect.void
    )
  }
