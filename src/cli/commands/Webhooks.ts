/** `corridor webhooks` */
import { Command } from "@effect/cli"
import { Effect, type Option } from "effect"
import { Webhooks } from "../../webhooks/Webhooks.ts"
import { allPages } from "../shared/AllPages.ts"
import { optional } from "../shared/Input.ts"
import { organizationNamed } from "../shared/LookUp.ts"
import { onApp } from "../shared/OnApp.ts"
import { permitFor } from "../shared/Operator.ts"
import { json } from "../shared/Report.ts"
import { minute, table } from "../shared/Table.ts"

const listAll = Effect.fn("Cli.listWebhooks")(function* (org: Option.Option<string>) {
  const endpoints = yield* Webhooks
  const scope = yield* Effect.transposeMapOption(org, (id) => Effect.map(organizationNamed(id), ({ org_id }) => org_id))
  const permit = yield* permitFor("any", scope)
  const data = yield* allPages(
    (window) => endpoints.list(permit, window),
    (webhook) => webhook.webhook_id
  )
  const rows = data.map((webhook) => [
    webhook.webhook_id,
    webhook.org_id,
    webhook.endpoint_url,
    webhook.events.join(", "),
    webhook.disabled_reason === null ? webhook.status : `${webhook.status}: ${webhook.disabled_reason}`,
    minute(webhook.created_at)
  ])
  const titles = ["ID", "ORGANISATION", "URL", "EVENTS", "STATUS", "CREATED"]
  return { data, text: table(titles, rows, "No webhook endpoints are registered.") }
})

const list = Command.make(
  "list",
  { org: optional("org", "ORG", "Id of an organisation; all of them by default."), json },
  (input) => onApp(input.json, listAll(input.org))
).pipe(Command.withDescription("List webhook endpoints, newest first."))

export const webhooks = Command.make("webhooks").pipe(
  Command.withDescription("The endpoints that events are sent to."),
  Command.withSubcommands([list])
)
