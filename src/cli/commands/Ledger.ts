/** `corridor ledger` */
import { Command } from "@effect/cli"
import { option, optional } from "../shared/CommandInput.ts"
import { json } from "../shared/CommandResult.ts"
import { byDatabase } from "../shared/CommandTarget.ts"

const work = byDatabase(() => import("../database/Ledger.ts"))

const check = Command.make("check", { json }, (input) => work((ledger) => ledger.check(input))).pipe(
  Command.withDescription(
    "Compare every balance with its postings, every entry and every currency with zero, every balance with its floor, every provider account with its movements (in a sandbox also with what the simulated providers hold), what every exchange gave with its rate. Exit code 1: something is wrong."
  )
)

const balances = Command.make(
  "balances",
  { org: optional("org", "ORG", "Id of an organisation: its own accounts, and how far each may fall."), json },
  (input) => work((ledger) => ledger.balances(input))
).pipe(
  Command.withDescription(
    "List what each provider holds, what waits in clearing, what organisations owe, fees and fx; with --org an organisation's own accounts."
  )
)

const limit = Command.make(
  "limit",
  {
    org: option("org", "ORG", "Id of the organisation."),
    currency: option("currency", "CUR", "Currency of its settlement account."),
    amount: option("amount", "N", "How much it may owe there; none goes back to what holds by default."),
    json
  },
  (input) => work((ledger) => ledger.limit(input))
).pipe(
  Command.withDescription(
    "Set how far below zero a settlement account may go. By default that is not at all, and without end in a sandbox."
  )
)

export const ledger = Command.make("ledger").pipe(
  Command.withDescription("The double-entry books behind every payment and account."),
  Command.withSubcommands([check, balances, limit])
)
