/** A command line from its words to what it writes; how it ended is for its caller to tell. */
import { CliConfig, Command } from "@effect/cli"
import { NodeContext } from "@effect/platform-node"
import { ConfigProvider, Effect, Layer, Option } from "effect"
import { commandPath, unknownCommand } from "./shared/CommandWords.ts"
import { commandNames, corridor } from "./Corridor.ts"
import { explainFailure } from "./shared/Failures.ts"
import { refuse } from "./shared/Input.ts"
import { inTerminal } from "./shared/Terminal.ts"
import about from "../../package.json" with { type: "json" }

/** The server's settings, but quiet: an operator reads the answer, not the log. */
const quietSettings = (environment: Readonly<Record<string, string | undefined>>) =>
  ConfigProvider.fromMap(
    new Map(Object.entries({ LOG_LEVEL: "warn", ...environment }).map(([name, value]) => [name, value ?? ""]))
  )

const parse = Command.run(corridor, { name: "corridor", version: about.version })

export const runCorridor = (
  args: ReadonlyArray<string>,
  environment: Readonly<Record<string, string | undefined>>
): Effect.Effect<void, unknown> => {
  const path = commandPath(commandNames, args)
  const asJson = args.includes("--json")
  const debug = environment["LOG_LEVEL"]?.toLowerCase() === "debug"
  return Effect.gen(function* () {
    const unknown = unknownCommand(commandNames, args)
    if (Option.isSome(unknown)) return yield* refuse(unknown.value)
    return yield* parse(["node", "corridor", ...args])
  }).pipe(
    Effect.withConfigProvider(quietSettings(environment)),
    inTerminal(path),
    Effect.tapErrorCause(explainFailure({ path, asJson, debug })),
    Effect.provide(Layer.merge(NodeContext.layer, CliConfig.layer({ showBuiltIns: false, isCaseSensitive: true })))
  )
}
