/** Streams that a command writes to, colours, and progress on a terminal. */
import { Context, Effect, Clock } from "effect"

export interface TerminalStreams {
  readonly out: (text: string) => void
  readonly err: (text: string) => void
  /** A person watches standard error, and sees what is drawn anew. */
  readonly watched: boolean
  /** Width of the terminal; undefined where standard output is a file or a pipe. */
  readonly columns?: number | undefined
  /** Whether the terminal shows colours and NO_COLOR is not set. */
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

export type Colour = keyof typeof codes

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

/** Nothing is shown within the first second. */
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
