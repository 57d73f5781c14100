/** `corridor dlq` by API: the dead letters of the organisation that the credential is for. */
import { Effect, Option } from "effect"
import { refuse, type IdInput } from "../shared/CommandInput.ts"
import { drawProgress } from "../shared/Terminal.ts"
import { ApiClient } from "../client/ApiClient.ts"
import { onServer } from "../client/RunCommand.ts"
import { framed, type TextLayout, tableLayout, minute, properties } from "../shared/Table.ts"

/** Dead letters as text. */
type Time = Date | string

interface Letter {
  readonly delivery_id: string
  readonly event_id: string
  readonly event_type: string
  readonly webhook_id: string
  readonly status: string
  readonly attempts: number
  readonly last_error: string | null
  readonly created_at: Time
}

/** `place`: the endpoint, as far as it is known. */
export const letterTable = (
  letters: ReadonlyArray<Letter>,
  place: "URL" | "ENDPOINT",
  placeOf: (at: number) => string
) =>
  tableLayout(
    ["ID", "EVENT", place, "ATTEMPTS", "LAST ERROR", "CREATED"],
    letters.map((letter, at) => [
      letter.delivery_id,
      letter.event_type,
      placeOf(at),
      String(letter.attempts),
      letter.last_error,
      minute(letter.created_at)
    ]),
    "The dead letter queue is empty.",
    [place, "CREATED", "ATTEMPTS"]
  )

interface Autopsy extends Letter {
  /** Only operators see it. */
  readonly org_id?: string
  readonly endpoint_url: string
  readonly payload: string
  readonly log: ReadonlyArray<{
    readonly at: Time
    readonly attempt: number
    readonly status_code: number | null
    readonly latency_ms: number
    readonly error: string | null
    readonly answer: string | null
  }>
}

export const autopsyText = ({ log, payload, ...delivery }: Autopsy): TextLayout => {
  const facts = properties([
    ["Delivery", delivery.delivery_id],
    ["Status", delivery.status],
    ...(delivery.org_id === undefined ? [] : [["Organisation", delivery.org_id] as const]),
    ["Endpoint", `${delivery.webhook_id} ${delivery.endpoint_url}`],
    ["Event", `${delivery.event_id} ${delivery.event_type}`],
    ["Attempts", String(delivery.attempts)],
    ["Last error", delivery.last_error]
  ])
  const rows = log.map((attempt) => [
    typeof attempt.at === "string" ? attempt.at : attempt.at.toISOString(),
    String(attempt.attempt),
    attempt.status_code === null ? null : String(attempt.status_code),
    `${attempt.latency_ms} ms`,
    attempt.error,
    attempt.answer
  ])
  const titles = ["AT", "ATTEMPT", "STATUS", "TOOK", "ERROR", "ANSWER"]
  return framed(`${facts}\n\n`, tableLayout(titles, rows, "It was never tried."), `\n\n${payload}`)
}

export const replayedText = (data: { readonly replayed: number; readonly disabled: number }): string => {
  const left =
    data.disabled === 0
      ? ""
      : ` Left where they are, because their endpoint is disabled: ${data.disabled} (activate it first).`
  return `Back in the queue: ${data.replayed}. The server sends them.${left}`
}

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

export const show = (input: IdInput) => onServer(input.json, showOne(input.id))

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
