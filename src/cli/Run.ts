/** All commands, and how a command line runs, from its words to its output. */
import about from "../../package.json" with { type: "json" }
import { ConfigProvider, Effect, Either, Option } from "effect"
import { serverCommands } from "./commands/ServerCommands.ts"
import { peopleCommands } from "./commands/PeopleCommands.ts"
import { orgCommands } from "./commands/OrgCommands.ts"
import { moneyCommands } from "./commands/MoneyCommands.ts"
import { accountCommands } from "./commands/AccountCommands.ts"
import { paymentCommands } from "./commands/PaymentCommands.ts"
import { providerCommands } from "./commands/ProviderCommands.ts"
import { webhookCommands } from "./commands/WebhookCommands.ts"
import { ruleCommands } from "./commands/RuleCommands.ts"
import { helpText, onTerminal } from "./shared/CommandHelp.ts"
import { refuse } from "./shared/CommandInput.ts"
import {
  asHelp,
  commandPath,
  type Commands,
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

const program = `Operate Corridor from the machine it runs on, whether or not the server is running, or by its API.

Commands read the same environment as the server: DATA_DIR, DATABASE_URL, CORRIDOR_MODE and so on.

With --url URL and --api-key KEY or --token JWT (or CORRIDOR_URL, CORRIDOR_API_KEY, CORRIDOR_TOKEN) a command calls that server's API instead, as the caller that the credential names.

Every command takes --json, for output that programs read.`

export const commands: Commands = {
  groups: {
    "": program,
    logs: "The audit log and the events.",
    orgs: "Organisations.",
    users: "Users and their memberships.",
    keys: "API keys.",
    tokens: "Tokens of users, for trying out user-facing calls.",
    kyb: "Applications of organisations, which people approve or reject.",
    rates: "Base exchange rates, on which quotes to organisations are based.",
    fees: "Fees of organisations; payments without a rule are free.",
    reserves: "Rolling reserves and payout delays of payins.",
    ledger: "The double-entry ledger behind every payment and account.",
    payments: "Payments: list, show, resolve by hand, refund.",
    accounts: "Virtual accounts: list, freeze, unfreeze.",
    rules: "Limits on payments by phone, card, e-mail, address or beneficiary.",
    lists: "Block and allow lists.",
    providers: "Which provider serves which corridor, and through whose account.",
    "providers credentials": "The credentials that open a configuration's own account at its provider.",
    webhooks: "The endpoints that events are sent to.",
    dlq: "The dead letter queue: webhook deliveries that failed for good.",
    notifications: "The outbox of the sandbox: messages that are mailed where SMTP_URL is set.",
    secrets: "Secrets that the database keeps encrypted under the master key.",
    sandbox: "The built-in sandbox."
  },
  all: [
    ...orgCommands,
    ...peopleCommands,
    ...moneyCommands,
    ...paymentCommands,
    ...accountCommands,
    ...providerCommands,
    ...ruleCommands,
    ...webhookCommands,
    ...serverCommands
  ]
}

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
