/** `corridor dlq` by API: the dead letters of the organisation that the credential is for. */
import { Effect, Option } from "effect"
import { refuse } from "../shared/CommandInput.ts"
import { drawProgress } from "../shared/Terminal.ts"
import { autopsyText, letterTable, replayedText } from "../shown/Webhooks.ts"
import { ApiClient } from "../client/ApiClient.ts"
import { onServer } from "../client/RunCommand.ts"

const deadOnes = (org: Option.Option<string>, webhook: Option.Option<string>) =>
  Effect.flatMap(ApiClient, ({ all }) =>
    all("webhookLog", "deliveries", {
      urlParams: {
        status: "dead",
        org_id: Option.getOrUndefined(org),
        webhook_id: Option.getOrUndefined(webhook)
      }
    })
  )

export const list = (input: {
  readonly org: Option.Option<string>
  readonly webhook: Option.Option<string>
  readonly json: boolean
}) =>
  onServer(
    input.json,
    Effect.map(deadOnes(input.org, input.webhook), (data) => ({
      data,
      ...letterTable(data, "ENDPOINT", (at) => data[at]!.webhook_id)
    }))
  )

const showOne = Effect.fnUntraced(function* (delivery_id: string) {
  const { call } = yield* ApiClient
  const { data } = yield* call("webhookLog", "delivery", { path: { delivery_id } })
  return { data, ...autopsyText(data) }
})

export const show = (input: { readonly id: string; readonly json: boolean }) => onServer(input.json, showOne(input.id))

const replayOne = Effect.fnUntraced(function* (delivery_id: string) {
  const { call } = yield* ApiClient
  yield* call("webhookLog", "replay", { path: { delivery_id } })
  const data = { replayed: 1, disabled: 0 }
  return { data, text: replayedText(data) }
})

const replayEndpoint = Effect.fnUntraced(function* (webhook_id: string) {
  const { call } = yield* ApiClient
  const { data } = yield* call("webhookLog", "replayDead", { path: { webhook_id } })
  return { data, text: replayedText(data) }
})

/** Endpoint by endpoint: each is one request, however many letters it has. */
const replayAll = Effect.gen(function* () {
  const { call } = yield* ApiClient
  const letters = yield* deadOnes(Option.none(), Option.none())
  const endpoints = Array.from(new Set(letters.map(({ webhook_id }) => webhook_id)))
  const each = yield* Effect.forEach(endpoints, (webhook_id, at) =>
    Effect.zipLeft(call("webhookLog", "replayDead", { path: { webhook_id } }), drawProgress(at + 1, endpoints.length))
  )
  const data = {
    replayed: each.reduce((sum, one) => sum + one.data.replayed, 0),
    disabled: each.reduce((sum, one) => sum + one.data.disabled, 0)
  }
  return { data, text: replayedText(data) }
})

export const replay = (input: {
  readonly id: Option.Option<string>
  readonly all: boolean
  readonly webhook: Option.Option<string>
  readonly since: Option.Option<string>
  readonly json: boolean
}) =>
  Effect.gen(function* () {
    const { all, id, since, webhook } = input
    const ways = [all, Option.isSome(id), Option.isSome(webhook)].filter((named) => named).length
    if (ways !== 1) return yield* refuse("Say which to replay: an ID, or --all, or --webhook ID.")
    if (Option.isSome(since)) return yield* refuse("--since is not known to the API: use it beside the database.")
    if (Option.isSome(id)) return yield* onServer(input.json, replayOne(id.value))
    return yield* onServer(input.json, Option.isSome(webhook) ? replayEndpoint(webhook.value) : replayAll)
  })
