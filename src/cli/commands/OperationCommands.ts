/** `corridor demo`, `doctor`, `migrate`, `queue`, `secrets`, `sandbox`, `backup` and `restore`. */
import { Option, Redacted } from "effect"
import {
  argument,
  choice,
  databaseCommand,
  eitherCommand,
  flag,
  maybe,
  optional,
  type Parameter
} from "../shared/Command.ts"

const backupActions = () => import("../database/LocalBackup.ts")

export const demo = databaseCommand(
  "demo",
  "Show a running sandbox at work: payments, a refund, accounts, escrow, crypto, a link, signed webhooks, and the books.",
  {
    examples: ["corridor demo"],
    takes: {},
    run: (input) => import("../demo/Demo.ts").then(({ show }) => show(input))
  }
)

export const doctor = databaseCommand(
  "doctor",
  "Check machine, settings, database and server, and say what to do about what is wrong.",
  {
    examples: ["corridor doctor", "corridor doctor --live"],
    takes: { live: flag("live", "Say what is still missing for live mode, whether it is on yet or not.") },
    run: (input) => import("../doctor/Doctor.ts").then(({ examineAll }) => examineAll(input))
  }
)

export const migrate = databaseCommand(
  "migrate",
  "Bring the database schema up to date (a start of the server does it too).",
  {
    examples: ["corridor migrate"],
    takes: {
      acceptServer: flag(
        "accept-server",
        "Take this PostgreSQL cluster and timeline for the right one: after pg_upgrade, a move or a restore."
      )
    },
    run: (input) => backupActions().then(({ bringUpToDate }) => bringUpToDate(input))
  }
)

export const queue = eitherCommand(
  "queue",
  "List items that need a decision: unknown outcomes, money in suspense, reviews, dead letters, disabled endpoints, blocked escrow payouts.",
  {
    examples: ["corridor queue", "corridor queue --org ORG --json"],
    takes: { org: optional("org", "ORG", "Only this organisation's.") },
    run: (input) => import("../actions/PaymentActions.ts").then(({ queue }) => queue(input))
  }
)

const keyText = optional(
  "new-key",
  "KEY",
  "The new master key; CORRIDOR_MASTER_KEY is still the old one. Better set CORRIDOR_NEW_MASTER_KEY instead: other users of this machine can see the arguments of a command."
)
const newKey: Parameter<Option.Option<Redacted.Redacted>> = {
  ...keyText,
  decode: (given) => Option.map(keyText.decode(given), Redacted.make)
}

export const secrets = databaseCommand(
  "secrets rotate",
  "Re-seal every stored secret under a new master key; then restart the servers with it.",
  {
    examples: ['CORRIDOR_NEW_MASTER_KEY="$(openssl rand -hex 32)" corridor secrets rotate'],
    takes: { newKey },
    run: (input) => import("../database/LocalSecrets.ts").then(({ rotate }) => rotate(input))
  }
)

export const sandbox = databaseCommand(
  "sandbox reset",
  "Erase all data of the sandbox and start over, beside a running server too (sandbox mode only).",
  {
    examples: ["corridor sandbox reset --yes"],
    takes: { yes: flag("yes", "Do not ask. A script is never asked.") },
    run: (input) => import("../database/LocalSandbox.ts").then(({ reset }) => reset(input))
  }
)

export const backup = databaseCommand(
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
)

export const restore = databaseCommand(
  "restore",
  "Fill a new, empty database from a backup of this version or an older one, bring it up to date and check its books.",
  {
    examples: ["corridor restore corridor.backup"],
    takes: { file: argument("FILE", "What `corridor backup` has written.") },
    run: (input) => backupActions().then(({ restore }) => restore(input))
  }
)
