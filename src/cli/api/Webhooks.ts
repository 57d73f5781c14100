/** `corridor webhooks` by API. */
import { Effect, Option } from "effect"
import { createdEndpoint, endpointTable } from "../shown/Webhooks.ts"
import { Calls } from "./Calls.ts"
import { onApi } from "./OnApi.ts"

const listAll = Effect.fnUntraced(function* (org: Option.Option<string>) {
  const { all } = yield* Calls
  const data = yield* all("webhooks", "list", { urlParams: { org_id: Option.getOrUndefined(org) } })
  return { data, ...endpointTable(data) }
})

export const list = (input: { readonly org: Option.Option<string>; readonly json: boolean }) =>
  onApi(input.json, listAll(input.org))

const createOne = Effect.fnUntraced(function* (
  endpoint_url: string,
  events: ReadonlyArray<string>,
  org: Option.Option<string>
) {
  const { call } = yield* Calls
  const { data } = yield* call("webhooks", "create", {
    payload: {
      endpoint_url,
      ...(events.length === 0 ? {} : { events }),
      ...(Option.isNone(org) ? {} : { org_id: org.value })
    }
  })
  return { data, text: createdEndpoint(data) }
})

export const create = (input: {
  readonly endpoint: string
  readonly events: ReadonlyArray<string>
  readonly org: Option.Option<string>
  readonly json: boolean
}) => onApi(input.json, createOne(input.endpoint, input.events, input.org))
