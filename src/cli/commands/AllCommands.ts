/** Every command of the CLI. */
import { Command, CommandDescriptor, HelpDoc } from "@effect/cli"
import { HashMap, Option } from "effect"
import type { CommandNames } from "../shared/CommandLine.ts"
import { accounts, fees, ledger, rates } from "./MoneyCommands.ts"
import { backup, restore, demo, doctor, migrate, queue, sandbox, secrets } from "./OperationCommands.ts"
import { dlq, notifications, webhooks } from "./WebhookCommands.ts"
import { keys, orgs, tokens, users } from "./PeopleCommands.ts"
import { listen, logs, open, trigger, whoami } from "./DeveloperCommands.ts"
import { payments, credentials, providers } from "./PaymentCommands.ts"

const commands = [
  demo,
  doctor,
  listen,
  trigger,
  logs,
  open,
  whoami,
  migrate,
  orgs,
  users,
  keys,
  tokens,
  rates,
  fees,
  ledger,
  queue,
  payments,
  accounts,
  providers,
  webhooks,
  dlq,
  notifications,
  secrets,
  backup,
  restore,
  sandbox
] as const

const description = HelpDoc.blocks([
  HelpDoc.p("Operate Corridor from the machine it runs on, whether or not the server is running, or by its API."),
  HelpDoc.p("Commands read the same environment as the server: DATA_DIR, DATABASE_URL, CORRIDOR_MODE and so on."),
  HelpDoc.p(
    "With --url URL and --api-key KEY or --token JWT (or CORRIDOR_URL, CORRIDOR_API_KEY, CORRIDOR_TOKEN) a command calls that server's API instead, as the caller that the credential names."
  ),
  HelpDoc.p("Every command takes --json, for output that programs read.")
])

export const corridor = Command.make("corridor").pipe(
  Command.withDescription(description),
  Command.withSubcommands(commands)
)

type Described = CommandDescriptor.Command<unknown>

/** A group within a group, which the library does not look into. */
const within: ReadonlyArray<readonly [path: string, Described]> = [["providers credentials", credentials.descriptor]]

const namesUnder = (descriptor: Described): ReadonlyArray<string> => {
  const [own] = CommandDescriptor.getNames(descriptor)
  // A command without others under it lists itself.
  return Array.from(HashMap.keys(CommandDescriptor.getSubcommands(descriptor))).filter((name) => name !== own)
}

const descriptors: ReadonlyArray<Described> = commands.map(({ descriptor }) => descriptor)

const nameOf = (descriptor: Described): string => Array.from(CommandDescriptor.getNames(descriptor)).join("")

const groups: ReadonlyArray<readonly [path: string, Described]> = [
  ["", corridor.descriptor],
  ...descriptors.map((descriptor) => [nameOf(descriptor), descriptor] as const),
  ...within
]

/** Every command by the words that lead to it, with those under it; the empty path is the program. */
export const commandNames: CommandNames = new Map(
  groups.map(([path, descriptor]) => [path, path === "" ? descriptors.map(nameOf) : namesUnder(descriptor).toSorted()])
)

/** The command at the end of such a path. */
export const descriptorAt = (path: ReadonlyArray<string>): Option.Option<Described> => {
  const whole = groups.find(([own]) => own === path.join(" "))
  if (whole !== undefined) return Option.some(whole[1])
  const parent = groups.find(([own]) => own === path.slice(0, -1).join(" "))
  return Option.flatMap(Option.fromNullable(parent), ([, descriptor]) =>
    HashMap.get(CommandDescriptor.getSubcommands(descriptor), path.at(-1)!)
  )
}
