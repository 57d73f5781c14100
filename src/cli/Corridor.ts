/** Every command of the CLI. */
import { Command, CommandDescriptor, HelpDoc } from "@effect/cli"
import { HashMap } from "effect"
import type { CommandNames } from "./shared/CommandWords.ts"
import { accounts } from "./commands/Accounts.ts"
import { dlq } from "./commands/Dlq.ts"
import { fees } from "./commands/Fees.ts"
import { keys } from "./commands/Keys.ts"
import { ledger } from "./commands/Ledger.ts"
import { listen, logs, open, trigger, whoami } from "./commands/Listen.ts"
import { notifications } from "./commands/Notifications.ts"
import { demo, doctor, migrate, queue } from "./commands/Operations.ts"
import { orgs } from "./commands/Orgs.ts"
import { payments } from "./commands/Payments.ts"
import { providers } from "./commands/Providers.ts"
import { rates } from "./commands/Rates.ts"
import { sandbox, secrets } from "./commands/Secrets.ts"
import { tokens, users } from "./commands/Users.ts"
import { webhooks } from "./commands/Webhooks.ts"

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
  sandbox
] as const

const description = HelpDoc.blocks([
  HelpDoc.p("Operate Corridor from the machine it runs on, whether or not the server is running, or by its API."),
  HelpDoc.p("Commands read the same environment as the server: DATA_DIR, DATABASE_URL, CORRIDOR_MODE and so on."),
  HelpDoc.p(
    "With --url URL and --api-key KEY or --token JWT (or CORRIDOR_URL, CORRIDOR_API_KEY, CORRIDOR_TOKEN) a command talks to that server instead, as whoever the credential is."
  ),
  HelpDoc.p("Every command takes --json, for output that programs read.")
])

export const corridor = Command.make("corridor").pipe(
  Command.withDescription(description),
  Command.withSubcommands(commands)
)

const descriptors: ReadonlyArray<CommandDescriptor.Command<unknown>> = commands.map(({ descriptor }) => descriptor)

/** A command without others under it lists itself. */
export const commandNames: CommandNames = Object.fromEntries(
  descriptors.flatMap((descriptor) =>
    Array.from(CommandDescriptor.getNames(descriptor), (own) => {
      const under = Array.from(HashMap.keys(CommandDescriptor.getSubcommands(descriptor)))
      return [own, under.filter((name) => name !== own).sort()] as const
    })
  )
)
