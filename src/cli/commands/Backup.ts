/** `corridor backup` and `corridor restore` */
import { Args, Command, Options } from "@effect/cli"
import { choice } from "../shared/CommandInput.ts"
import { json } from "../shared/CommandResult.ts"
import { byDatabase } from "../shared/CommandTarget.ts"

const work = byDatabase(() => import("../database/Backup.ts"))

const file = (what: string) => Args.text({ name: "FILE" }).pipe(Args.withDescription(what))

const by = Options.optional(choice("by", ["copy"], "The format. There is one, so this can be left out."))

export const backup = Command.make(
  "backup",
  { file: file("Where to: a file that is not there yet."), by, json },
  (input) => work((files) => files.backup(input))
).pipe(
  Command.withDescription(
    "Write a consistent copy of the database to a file, while the server runs. Nothing else has to be installed."
  )
)

export const restore = Command.make("restore", { file: file("What `corridor backup` has written."), json }, (input) =>
  work((files) => files.restore(input))
).pipe(
  Command.withDescription(
    "Fill a new, empty database from a backup of this version or an older one, bring it up to date and check its books."
  )
)
