/** How a command ends: one JSON document or a few lines for people, on standard output, and nothing else there. */
import { Data, Effect, Option } from "effect"
import { Options } from "@effect/cli"
import { stringifyWire } from "../../domain/Decimal.ts"
import { Streams } from "./Streams.ts"

export interface Outcome {
  /** `data` of the JSON document, in the API's own field names. */
  readonly data: unknown
  /** The same for people. */
  readonly text: string
  /** And where that is a terminal, so many columns wide. */
  readonly fit?: (columns: number) => string
  /** Why the command failed although it has something to show. */
  readonly failure?: Option.Option<string>
}

/** Told on standard output already; only the exit code and one sentence are left to do. */
export class AlreadyReported extends Data.TaggedError("AlreadyReported")<{ readonly message: string }> {}

export const json = Options.boolean("json").pipe(
  Options.withDescription("Write one JSON document to standard output, and nothing else.")
)

export const errorDocument = (message: string) => ({ status: "error", message })

export const writeLine = (text: string): Effect.Effect<void> => Effect.map(Streams, ({ out }) => out(`${text}\n`))

export const report = <E, R>(
  asJson: boolean,
  work: Effect.Effect<Outcome, E, R>
): Effect.Effect<void, E | AlreadyReported, R> =>
  Effect.flatMap(Effect.zip(work, Streams), ([{ data, failure = Option.none(), fit, text }, { columns }]) => {
    const laid = fit === undefined || columns === undefined ? text : fit(columns)
    const document = Option.match(failure, {
      onNone: () => ({ data }),
      onSome: (message) => ({ ...errorDocument(message), data })
    })
    return Effect.zipRight(
      writeLine(asJson ? stringifyWire(document) : laid),
      Option.match(failure, {
        onNone: () => Effect.void,
        onSome: (message) => Effect.fail(new AlreadyReported({ message }))
      })
    )
  })
