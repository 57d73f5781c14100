/** `corridor webhooks` */
import { Args, Command, Options } from "@effect/cli"
import { optional, eventList } from "../shared/CommandInput.ts"
import { json } from "../shared/CommandResult.ts"
import { onEither, byApiOrDatabase, byDatabase } from "../shared/CommandTarget.ts"

const runWebhookAction = onEither(() => import("../actions/WebhookActions.ts"))

const listWebhook = Command.make(
  "list",
  { org: optional("org", "ORG", "Id of an organisation; all of them by default."), json },
  (input) => runWebhookAction((webhooks) => webhooks.list(input))
).pipe(Command.withDescription("List webhook endpoints, newest first."))

const createWebhook = Command.make(
  "create",
  {
    endpoint: Args.text({ name: "URL" }).pipe(
      Args.withDescription(
        "Where to send events: https on the public internet; in a sandbox also http on this machine."
      )
    ),
    events: eventList("Which events it gets, such as payment.completed or payment.*; all of them by default."),
    org: optional("org", "ORG", "Whose endpoint it is; by API the organisation of the credential by default."),
    json
  },
  (input) => runWebhookAction((webhooks) => webhooks.create(input))
).pipe(Command.withDescription("Register a webhook endpoint; its signing secret is shown this once."))

export const webhooks = Command.make("webhooks").pipe(
  Command.withDescription("The endpoints that events are sent to."),
  Command.withSubcommands([listWebhook, createWebhook])
)

/** `corridor dlq` */
const runDeadLetterAction = byApiOrDatabase(
  () => import("../actions/DeadLetterActions.ts"),
  () => import("../database/LocalDeadLetters.ts")
)

const listDeadLetter = Command.make(
  "list",
  {
    org: optional("org", "ORG", "Only this organisation's."),
    webhook: optional("webhook", "ID", 'Only this endpoint\'s; "corridor webhooks list" shows them.'),
    json
  },
  (input) => runDeadLetterAction((dlq) => dlq.list(input))
).pipe(Command.withDescription("List dead letters: deliveries that are not retried any more, newest first."))

const showDeadLetter = Command.make(
  "show",
  { id: Args.text({ name: "ID" }).pipe(Args.withDescription("The delivery's id.")), json },
  (input) => runDeadLetterAction((dlq) => dlq.show(input))
).pipe(Command.withDescription("Show a delivery, every attempt at it, and the exact text that was sent."))

const replayDeadLetter = Command.make(
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
  (input) => runDeadLetterAction((dlq) => dlq.replay(input))
).pipe(
  Command.withDescription(
    "Put dead letters back into the queue; the server sends them. If interrupted, run it again: it continues."
  )
)

export const dlq = Command.make("dlq").pipe(
  Command.withDescription("The dead letter queue: webhook deliveries that failed for good."),
  Command.withSubcommands([listDeadLetter, showDeadLetter, replayDeadLetter])
)

/** `corridor notifications` */
const runNotificationAction = byDatabase(() => import("../database/LocalNotifications.ts"))

const listNotification = Command.make(
  "list",
  { org: optional("org", "ORG", "Only this organisation's."), json },
  (input) => runNotificationAction((notifications) => notifications.list(input))
).pipe(Command.withDescription("List the messages in the outbox, newest first."))

const showNotification = Command.make(
  "show",
  { id: Args.text({ name: "ID" }).pipe(Args.withDescription("The notification's id.")), json },
  (input) => runNotificationAction((notifications) => notifications.show(input))
).pipe(Command.withDescription("Show a message with its text."))

export const notifications = Command.make("notifications").pipe(
  Command.withDescription("The outbox of the sandbox: messages that are mailed where SMTP_URL is set."),
  Command.withSubcommands([listNotification, showNotification])
)
