/** Streams that a command writes to, colours, progress on a terminal, results and failures. */
import { Context, Effect, Clock, Cause, Data } from "effect"
import { stringifyWire } from "../../domain/Decimal.ts"
import { isDatabaseFailure } from "../../domain/Failure.ts"
import { redactText } from "../../platform/observability/Redaction.ts"

interface TerminalStreams {
  readonly out: (text: string) => void
  readonly err: (text: string) => void
  /** A person watches standard error, and sees what is drawn anew. */
  readonly watched: boolean
  /** Width of the terminal; undefined where standard output is a file or a pipe. */
  readonly columns?: number | undefined
  /** True if the terminal shows colours and NO_COLOR is not set. */
  readonly colours?: boolean
}

const wantsColours = (): boolean => {
  const { NO_COLOR, TERM } = process.env
  return process.stdout.isTTY && (NO_COLOR === undefined || NO_COLOR === "") && TERM !== "dumb"
}

export class Streams extends Context.Reference<Streams>()("cli/Streams", {
  defaultValue: (): TerminalStreams => ({
    out: (text) => void process.stdout.write(text),
    err: (text) => void process.stderr.write(text),
    watched: process.stderr.isTTY,
    columns: process.stdout.isTTY ? process.stdout.columns : undefined,
    colours: wantsColours()
  })
}) {}

/** Colours for terminals; elsewhere the text stays plain. */
const codes = { bold: [1, 22], dim: [2, 22], red: [31, 39], green: [32, 39], yellow: [33, 39] } as const

type Colour = keyof typeof codes

export type Paint = (colour: Colour, text: string) => string

export const painter = ({ colours = false }: Pick<TerminalStreams, "colours">): Paint =>
  colours
    ? (colour, text) => {
        const [on, off] = codes[colour]
        return `\u001b[${on}m${text}\u001b[${off}m`
      }
    : (_, text) => text

/** Draws the progress of a long command on standard error, on a terminal only. */
const WIDTH = 30

export const drawProgress = (done: number, total: number): Effect.Effect<void> =>
  Effect.map(Streams, ({ err, watched }) => {
    if (!watched) return
    const share = total === 0 ? 1 : Math.min(1, done / total)
    const bar = "#".repeat(Math.round(share * WIDTH)).padEnd(WIDTH, ".")
    err(`\r[${bar}] ${done} of ${total}${done >= total ? "\n" : ""}`)
  })

/** Shows the elapsed time of a long command on standard error, on a terminal only. */
const WIPE = "\r\u001b[K"

/** Time until the first line, and between two. */
const PACE = "1 second"

export const showElapsed =
  (what: string) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.gen(function* () {
      const { err, watched } = yield* Streams
      if (!watched) return yield* work
      const start = yield* Clock.currentTimeMillis
      const draw = Effect.gen(function* () {
        yield* Effect.sleep(PACE)
        const seconds = Math.floor(((yield* Clock.currentTimeMillis) - start) / 1000)
        err(`${WIPE}${what}, ${seconds} s`)
      })
      return yield* Effect.scoped(
        Effect.zipRight(
          Effect.forkScoped(
            Effect.ensuring(
              Effect.forever(draw),
              Effect.sync(() => err(WIPE))
            )
          ),
          work
        )
      )
    })

export interface CommandResult {
  /** `data` of the JSON document, in the API's own field names. */
  readonly data: unknown
  /** The same for people. */
  readonly text: string
  /** Text for a terminal of so many columns. */
  readonly fit?: (columns: number) => string
  /** Why the command failed although it has something to show. */
  readonly failure?: string | undefined
}

/** The result is on standard output already; the exit code and one sentence are left. */
class AlreadyReported extends Data.TaggedError("AlreadyReported")<{ readonly message: string }> {}

const errorDocument = (message: string) => ({ status: "error", message })

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
