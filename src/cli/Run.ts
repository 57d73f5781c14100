/** A command line from its words to what it writes; how it ended is for its caller to tell. */
import { CliConfig, Command } from "@effect/cli"
import * as NodeContext from "@effect/platform-node/NodeContext"
import { ConfigProvider, Effect, Either, Layer, Option } from "effect"
import { asHelp, commandPath, unknownCommand } from "./shared/CommandWords.ts"
import { commandNames, corridor, descriptorAt } from "./Corridor.ts"
import { explainFailure } from "./shared/Failures.ts"
import { refuse } from "./shared/Input.ts"
import { takeTarget, Target, targetOf } from "./shared/Target.ts"
import { helpDocument } from "./shared/PlainHelp.ts"
import { inTerminal, writeHelp } from "./shared/Terminal.ts"
import about from "../../package.json" with { type: "json" }

/** The server's settings, but quiet: an operator reads the answer, not the log. */
const quietSettings = (environment: Readonly<Record<string, string | undefined>>) =>
  ConfigProvider.fromMap(
    new Map(Object.entries({ LOG_LEVEL: "warn", ...environment }).map(([name, value]) => [name, value ?? ""]))
  )

const config = CliConfig.make({ showBuiltIns: false, isCaseSensitive: true })

const parse = Command.run(corridor, { name: "corridor", version: about.version })

/** Help is asked for so often, and says so little of what follows, that it does not go through the parser. */
const helpFor = (path: ReadonlyArray<string>, args: ReadonlyArray<string>) =>
  args.length === 0 || args.at(-1) === "--help" || args.at(-1) === "-h" ? descriptorAt(path) : Option.none()

export const runCorridor = (
  words: ReadonlyArray<string>,
  environment: Readonly<Record<string, string | undefined>>
): Effect.Effect<void, unknown> => {
  const taken = takeTarget(words)
  const { args, typed } = Either.getOrElse(taken, () => ({ args: words, typed: {} }))
  const asked = asHelp(args)
  const path = commandPath(commandNames, asked)
  const asJson = asked.includes("--json")
  const debug = environment["LOG_LEVEL"]?.toLowerCase() === "debug"
  return Effect.gen(function* () {
    yield* taken
    const unknown = unknownCommand(commandNames, asked)
    if (Option.isSome(unknown)) return yield* refuse(unknown.value)
    const described = helpFor(path, asked)
    if (Option.isSome(described)) return yield* writeHelp(helpDocument(described.value, config, about.version), path)
    return yield* parse(["node", "corridor", ...asked])
  }).pipe(
    Effect.withConfigProvider(quietSettings(environment)),
    inTerminal(path, asked.includes("--completions") || asked.includes("--version")),
    Effect.provideService(Target, targetOf(typed, environment)),
    Effect.tapErrorCause(explainFailure({ path, asJson, debug })),
    Effect.provide(Layer.merge(NodeContext.layer, CliConfig.layer(config)))
  )
}
