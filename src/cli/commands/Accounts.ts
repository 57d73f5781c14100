/** `corridor accounts` */
import { Args, Command } from "@effect/cli"
import { optional } from "../shared/CommandInput.ts"
import { json } from "../shared/CommandResult.ts"
import { onEither } from "../shared/CommandTarget.ts"

const work = onEither(() => import("../actions/AccountActions.ts"))

const id = Args.text({ name: "ACCOUNT" }).pipe(
  Args.withDescription('Id of the virtual account, as "corridor accounts list" shows it.')
)

const list = Command.make("list", { org: optional("org", "ORG", "Only this organisation's."), json }, (input) =>
  work((accounts) => accounts.list(input))
).pipe(Command.withDescription("List virtual accounts with their balances, newest first."))

const freeze = Command.make(
  "freeze",
  { id, reason: optional("reason", "TEXT", "Why; it goes into the audit log and to the organisation."), json },
  (input) => work((accounts) => accounts.freeze(input))
).pipe(Command.withDescription("Freeze a virtual account: nothing is taken from it any more, it still takes money."))

const unfreeze = Command.make("unfreeze", { id, json }, (input) => work((accounts) => accounts.unfreeze(input))).pipe(
  Command.withDescription("Let money be taken from a frozen virtual account again.")
)

export const accounts = Command.make("accounts").pipe(
  Command.withDescription("Virtual accounts, and whether money may be taken from them."),
  Command.withSubcommands([list, freeze, unfreeze])
)
