/** `corridor demo`, `doctor`, `migrate` and `queue`: each a command without others under it. */
import { Command, Options, Args } from "@effect/cli"
import { optional, choice } from "../shared/CommandInput.ts"
import { json } from "../shared/CommandResult.ts"
import { byDatabase, onEither } from "../shared/CommandTarget.ts"

export const demo = Command.make("demo", { json }, (input) =>
  byDatabase(() => import("../demo/Demo.ts"))((work) => work.show(input))
).pipe(
  Command.withDescription(
    "Show a running sandbox at work: payments, a refund, accounts, escrow, crypto, a link, signed webhooks, and the books."
  )
)

const operationLive = Options.boolean("live").pipe(
  Options.withDescription("Say what is still missing for live mode, whether it is on yet or not.")
)

export const doctor = Command.make("doctor", { live: operationLive, json }, (input) =>
  byDatabase(() => import("../doctor/Doctor.ts"))((work) => work.examineAll(input))
).pipe(Command.withDescription("Check machine, settings, database and server, and say what to do about what is wrong."))

const operationAcceptServer = Options.boolean("accept-server").pipe(
  Options.withDescription(
    "Take this PostgreSQL cluster and timeline for the right one: after pg_upgrade, a move or a restore."
  )
)

export const migrate = Command.make("migrate", { acceptServer: operationAcceptServer, json }, (input) =>
  byDatabase(() => import("../database/LocalBackup.ts"))((work) => work.bringUpToDate(input))
).pipe(Command.withDescription("Bring the database schema up to date (a start of the server does it too)."))

export const queue = Command.make(
  "queue",
  { org: optional("org", "ORG", "Only this organisation's."), json },
  (input) => onEither(() => import("../actions/PaymentActions.ts"))((work) => work.queue(input))
).pipe(
  Command.withDescription(
    "List items that need a decision: unknown outcomes, money in suspense, reviews, dead letters, disabled endpoints, blocked escrow payouts."
  )
)

/** `corridor secrets` and `corridor sandbox`: what is done to a database as a whole. */
const rotateSecret = Command.make(
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
  (input) => byDatabase(() => import("../database/LocalSecrets.ts"))((work) => work.rotate(input))
).pipe(Command.withDescription("Re-seal every stored secret under a new master key; then restart the servers with it."))

export const secrets = Command.make("secrets").pipe(
  Command.withDescription("What the database keeps sealed under the master key."),
  Command.withSubcommands([rotateSecret])
)

const resetSecret = Command.make(
  "reset",
  { yes: Options.boolean("yes").pipe(Options.withDescription("Do not ask. A script is never asked.")), json },
  (input) => byDatabase(() => import("../database/LocalSandbox.ts"))((work) => work.reset(input))
).pipe(
  Command.withDescription(
    "Erase all data of the sandbox and start over, beside a running server too (sandbox mode only)."
  )
)

export const sandbox = Command.make("sandbox").pipe(
  Command.withDescription("The built-in sandbox."),
  Command.withSubcommands([resetSecret])
)

/** `corridor backup` and `corridor restore` */
const runBackupAction = byDatabase(() => import("../database/LocalBackup.ts"))

const backupFile = (what: string) => Args.text({ name: "FILE" }).pipe(Args.withDescription(what))

const backupBy = Options.optional(choice("by", ["copy"], "The format. There is one, so this can be left out."))

export const backup = Command.make(
  "backup",
  { file: backupFile("Where to: a file that is not there yet."), by: backupBy, json },
  (input) => runBackupAction((files) => files.backup(input))
).pipe(
  Command.withDescription(
    "Write a consistent copy of the database to a file, while the server runs. Nothing else has to be installed."
  )
)

export const restore = Command.make(
  "restore",
  { file: backupFile("What `corridor backup` has written."), json },
  (input) => runBackupAction((files) => files.restore(input))
).pipe(
  Command.withDescription(
    "Fill a new, empty database from a backup of this version or an older one, bring it up to date and check its books."
  )
)
