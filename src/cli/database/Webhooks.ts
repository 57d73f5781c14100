/** `corridor webhooks` beside the database. */
import { Effect, Option, Schema } from "effect"
import { CreateWebhook, NewWebhook } from "../../contract/api/Webhooks.ts"
import { Webhooks } from "../../webhooks/Webhooks.ts"
import { allPages, permitFor } from "../shared/LocalDatabase.ts"
import { decodeInput, refuse } from "../shared/CommandInput.ts"
import { findOrganization } from "../shared/LookUp.ts"
import { onRecords } from "../shared/OnRecords.ts"
import { createdEndpoint, endpointTable } from "../shown/Webhooks.ts"

const listAll = Effect.fn("Cli.listWebhooks")(function* (org: Option.Option<string>) {
  const endpoints = yield* Webhooks
  const scope = yield* Effect.transposeMapOption(org, (id) => Effect.map(findOrganization(id), ({ org_id }) => org_id))
  const permit = yield* permitFor("any", scope)
  const data = yield* allPages(
    (window) => endpoints.list(permit, window),
    (webhook) => webhook.webhook_id
  )
  return { data, ...endpointTable(data) }
})

export const list = (input: { readonly org: Option.Option<string>; readonly json: boolean }) =>
  onRecords(input.json, listAll(input.org))

const encodeNew = Schema.encodeSync(NewWebhook)

const createOne = Effect.fn("Cli.createWebhook")(function* (org: string, wanted: typeof CreateWebhook.Type) {
  const endpoints = yield* Webhooks
  const { org_id } = yield* findOrganization(org)
  const made = yield* endpoints.create(yield* permitFor("webhooks", Option.some(org_id)), wanted)
  return { data: encodeNew(made), text: createdEndpoint(made) }
})

export const create = Effect.fnUntraced(function* (input: {
  readonly endpoint: string
  readonly events: ReadonlyArray<string>
  readonly org: Option.Option<string>
  readonly json: boolean
}) {
  if (Option.isNone(input.org)) return yield* refuse("Say whose endpoint it is: --org ORG.")
  const wanted = yield* decodeInput(
    CreateWebhook,
    { endpoint_url: input.endpoint, events: input.events.length === 0 ? undefined : input.events, org_id: undefined },
    { endpoint_url: "URL" }
  )
  yield* onRecords(input.json, createOne(input.org.value, wanted))
})
