/** `corridor notifications` */
import { Args, Command } from "@effect/cli"
import { optional } from "../shared/CommandInput.ts"
import { json } from "../shared/CommandResult.ts"
import { byDatabase } from "../shared/CommandTarget.ts"

const work = byDatabase(() => import("../database/Notifications.ts"))

const list = Command.make("list", { org: optional("org", "ORG", "Only this organisation's."), json }, (input) =>
  work((notifications) => notifications.list(input))
).pipe(Command.withDescription("List the messages in the outbox, newest first."))

const show = Command.make(
  "show",
  { id: Args.text({ name: "ID" }).pipe(Args.withDescription("The notification's id.")), json },
  (input) => work((notifications) => notifications.show(input))
).pipe(Command.withDescription("Show a message with its text."))

export const notifications = Command.make("notifications").pipe(
  Command.withDescription("The outbox of the sandbox: messages that are mailed where SMTP_URL is set."),
  Command.withSubcommands([list, show])
)
