/** `corridor secrets`, `backup`, `restore` and `sandbox`. */
import { Option, Redacted } from "effect"
import { argument, choice, databaseCommand, flag, maybe, optional, type Parameter } from "../shared/Command.ts"

const backupActions = () => import("../database/LocalBackup.ts")

const keyText = optional(
  "new-key",
  "KEY",
  "The new master key; CORRIDOR_MASTER_KEY is still the old one. Better set CORRIDOR_NEW_MASTER_KEY instead: other users of this machine can see the arguments of a command."
)
const newKey: Parameter<Option.Option<Redacted.Redacted>> = {
  ...keyText,
  decode: (given) => Option.map(keyText.decode(given), Redacted.make)
}

export const operationCommands = [
  databaseCommand(
    "secrets rotate",
    "Re-seal every stored secret under a new master key; then restart the servers with it.",
    {
      examples: ['CORRIDOR_NEW_MASTER_KEY="$(openssl rand -hex 32)" corridor secrets rotate'],
      takes: { newKey },
      run: (input) => import("../database/LocalSecrets.ts").then(({ rotate }) => rotate(input))
    }
  ),
  databaseCommand(
    "backup",
    "Write a consistent copy of the database to a file, while the server runs. Nothing else has to be installed.",
    {
      examples: ["corridor backup corridor.backup", "corridor backup corridor.backup --by copy --json"],
      takes: {
        file: argument("FILE", "Where to: a file that is not there yet."),
        by: maybe(choice("by", ["copy"], "The format. There is one, so this can be left out."))
      },
      run: (input) => backupActions().then(({ backup }) => backup(input))
    }
  ),
  databaseCommand(
    "restore",
    "Fill a new, empty database from a backup of this version or an older one, bring it up to date and check its books.",
    {
      examples: ["corridor restore corridor.backup"],
      takes: { file: argument("FILE", "What `corridor backup` has written.") },
      run: (input) => backupActions().then(({ restore }) => restore(input))
    }
  ),
  databaseCommand(
    "sandbox reset",
    "Erase all data of the sandbox and start over, beside a running server too (sandbox mode only).",
    {
      examples: ["corridor sandbox reset --yes"],
      takes: { yes: flag("yes", "Do not ask. A script is never asked.") },
      run: (input) => import("../database/LocalSandbox.ts").then(({ reset }) => reset(input))
    }
  )
]
