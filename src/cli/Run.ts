/** Runs a command line, from its words to its output. */
import { CliConfig, Command } from "@effect/cli"
import * as NodeContext from "@effect/platform-node/NodeContext"
import { ConfigProvider, Effect, Either, Layer, Option, Console } from "effect"
import {
  COMPLETE,
  completions,
  completionScripts,
  type CommandUsage,
  programOptions,
  usageOf,
  usageProblem,
  asHelp,
  commandPath,
  unknownCommand
} from "./shared/CommandLine.ts"
import { commandNames, corridor, descriptorAt } from "./commands/AllCommands.ts"
import { explainFailure, writeLine } from "./shared/CommandResult.ts"
import { refuse } from "./shared/CommandInput.ts"
import { extractTarget, Target, targetOf } from "./shared/CommandTarget.ts"
import { helpDocument, onTerminal, readableHelp } from "./shared/CommandHelp.ts"
import about from "../../package.json" with { type: "json" }
import { stripVTControlCharacters } from "node:util"
import { painter, Streams } from "./shared/Terminal.ts"

/** How `@effect/cli` speaks here: its texts reshaped, its errors left to us. */
const writeHelp = (text: string, path: ReadonlyArray<string>): Effect.Effect<void> =>
  Effect.flatMap(Streams, (streams) => {
    const help = readableHelp(text, path)
    return writeLine(streams.columns === undefined ? help : onTerminal(help, streams.columns, painter(streams)))
  })

/** `path` is the command whose help may be asked for; `asIs`: what is written is no help, but for a shell. */
const inTerminal =
  (path: ReadonlyArray<string>, asIs: boolean) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Console.consoleWith((base) =>
      Effect.withConsole(effect, {
        ...base,
        log: (...lines) =>
          asIs ? writeLine(stripVTControlCharacters(lines.join(" ")).trimEnd()) : writeHelp(lines.join(" "), path),
        // A bad command line also fails the effect, and is reported with other failures.
        error: () => Effect.void
      })
    )

/** The server's settings, but quiet: an operator reads the answer, not the log. */
const quietSettings = (environment: Readonly<Record<string, string | undefined>>) =>
  ConfigProvider.fromMap(
    new Map(Object.entries({ LOG_LEVEL: "warn", ...environment }).map(([name, value]) => [name, value ?? ""]))
  )

const config = CliConfig.make({ showBuiltIns: false, isCaseSensitive: true })

const parse = Command.run(corridor, { name: "corridor", version: about.version })

const nothing: CommandUsage = { options: programOptions, arguments: [] }

const usageAt = (path: ReadonlyArray<string>): CommandUsage =>
  path.length === 0 ? nothing : Option.match(descriptorAt(path), { onNone: () => nothing, onSome: usageOf })

/** The completion script of a shell; undefined for an unknown shell. */
const scriptFor = (shell: string | undefined): string | undefined =>
  shell !== undefined && Object.hasOwn(completionScripts, shell)
    ? completionScripts[shell as keyof typeof completionScripts]
    : undefined

/** Help does not go through the parser, which takes longer to load than help to print. */
const helpFor = (path: ReadonlyArray<string>, args: ReadonlyArray<string>) =>
  args.length === 0 || args.at(-1) === "--help" || args.at(-1) === "-h" ? descriptorAt(path) : Option.none()

export const runCorridor = (
  words: ReadonlyArray<string>,
  environment: Readonly<Record<string, string | undefined>>
): Effect.Effect<void, unknown> => {
  if (words[0] === COMPLETE) {
    const found = completions({ names: commandNames, usageAt }, words.slice(1))
    return found.length === 0 ? Effect.void : writeLine(found.join("\n"))
  }
  const taken = extractTarget(words)
  const { args, typed } = Either.getOrElse(taken, () => ({ args: words, typed: {} }))
  const asked = asHelp(args)
  const path = commandPath(commandNames, asked)
  const asJson = asked.includes("--json")
  const debug = environment["LOG_LEVEL"]?.toLowerCase() === "debug"
  return Effect.gen(function* () {
    yield* taken
    const unknown = unknownCommand(commandNames, asked)
    if (Option.isSome(unknown)) return yield* refuse(unknown.value)
    const script = asked[0] === "--completions" ? scriptFor(asked[1]) : undefined
    if (script !== undefined) return yield* writeLine(script)
    const described = helpFor(path, asked)
    if (Option.isSome(described)) return yield* writeHelp(helpDocument(described.value, config, about.version), path)
    const wrong = usageProblem(usageAt(path), asked.slice(path.length))
    if (Option.isSome(wrong)) return yield* refuse(`${wrong.value} See: ${["corridor", ...path].join(" ")} --help`)
    return yield* parse(["node", "corridor", ...asked])
  }).pipe(
    Effect.withConfigProvider(quietSettings(environment)),
    inTerminal(path, asked.includes("--version")),
    Effect.provideService(Target, targetOf(typed, environment)),
    Effect.tapErrorCause(explainFailure({ path, asJson, debug })),
    Effect.provide(Layer.merge(NodeContext.layer, CliConfig.layer(config)))
  )
}
