/** `corridor webhooks` and `corridor dlq` */
import { Effect, Option } from "effect"
import { FromTime } from "../../contract/api/RequestFields.ts"
import { CreateWebhook } from "../../contract/api/WebhooksApi.ts"
import { eventPatterns, isEventPattern } from "../../domain/EventTypes.ts"
import type { Invalid } from "../../domain/Failure.ts"
import { type Answer, call, callAll, orNotFound } from "../client/ApiClient.ts"
import { onTarget } from "../client/RunCommand.ts"
import {
  decodeInput,
  decodeOption,
  type IdInput,
  type JsonInput,
  type OrgInput,
  refuse
} from "../shared/CommandInput.ts"
import { didYouMean } from "../shared/CommandParser.ts"
import { isLocal } from "../shared/CommandTarget.ts"
import { framed, minute, properties, tableLayout, type TextLayout } from "../shared/Table.ts"
import { drawProgress } from "../shared/Terminal.ts"

const onRecords = onTarget("records")

type Webhook = Answer<"webhooks", "find">["data"]

type Listed = Pick<Webhook, "webhook_id" | "org_id" | "endpoint_url" | "status" | "disabled_reason" | "created_at"> & {
  readonly events: ReadonlyArray<string>
}

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

const endpointsOf = (org: Option.Option<string>) =>
  callAll("webhooks", "list", { urlParams: { org_id: Option.getOrUndefined(org) } })

export const list = onRecords(({ org }: OrgInput) =>
  Effect.map(endpointsOf(org), (data) => ({ data, ...endpointTable(data) }))
)

export const checkEventPatterns = (patterns: ReadonlyArray<string>): Effect.Effect<void, Invalid> => {
  const wrong = patterns.find((pattern) => !isEventPattern(pattern))
  if (wrong === undefined) return Effect.void
  const given = wrong === "" ? "an empty text" : wrong
  const meant = didYouMean(wrong, eventPatterns)
  return refuse(`--events: ${given} is no type of event.${meant} There are: ${eventPatterns.join(", ")}.`)
}

