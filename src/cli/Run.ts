/** Runs a command line, from its words to its output. */
import about from "../../package.json" with { type: "json" }
import { ConfigProvider, Effect, Either, Option } from "effect"
import { commands } from "./commands/AllCommands.ts"
import { helpText, onTerminal } from "./shared/CommandHelp.ts"
import { refuse } from "./shared/CommandInput.ts"
import {
  asHelp,
  commandPath,
  completions,
  completionScripts,
  programOptions,
  unknownCommand,
  wantsHelp,
  wordsToComplete
} from "./shared/CommandLine.ts"
import { explainFailure, writeLine, painter, Streams } from "./shared/Terminal.ts"
import { extractTarget, requireNoServer, Target, targetOf } from "./shared/CommandTarget.ts"
import { badOption, badValue, parseInput } from "./shared/CommandParser.ts"

/** A word after `--` is an argument. */
const asksForJson = (words: ReadonlyArray<string>): boolean => {
  const options = words.includes("--") ? words.slice(0, words.indexOf("--")) : words
  return options.includes("--json") || options.includes("--json=true")
}

/** The server's settings with LOG_LEVEL warn by default. */
const quietSettings = (environment: Readonly<Record<string, string | undefined>>) =>
  ConfigProvider.fromMap(
    new Map(Object.entries({ LOG_LEVEL: "warn", ...environment }).map(([name, value]) => [name, value ?? ""]))
  )

const writeHelp = (path: string) =>
  Effect.flatMap(Streams, (streams) => {
    const help = helpText(commands, path, about.version)
    return writeLine(streams.columns === undefined ? help : onTerminal(help, streams.columns, painter(streams)))
  })

/** Options before any command. */
const runProgram = (words: ReadonlyArray<string>, path: string) => {
  const [option = "", shell = ""] = words.flatMap((word) => word.split("="))
  if (option === "") return writeHelp(path)
  if (option === "--version") return writeLine(about.version)
  const shells = Object.keys(completionScripts) as ReadonlyArray<keyof typeof completionScripts>
  const wanted = shells.find((one) => one === shell)
  if (option === "--completions" && wanted !== undefined) return writeLine(completionScripts[wanted])
  const wrong = option === "--completions" ? badValue(option, shells, shell) : badOption(programOptions, option)
  return Effect.fail(refuse(`${wrong} See: corridor --help`))
}

const run = Effect.fnUntraced(function* (args: ReadonlyArray<string>, path: string) {
  const unknown = unknownCommand(commands, args)
  if (Option.isSome(unknown)) return yield* refuse(unknown.value)
  if (wantsHelp(args)) return yield* writeHelp(path)
  const command = commands.all.find((one) => one.path === path)
  const words = args.slice(path === "" ? 0 : path.split(" ").length)
  if (command === undefined) return yield* runProgram(words, path)
  const input = yield* Effect.mapError(parseInput(command.parameters, words), (wrong) =>
    refuse(`${wrong} See: corridor ${path} --help`)
  )
  if (command.reach === "database") yield* requireNoServer
  return yield* yield* Effect.promise(() => command.run(input as never))
})

export const runCorridor = (
  words: ReadonlyArray<string>,
  environment: Readonly<Record<string, string | undefined>>
): Effect.Effect<void, unknown> => {
  const toComplete = wordsToComplete(words)
  if (Option.isSome(toComplete)) {
    const found = completions(commands, toComplete.value)
    return found.length === 0 ? Effect.void : writeLine(found.join("\n"))
  }
  const taken = extractTarget(words)
  const { args, typed } = Either.getOrElse(taken, () => ({ args: words, typed: {} }))
  const asked = asHelp(args)
  const path = commandPath(commands, asked).join(" ")
  return Effect.zipRight(taken, run(asked, path)).pipe(
    Effect.asVoid,
    Effect.withConfigProvider(quietSettings(environment)),
    Effect.provideService(Target, targetOf(typed, environment)),
    Effect.tapErrorCause(
      explainFailure({ asJson: asksForJson(asked), debug: environment["LOG_LEVEL"]?.toLowerCase() === "debug" })
    )
  )
}
