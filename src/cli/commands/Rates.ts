/** `corridor rates` */
import { Args, Command } from "@effect/cli"
import { json } from "../shared/CommandResult.ts"
import { byDatabase, onEither } from "../shared/CommandTarget.ts"

const set = Command.make(
  "set",
  {
    from: Args.text({ name: "FROM" }).pipe(
      Args.withDescription("The currency or crypto asset that is given, such as USD.")
    ),
    to: Args.text({ name: "TO" }).pipe(Args.withDescription("The one that is received for it, such as KES.")),
    rate: Args.text({ name: "RATE" }).pipe(
      Args.withDescription("How much of TO one unit of FROM is worth, such as 129.35: at most 12 significant digits.")
    ),
    json
  },
  (input) => onEither(() => import("../actions/RateActions.ts"))((rates) => rates.set(input))
).pipe(
  Command.withDescription(
    "Set a base rate. Each direction of a pair has a rate of its own. One that moves by more than 10 percent is proposed, and set when another person sends the same."
  )
)

const list = Command.make("list", { json }, (input) =>
  byDatabase(() => import("../database/Rates.ts"))((rates) => rates.list(input))
).pipe(Command.withDescription("List all base rates."))

export const rates = Command.make("rates").pipe(
  Command.withDescription("Base exchange rates, from which what an organisation is quoted follows."),
  Command.withSubcommands([set, list])
)
