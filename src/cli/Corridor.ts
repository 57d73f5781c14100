/** Every command of the CLI. */
import { Command, CommandDescriptor, HelpDoc } from "@effect/cli"
import { HashMap } from "effect"
import type { CommandNames } from "./shared/CommandWords.ts"
import { backup, restore } from "./commands/Backup.ts"
import { demo } from "./commands/Demo.ts"
import { dlq } from "./commands/Dlq.ts"
import { doctor } from "./commands/Doctor.ts"
import { fees } from "./commands/Fees.ts"
import { keys } from "./commands/Keys.ts"
import { ledger } from "./commands/Ledger.ts"
import { migrateCommand } from "./commands/Migrate.ts"
import { notifications } from "./commands/Notifications.ts"
import { orgs } from "./commands/Orgs.ts"
import { payments } from "./commands/Payments.ts"
import { providers } from "./commands/Providers.ts"
import { queue } from "./commands/Queue.ts"
import { rates } from "./commands/Rates.ts"
import { sandbox } from "./commands/Sandbox.ts"
import { secrets } from "./commands/Secrets.ts"
import { tokens } from "./commands/Tokens.ts"
import { users } from "./commands/Users.ts"
import { webhooks } from "./commands/Webhooks.ts"

const commands = [
  demo,
  doctor,
  migrateCommand,
  orgs,
  users,
  keys,
  tokens,
  rates,
  fees,
  ledger,
  queue,
  payments,
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
  HelpDoc.p("Operate Corridor from the machine it runs on, whether or not the server is running."),
  HelpDoc.p("Commands read the same environment as the server: DATA_DIR, DATABASE_URL, CORRIDOR_MODE and so on."),
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