const createOne = onRecords(
  Effect.fnUntraced(function* ({ org, wanted }: OrgInput & { readonly wanted: typeof CreateWebhook.Type }) {
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
)

export const create = Effect.fnUntraced(function* (
  input: OrgInput & { readonly endpoint: string; readonly events: ReadonlyArray<string> }
) {
  if (Option.isNone(input.org) && (yield* isLocal)) return yield* refuse("Say whose endpoint it is: --org ORG.")
  yield* checkEventPatterns(input.events)
  const events = input.events.length === 0 ? {} : { events: input.events }
  const wanted = yield* decodeInput(
    CreateWebhook,
    { endpoint_url: input.endpoint, ...events } as typeof CreateWebhook.Encoded,
    { endpoint_url: "URL" }
  )
  yield* createOne({ ...input, wanted })
})

const deadLetters = (org: Option.Option<string>, webhook: Option.Option<string>) =>
  callAll("webhookLog", "deliveries", {
    urlParams: { status: "dead", org_id: Option.getOrUndefined(org), webhook_id: Option.getOrUndefined(webhook) }
  })

export const listDead = onRecords(
  Effect.fnUntraced(function* ({ org, webhook }: OrgInput & { readonly webhook: Option.Option<string> }) {
    const letters = yield* deadLetters(org, webhook)
    const endpoints = new Map((yield* endpointsOf(org)).map((one) => [one.webhook_id, one]))
    const data = letters.map((letter) => {
      const endpoint = endpoints.get(letter.webhook_id)
      return { ...letter, org_id: endpoint?.org_id ?? null, endpoint_url: endpoint?.endpoint_url ?? null }
    })
    const rows = data.map((letter) => [
      letter.delivery_id,
      letter.event_type,
      letter.endpoint_url,
      String(letter.attempts),
      letter.last_error,
      minute(letter.created_at)
    ])
    const titles = ["ID", "EVENT", "URL", "ATTEMPTS", "LAST ERROR", "CREATED"]
    return { data, ...tableLayout(titles, rows, "The dead letter queue is empty.", ["URL", "CREATED", "ATTEMPTS"]) }
  })
)

const endpointNamed = (webhook_id: string) =>
  call("webhooks", "find", { path: { webhook_id } }).pipe(
    orNotFound(`--webhook: there is no webhook with the id ${webhook_id} ("corridor webhooks list" shows them).`),
    Effect.map(({ data }) => data)
  )

const deliveryNamed = Effect.fnUntraced(function* (delivery_id: string) {
  const { data } = yield* orNotFound(
    `There is no delivery with the id ${delivery_id} ("corridor dlq list" shows the dead ones).`
  )(call("webhookLog", "delivery", { path: { delivery_id } }))
  return { delivery: data, endpoint: yield* endpointNamed(data.webhook_id) }
})

export const showDead = onRecords(
  Effect.fnUntraced(function* ({ id }: IdInput) {
    const { delivery, endpoint } = yield* deliveryNamed(id)
    const facts = properties([
      ["Delivery", delivery.delivery_id],
      ["Status", delivery.status],
      ["Organisation", endpoint.org_id],
      ["Endpoint", `${delivery.webhook_id} ${delivery.endpoint_url}`],
      ["Event", `${delivery.event_id} ${delivery.event_type}`],
      ["Attempts", String(delivery.attempts)],
      ["Last error", delivery.last_error]
    ])
    const rows = delivery.log.map((attempt) => [
      attempt.at,
      String(attempt.attempt),
      attempt.status_code === null ? null : String(attempt.status_code),
      `${attempt.latency_ms} ms`,
      attempt.error,
      attempt.answer
    ])
    const attempts = tableLayout(["AT", "ATTEMPT", "STATUS", "TOOK", "ERROR", "ANSWER"], rows, "It was never tried.")
    return {
      data: { ...delivery, org_id: endpoint.org_id },
      ...framed(`${facts}\n\n`, attempts, `\n\n${delivery.payload}`)
    }
  })
)

interface Counts {
  readonly replayed: number
  readonly disabled: number
}

const replayOne = Effect.fnUntraced(function* (delivery_id: string) {
  const { delivery, endpoint } = yield* deliveryNamed(delivery_id)
  if (delivery.status !== "dead") {
    return yield* refuse(`The delivery ${delivery_id} is ${delivery.status} ("corridor dlq list" shows the dead ones).`)
  }
  if (endpoint.status === "disabled") return { replayed: 0, disabled: 1 }
  yield* call("webhookLog", "replay", { path: { delivery_id } })
  return { replayed: 1, disabled: 0 }
})

const replayOf = (webhook_id: string, since?: Date) =>
  call("webhookLog", "replayDead", { path: { webhook_id }, urlParams: { since: since?.toISOString() } }).pipe(
    Effect.map(({ data }): Counts => data)
  )

/** Endpoint by endpoint: each is one request, however many letters it has. */
const replayAll = Effect.gen(function* () {
  const letters = yield* deadLetters(Option.none(), Option.none())
  const endpoints = Array.from(new Set(letters.map(({ webhook_id }) => webhook_id)))
  const each = yield* Effect.forEach(endpoints, (webhook_id, at) =>
    Effect.zipLeft(replayOf(webhook_id), drawProgress(at + 1, endpoints.length))
  )
  const sum = (name: keyof Counts) => each.reduce((total, one) => total + one[name], 0)
  return { replayed: sum("replayed"), disabled: sum("disabled") }
})

interface Selection extends JsonInput {
  readonly id: Option.Option<string>
  readonly all: boolean
  readonly webhook: Option.Option<string>
}

const replaySelected = onRecords(
  Effect.fnUntraced(function* ({ id, since, webhook }: Selection & { readonly since: Option.Option<Date> }) {
    if (Option.isSome(webhook)) yield* endpointNamed(webhook.value)
    const data = yield* Option.isSome(id)
      ? replayOne(id.value)
      : Option.isSome(webhook)
        ? replayOf(webhook.value, Option.getOrUndefined(since))
        : replayAll
    const left =
      data.disabled === 0
        ? ""
        : ` Left where they are, because their endpoint is disabled: ${data.disabled} (activate it first).`
    return { data, text: `Back in the queue: ${data.replayed}. The server sends them.${left}` }
  })
)

/** Requires a selection: a command without options must not send everything. */
export const replayDead = Effect.fnUntraced(function* (input: Selection & { readonly since: Option.Option<string> }) {
  const ways = [input.all, Option.isSome(input.id), Option.isSome(input.webhook)].filter((named) => named).length
  if (ways !== 1) return yield* refuse("Say which to replay: an ID, or --all, or --webhook ID with --since TIME.")
  if (Option.isSome(input.since) && Option.isNone(input.webhook)) {
    return yield* refuse("--since goes together with --webhook.")
  }
  const since = yield* Effect.transposeMapOption(input.since, (text) => decodeOption("--since", FromTime, text))
  yield* replaySelected({ ...input, since })
})
