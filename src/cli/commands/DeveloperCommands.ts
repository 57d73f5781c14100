/** `corridor listen`, `trigger`, `logs`, `open` and `whoami`: what a developer does against a server, by its API. */
import { Args, Command, Options } from "@effect/cli"
import { eventList, choice, chosen, option, optional } from "../shared/CommandInput.ts"
import { json } from "../shared/CommandResult.ts"
import { triggerable } from "../shared/Triggerable.ts"
import { onEither } from "../shared/CommandTarget.ts"

const org = optional("org", "ORG", "Of this organisation; that of the credential by default.")
const count = optional("count", "N", "End after so many; without it only Ctrl-C ends it.")

export const listen = Command.make(
  "listen",
  {
    forwardTo: option("forward-to", "URL", "Where events go, such as http://localhost:4000/webhooks."),
    events: eventList("Which, such as payment.completed or payment.*, with commas between them; all by default."),
    secret: optional("secret", "SECRET", "Sign with this secret (whsec_…) instead of a new one at every start."),
    org,
    count,
    json
  },
  (input) => onEither(() => import("../actions/ListenAction.ts"))((work) => work.listen(input))
).pipe(Command.withDescription("Receive events without a public address, and forward them, signed, to a program here."))

export const trigger = Command.make(
  "trigger",
  {
    event: chosen("EVENT", triggerable, "The type of event."),
    org,
    json
  },
  (input) => onEither(() => import("../actions/TriggerAction.ts"))((work) => work.trigger(input))
).pipe(Command.withDescription("Make an event happen in a sandbox, by real payments with test values."))

const tail = Command.make(
  "tail",
  {
    lines: option("lines", "N", "How many entries of before to begin with: 0 to 100, 10 by default.").pipe(
      Options.withDefault("10")
    ),
    only: Options.optional(
      choice("only", ["audit", "events"], "Who changed what (audit), or what happened (events); both by default.")
    ),
    noFollow: Options.boolean("no-follow").pipe(Options.withDescription("End after those of before.")),
    org,
    count,
    json
  },
  (input) => onEither(() => import("../actions/LogActions.ts"))((work) => work.tail(input))
).pipe(Command.withDescription("Follow the audit log and the events of an organisation."))

export const logs = Command.make("logs").pipe(
  Command.withDescription("The audit log and the events."),
  Command.withSubcommands([tail])
)

export const open = Command.make(
  "open",
  {
    page: chosen("PAGE", ["console", "docs"], "The console, which is the default, or the API reference.").pipe(
      Args.withDefault("console" as const)
    ),
    json
  },
  (input) => onEither(() => import("../actions/ServerActions.ts"))((work) => work.open(input))
).pipe(Command.withDescription("Open the console in a browser; where there is none, only say its address."))

export const whoami = Command.make("whoami", { org, json }, (input) =>
  onEither(() => import("../actions/ServerActions.ts"))((work) => work.whoami(input))
).pipe(Command.withDescription("Show the server, the caller that the credential names, and its rights."))
