/** `corridor webhooks` */
import { Args, Command } from "@effect/cli"
import { optional, eventList } from "../shared/CommandInput.ts"
import { json } from "../shared/CommandResult.ts"
import { onEither } from "../shared/CommandTarget.ts"

const work = onEither(() => import("../actions/WebhookActions.ts"))

const list = Command.make(
  "list",
  { org: optional("org", "ORG", "Id of an organisation; all of them by default."), json },
  (input) => work((webhooks) => webhooks.list(input))
).pipe(Command.withDescription("List webhook endpoints, newest first."))

const create = Command.make(
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
  (input) => work((webhooks) => webhooks.create(input))
).pipe(Command.withDescription("Register a webhook endpoint; its signing secret is shown this once."))

export const webhooks = Command.make("webhooks").pipe(
  Command.withDescription("The endpoints that events are sent to."),
  Command.withSubcommands([list, create])
)
