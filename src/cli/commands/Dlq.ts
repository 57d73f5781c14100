/** `corridor dlq` */
import { Args, Command, Options } from "@effect/cli"
import { optional } from "../shared/CommandInput.ts"
import { json } from "../shared/CommandResult.ts"
import { byApiOrDatabase } from "../shared/CommandTarget.ts"

const work = byApiOrDatabase(
  () => import("../api/Dlq.ts"),
  () => import("../database/Dlq.ts")
)

const list = Command.make(
  "list",
  {
    org: optional("org", "ORG", "Only this organisation's."),
    webhook: optional("webhook", "ID", 'Only this endpoint\'s; "corridor webhooks list" shows them.'),
    json
  },
  (input) => work((dlq) => dlq.list(input))
).pipe(Command.withDescription("List deliveries that nobody tries any more, newest first."))

const show = Command.make(
  "show",
  { id: Args.text({ name: "ID" }).pipe(Args.withDescription("The delivery's id.")), json },
  (input) => work((dlq) => dlq.show(input))
).pipe(Command.withDescription("Show a delivery, every attempt at it, and the exact text that was sent."))

const replay = Command.make(
  "replay",
  {
    id: Args.text({ name: "ID" }).pipe(Args.withDescription("One delivery."), Args.optional),
    all: Options.boolean("all").pipe(Options.withDescription("Every dead letter there is.")),
    webhook: optional("webhook", "ID", "Those of one endpoint."),
    since: optional(
      "since",
      "TIME",
      "Of that endpoint, those made at this time or later, such as 2026-03-01T12:30:00Z; a date is a UTC day."
    ),
    json
  },
  (input) => work((dlq) => dlq.replay(input))
).pipe(
  Command.withDescription(
    "Put dead letters back into the queue and return; the server sends them. Cut off, it goes on where it was when run again."
  )
)

export const dlq = Command.make("dlq").pipe(
  Command.withDescription("The dead letter queue: webhook deliveries that failed for good."),
  Command.withSubcommands([list, show, replay])
)
