/** How `@effect/cli` speaks here: its texts reshaped, its errors left to us. */
import { stripVTControlCharacters } from "node:util"
import { Console, Effect } from "effect"
import { painter } from "./Colour.ts"
import { onTerminal, readableHelp } from "./Help.ts"
import { writeLine } from "./Report.ts"
import { Streams } from "./Streams.ts"

export const writeHelp = (text: string, path: ReadonlyArray<string>): Effect.Effect<void> =>
  Effect.flatMap(Streams, (streams) => {
    const help = readableHelp(text, path)
    return writeLine(streams.columns === undefined ? help : onTerminal(help, streams.columns, painter(streams)))
  })

/** `path` is the command whose help may be asked for; `asIs`: what is written is no help, but for a shell. */
export const inTerminal =
  (path: ReadonlyArray<string>, asIs: boolean) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Console.consoleWith((base) =>
      Effect.withConsole(effect, {
        ...base,
        log: (...lines) =>
          asIs ? writeLine(stripVTControlCharacters(lines.join(" ")).trimEnd()) : writeHelp(lines.join(" "), path),
        // A bad command line also fails the effect, and is told with every other failure.
        error: () => Effect.void
      })
    )
