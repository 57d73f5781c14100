/** `corridor secrets` and `corridor sandbox`: what is done to a database as a whole. */
import { Command, Options } from "@effect/cli"
import { json } from "../shared/CommandResult.ts"
import { byDatabase } from "../shared/CommandTarget.ts"

const rotate = Command.make(
  "rotate",
  {
    newKey: Options.redacted("new-key").pipe(
      Options.withPseudoName("KEY"),
      Options.withDescription(
        "The new master key; CORRIDOR_MASTER_KEY is still the old one. Better set CORRIDOR_NEW_MASTER_KEY instead: other users of this machine can see the arguments of a command."
      ),
      Options.optional
    ),
    json
  },
  (input) => byDatabase(() => import("../database/Secrets.ts"))((work) => work.rotate(input))
).pipe(Command.withDescription("Re-seal every stored secret under a new master key; then restart the servers with it."))

export const secrets = Command.make("secrets").pipe(
  Command.withDescription("What the database keeps sealed under the master key."),
  Command.withSubcommands([rotate])
)

const reset = Command.make(
  "reset",
  { yes: Options.boolean("yes").pipe(Options.withDescription("Do not ask. A script is never asked.")), json },
  (input) => byDatabase(() => import("../database/Sandbox.ts"))((work) => work.reset(input))
).pipe(
  Command.withDescription(
    "Erase all data of the sandbox and start over, beside a running server too (sandbox mode only)."
  )
)

export const sandbox = Command.make("sandbox").pipe(
  Command.withDescription("The built-in sandbox."),
  Command.withSubcommands([reset])
)
