/** `corridor demo`, `doctor`, `migrate` and `queue`: each a command without others under it. */
import { Command, Options } from "@effect/cli"
import { optional } from "../shared/CommandInput.ts"
import { json } from "../shared/CommandResult.ts"
import { byDatabase, onEither } from "../shared/CommandTarget.ts"

export const demo = Command.make("demo", { json }, (input) =>
  byDatabase(() => import("../demo/Demo.ts"))((work) => work.show(input))
).pipe(
  Command.withDescription(
    "Show a running sandbox at work: payments, a refund, accounts, escrow, crypto, a link, signed webhooks, and the books."
  )
)

const live = Options.boolean("live").pipe(
  Options.withDescription("Say what is still missing for live mode, whether it is on yet or not.")
)

export const doctor = Command.make("doctor", { live, json }, (input) =>
  byDatabase(() => import("../doctor/Doctor.ts"))((work) => work.examineAll(input))
).pipe(Command.withDescription("Check machine, settings, database and server, and say what to do about what is wrong."))

const acceptServer = Options.boolean("accept-server").pipe(
  Options.withDescription(
    "Take this PostgreSQL cluster and timeline for the right one: after pg_upgrade, a move or a restore."
  )
)

export const migrate = Command.make("migrate", { acceptServer, json }, (input) =>
  byDatabase(() => import("../database/Migrate.ts"))((work) => work.bringUpToDate(input))
).pipe(Command.withDescription("Bring the database schema up to date (a start of the server does it too)."))

export const queue = Command.make(
  "queue",
  { org: optional("org", "ORG", "Only this organisation's."), json },
  (input) => onEither(() => import("../actions/PaymentActions.ts"))((work) => work.queue(input))
).pipe(
  Command.withDescription(
    "List what waits for a person: unknown outcomes, money in suspense, reviews, dead letters, disabled endpoints, escrow payouts that were not made."
  )
)
