/** The built console: one script and one style, read once, in every encoding that a browser may take. */
import { readFile } from "node:fs/promises"
import { Effect, type Option, Schema } from "effect"

/** Beside the bundle of the server, where the build puts it. */
const folder = new URL("console/", import.meta.url)

const Names = Schema.parseJson(Schema.Struct({ script: Schema.String, style: Schema.String }))
export type Names = typeof Names.Type

const encodings = [
  ["br", ".br"],
  ["gzip", ".gz"],
  [undefined, ""]
] as const

export interface Packed {
  readonly encoding: string | undefined
  readonly body: Buffer
}

export interface ConsoleFile {
  readonly contentType: string
  /** The smallest first; the last is as it is. */
  readonly packed: ReadonlyArray<Packed>
}

export interface ConsoleFiles {
  readonly names: Names
  readonly files: ReadonlyMap<string, ConsoleFile>
}

const read = (name: string) => Effect.tryPromise(() => readFile(new URL(name, folder)))

const readPacked = (name: string, contentType: string) =>
  Effect.map(
    Effect.forEach(encodings, ([encoding, ending]) =>
      Effect.map(read(`${name}${ending}`), (body): Packed => ({ encoding, body }))
    ),
    (packed) => [name, { contentType, packed }] as const
  )

/** None where the service runs from its sources and nobody has built the console. */
export const consoleFiles: Effect.Effect<Option.Option<ConsoleFiles>> = Effect.gen(function* () {
  const names = yield* Effect.flatMap(read("names.json"), (text) => Schema.decode(Names)(text.toString()))
  const files = yield* Effect.all([
    readPacked(names.script, "text/javascript; charset=utf-8"),
    readPacked(names.style, "text/css; charset=utf-8")
  ])
  return { names, files: new Map<string, ConsoleFile>(files) }
}).pipe(
  Effect.tapError((error) => Effect.logDebug("The console is not built", error)),
  Effect.option
)
