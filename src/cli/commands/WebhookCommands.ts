/** `corridor webhooks`, `dlq` and `notifications`. */
import { argument, databaseCommand, eitherCommand, eventList, flag, maybe, optional } from "../shared/Command.ts"

const webhookActions = () => import("../actions/WebhookActions.ts")
const messageActions = () => import("../database/LocalUsers.ts")

const org = optional("org", "ORG", "Only this organisation's.")

export const webhookCommands = [
  eitherCommand("webhooks list", "List webhook endpoints, newest first.", {
    examples: ["corridor webhooks list"],
    takes: { org: optional("org", "ORG", "Id of an organisation; all of them by default.") },
    run: (input) => webhookActions().then(({ list }) => list(input))
  }),
  eitherCommand("webhooks create", "Register a webhook endpoint; its signing secret is shown this once.", {
    examples: ["corridor webhooks create https://shop.example/webhooks --events payment.*,kyb.approved"],
    takes: {
      endpoint: argument(
        "URL",
        "Where to send events: https on the public internet; in a sandbox also http on this machine."
      ),
      events: eventList("Which events it gets, such as payment.completed or payment.*; all of them by default."),
      org: optional("org", "ORG", "Whose endpoint it is; by API the organisation of the credential by default.")
    },
    run: (input) => webhookActions().then(({ create }) => create(input))
  }),
  eitherCommand("dlq list", "List dead letters: deliveries that are not retried any more, newest first.", {
    examples: ["corridor dlq list"],
    takes: {
      org,
      webhook: optional("webhook", "ID", 'Only this endpoint\'s; "corridor webhooks list" shows them.')
    },
    run: (input) => webhookActions().then(({ listDead }) => listDead(input))
  }),
  eitherCommand("dlq show", "Show a delivery, every attempt at it, and the exact text that was sent.", {
    examples: ["corridor dlq show DELIVERY_ID"],
    takes: { id: argument("ID", "The delivery's id.") },
    run: (input) => webhookActions().then(({ showDead }) => showDead(input))
  }),
  eitherCommand(
    "dlq replay",
    "Put dead letters back into the queue, and of an endpoint also deliveries that wait for a retry; the server sends them. If interrupted, run it again: it continues.",
    {
      examples: ["corridor dlq replay --all", "corridor dlq replay --webhook WEBHOOK_ID --since 2026-03-01"],
      takes: {
        id: maybe(argument("ID", "One delivery.")),
        all: flag("all", "Every dead letter there is."),
        webhook: optional("webhook", "ID", "Those of one endpoint."),
        since: optional(
          "since",
          "TIME",
          "Of that endpoint, those made at this time or later, such as 2026-03-01T12:30:00Z; a date is a UTC day."
        )
      },
      run: (input) => webhookActions().then(({ replayDead }) => replayDead(input))
    }
  ),
  databaseCommand("notifications list", "List the messages in the outbox, newest first.", {
    examples: ["corridor notifications list"],
    takes: { org },
    run: (input) => messageActions().then(({ listMessages }) => listMessages(input))
  }),
  databaseCommand("notifications show", "Show a message with its text.", {
    examples: ["corridor notifications show NOTIFICATION_ID"],
    takes: { id: argument("ID", "The notification's id.") },
    run: (input) => messageActions().then(({ showMessage }) => showMessage(input))
  })
]
