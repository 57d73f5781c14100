/** The operators' command line. */
import { CliConfig, Command } from "@effect/cli"
import { NodeContext, NodeRuntime } from "@effect/platform-node"
import { ConfigProvider, Effect, Layer, Option } from "effect"
import { commandPath, unknownCommand } from "./shared/CommandWords.ts"
import { commandNames, corridor } from "./Corridor.ts"
import { explainFailure } from "./shared/Failures.ts"
import { refuse } from "./shared/Input.ts"
import { inTerminal } from "./shared/Terminal.ts"
import about from "../../package.json" with { type: "json" }

const args = process.argv.slice(2)
const asJson = args.includes("--json")
const debug = process.env["LOG_LEVEL"]?.toLowerCase() === "debug"

/** The server's settings, but quiet: an operator reads the answer, not the log. */
const quietSettings = ConfigProvider.fromMap(
  new Map(Object.entries({ LOG_LEVEL: "warn", ...process.env }).map(([name, value]) => [name, value ?? ""]))
)

const path = commandPath(commandNames, args)

const run = Command.run(corridor, { name: "corridor", version: about.version })

Effect.gen(function* () {
  const unknown = unknownCommand(commandNames, args)
  if (Option.isSome(unknown)) return yield* refuse(unknown.value)
  return yield* run(process.argv)
}).pipe(
  Effect.withConfigProvider(quietSettings),
  inTerminal(path),
  Effect.tapErrorCause(explainFailure({ path, asJson, debug })),
  Effect.provide(Layer.merge(NodeContext.layer, CliConfig.layer({ showBuiltIns: false, isCaseSensitive: true }))),
  NodeRuntime.runMain({ disableErrorReporting: true, disablePrettyLogger: true })
)
