/** `corridor webhooks` */
import { Effect, Option } from "effect"
import { CreateWebhook } from "../../contract/api/WebhooksApi.ts"
import { type Answer, ApiClient } from "../client/ApiClient.ts"
import { onTarget } from "../client/RunCommand.ts"
import { isLocal } from "../shared/CommandTarget.ts"
import { decodeInput, refuse, type OrgInput } from "../shared/CommandInput.ts"
import { minute, properties, tableLayout, type TextLayout } from "../shared/Table.ts"

const run = onTarget("records")

type Listed = Pick<
  Answer<"webhooks", "find">["data"],
  "webhook_id" | "org_id" | "endpoint_url" | "status" | "disabled_reason" | "created_at"
> & { readonly events: ReadonlyArray<string> }

export const endpointTable = (endpoints: ReadonlyArray<Listed>): TextLayout =>
  tableLayout(
    ["ID", "ORGANISATION", "URL", "EVENTS", "STATUS", "CREATED"],
    endpoints.map((webhook) => [
      webhook.webhook_id,
      webhook.org_id,
      webhook.endpoint_url,
      webhook.events.join(", "),
      webhook.disabled_reason === null ? webhook.status : `${webhook.status}: ${webhook.disabled_reason}`,
      minute(webhook.created_at)
    ]),
    "No webhook endpoints are registered.",
    ["EVENTS", "CREATED", "ORGANISATION"]
  )

const listAll = Effect.fnUntraced(function* (org: Option.Option<string>) {
  const { all } = yield* ApiClient
  const data = yield* all("webhooks", "list", { urlParams: { org_id: Option.getOrUndefined(org) } })
  return { data, ...endpointTable(data) }
})

export const list = (input: OrgInput) => run(input.json, listAll(input.org))

const createOne = Effect.fnUntraced(function* (wanted: typeof CreateWebhook.Type, org: Option.Option<string>) {
  const { call } = yield* ApiClient
  const payload = { ...wanted, ...(Option.isNone(org) ? {} : { org_id: org.value }) }
  const { data } = yield* call("webhooks", "create", { payload })
  const facts = properties([
    ["Id", data.webhook_id],
    ["Organisation", data.org_id],
    ["URL", data.endpoint_url],
    ["Events", data.events.join(", ")],
    ["Secret", data.secret_key]
  ])
  return { data, text: `Webhook endpoint registered. Its secret is shown this once.\n${facts}` }
})

export const create = Effect.fnUntraced(function* (input: {
  readonly endpoint: string
  readonly events: ReadonlyArray<string>
  readonly org: Option.Option<string>
  readonly json: boolean
}) {
  if (Option.isNone(input.org) && (yield* isLocal)) return yield* refuse("Say whose endpoint it is: --org ORG.")
  const events = input.events.length === 0 ? {} : { events: input.events }
  const wanted = yield* decodeInput(
    CreateWebhook,
    { endpoint_url: input.endpoint, ...events } as typeof CreateWebhook.Encoded,
    { endpoint_url: "URL" }
  )
  yield* run(input.json, createOne(wanted, input.org))
})
