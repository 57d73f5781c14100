/** A command line from its words to what it writes; how it ended is for its caller to tell. */
import { CliConfig, Command } from "@effect/cli"
import * as NodeContext from "@effect/platform-node/NodeContext"
import { ConfigProvider, Effect, Either, Layer, Option } from "effect"
import { ASKED, completions, completionScripts } from "./shared/Completions.ts"
import { type CommandUsage, programOptions, usageOf, wrongWord } from "./shared/CommandUsage.ts"
import { asHelp, commandPath, unknownCommand } from "./shared/CommandWords.ts"
import { commandNames, corridor, descriptorAt } from "./Corridor.ts"
import { explainFailure } from "./shared/Failures.ts"
import { refuse } from "./shared/Input.ts"
import { writeLine } from "./shared/Report.ts"
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

const nothing: CommandUsage = { options: programOptions, arguments: [] }

const usageAt = (path: ReadonlyArray<string>): CommandUsage =>
  path.length === 0 ? nothing : Option.match(descriptorAt(path), { onNone: () => nothing, onSome: usageOf })

/** The script of a shell; whoever asks for another one is refused with those there are. */
const scriptFor = (shell: string | undefined): string | undefined =>
  shell !== undefined && Object.hasOwn(completionScripts, shell)
    ? completionScripts[shell as keyof typeof completionScripts]
    : undefined

/** Help is asked for so often, and says so little of what follows, that it does not go through the parser. */
const helpFor = (path: ReadonlyArray<string>, args: ReadonlyArray<string>) =>
  args.length === 0 || args.at(-1) === "--help" || args.at(-1) === "-h" ? descriptorAt(path) : Option.none()

export const runCorridor = (
  words: ReadonlyArray<string>,
  environment: Readonly<Record<string, string | undefined>>
): Effect.Effect<void, unknown> => {
  if (words[0] === ASKED) {
    const found = completions({ names: commandNames, usageAt }, words.slice(1))
    return found.length === 0 ? Effect.void : writeLine(found.join("\n"))
  }
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
    const script = asked[0] === "--completions" ? scriptFor(asked[1]) : undefined
    if (script !== undefined) return yield* writeLine(script)
    const described = helpFor(path, asked)
    if (Option.isSome(described)) return yield* writeHelp(helpDocument(described.value, config, about.version), path)
    const wrong = wrongWord(usageAt(path), asked.slice(path.length))
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
