/** `corridor dlq` */
import { Args, Command, Options } from "@effect/cli"
import { Effect, Option, Schema } from "effect"
import { WebhookId } from "../../domain/Identifiers.ts"
import { idOrNil, uuidOrNil } from "../../domain/Ids.ts"
import type { Selection } from "../../webhooks/delivery/DeadLetter.ts"
import { type Autopsy, DeadLetters } from "../../webhooks/delivery/DeadLetters.ts"
import { Webhooks } from "../../webhooks/Webhooks.ts"
import { allPages } from "../shared/AllPages.ts"
import { decodeOption, optional, refuse } from "../shared/Input.ts"
import { organizationNamed } from "../shared/LookUp.ts"
import { onApp } from "../shared/OnApp.ts"
import { permitFor } from "../shared/Operator.ts"
import { drawProgress } from "../shared/ProgressBar.ts"
import { json } from "../shared/Report.ts"
import { minute, properties, table } from "../shared/Table.ts"

const noSuchDelivery = (given: string) =>
  refuse(`There is no delivery with the id ${given} ("corridor dlq list" shows the dead ones).`)

const listAll = Effect.fn("Cli.listDeadLetters")(function* (
  org: Option.Option<string>,
  webhook: Option.Option<string>
) {
  const letters = yield* DeadLetters
  const scope = yield* Effect.transposeMapOption(org, (id) => Effect.map(organizationNamed(id), ({ org_id }) => org_id))
  const permit = yield* permitFor("platform", scope)
  const selection = { webhook_id: Option.getOrUndefined(Option.map(webhook, idOrNil(WebhookId))) }
  const data = yield* allPages(
    (window) => letters.list(permit, selection, window),
    (letter) => letter.delivery_id
  )
  const rows = data.map((letter) => [
    letter.delivery_id,
    letter.event_type,
    letter.endpoint_url,
    String(letter.attempts),
    letter.last_error,
    minute(letter.created_at)
  ])
  const titles = ["ID", "EVENT", "URL", "ATTEMPTS", "LAST ERROR", "CREATED"]
  return { data, text: table(titles, rows, "The dead letter queue is empty.") }
})

const list = Command.make(
  "list",
  {
    org: optional("org", "ORG", "Only this organisation's."),
    webhook: optional("webhook", "ID", 'Only this endpoint\'s; "corridor webhooks list" shows them.'),
    json
  },
  (input) => onApp(input.json, listAll(input.org, input.webhook))
).pipe(Command.withDescription("List deliveries that nobody tries any more, newest first."))

const textOf = ({ log, payload, ...delivery }: Autopsy): string => {
  const facts = properties([
    ["Delivery", delivery.delivery_id],
    ["Status", delivery.status],
    ["Organisation", delivery.org_id],
    ["Endpoint", `${delivery.webhook_id} ${delivery.endpoint_url}`],
    ["Event", `${delivery.event_id} ${delivery.event_type}`],
    ["Attempts", String(delivery.attempts)],
    ["Last error", delivery.last_error]
  ])
  const rows = log.map((attempt) => [
    attempt.at.toISOString(),
    String(attempt.attempt),
    attempt.status_code === null ? null : String(attempt.status_code),
    `${attempt.latency_ms} ms`,
    attempt.error,
    attempt.answer
  ])
  const attempts = table(["AT", "ATTEMPT", "STATUS", "TOOK", "ERROR", "ANSWER"], rows, "It was never tried.")
  return `${facts}\n\n${attempts}\n\n${payload}`
}

const showOne = Effect.fn("Cli.showDeadLetter")(function* (given: string) {
  const letters = yield* DeadLetters
  const data = yield* letters
    .show(yield* permitFor("platform"), uuidOrNil(given))
    .pipe(Effect.mapError(() => noSuchDelivery(given)))
  return { data, text: textOf(data) }
})

const show = Command.make(
  "show",
  { id: Args.text({ name: "ID" }).pipe(Args.withDescription("The delivery's id.")), json },
  (input) => onApp(input.json, showOne(input.id))
).pipe(Command.withDescription("Show a delivery, every attempt at it, and the exact text that was sent."))

const Time = Schema.Date.pipe(Schema.filter((at) => !Number.isNaN(at.getTime()))).annotations({
  message: () => ({ message: "is not a time such as 2026-03-01 or 2026-03-01T12:30:00Z", override: true })
})

interface Typed {
  readonly id: Option.Option<string>
  readonly all: boolean
  readonly webhook: Option.Option<string>
  readonly since: Option.Option<string>
}

/** Which ones must be said: an empty command line must not send everything. */
const selectionOf = Effect.fn("Cli.selectDeadLetters")(function* ({ all, id, since, webhook }: Typed) {
  const ways = [all, Option.isSome(id), Option.isSome(webhook)].filter((named) => named).length
  if (ways !== 1) return yield* refuse("Say which to replay: an ID, or --all, or --webhook ID with --since TIME.")
  if (Option.isSome(since) && Option.isNone(webhook)) return yield* refuse("--since goes together with --webhook.")
  const from = yield* Effect.transposeMapOption(since, (text) => decodeOption("--since", Time, text))
  const selection: Selection = {
    delivery_id: Option.getOrUndefined(Option.map(id, uuidOrNil)),
    webhook_id: Option.getOrUndefined(Option.map(webhook, idOrNil(WebhookId))),
    since: Option.getOrUndefined(from)
  }
  return selection
})

/** Those of an endpoint that does not exist are none, which would look like an empty queue. */
const checkWebhook = Effect.fn("Cli.checkWebhook")(function* ({ webhook }: Typed) {
  if (Option.isNone(webhook)) return
  const endpoints = yield* Webhooks
  const none = `--webhook: there is no webhook with the id ${webhook.value} ("corridor webhooks list" shows them).`
  yield* Effect.mapError(endpoints.find(yield* permitFor("any"), idOrNil(WebhookId)(webhook.value)), () => refuse(none))
})

const replaySome = Effect.fn("Cli.replayDeadLetters")(function* (typed: Typed, selection: Selection) {
  yield* checkWebhook(typed)
  const letters = yield* DeadLetters
  const permit = yield* permitFor("platform")
  const data = yield* letters.replay(permit, selection, drawProgress)
  if (selection.delivery_id !== undefined && data.replayed + data.disabled === 0) {
    return yield* refuse(`No dead delivery has this id ("corridor dlq list" shows them).`)
  }
  const left =
    data.disabled === 0
      ? ""
      : ` Left where they are, because their endpoint is disabled: ${data.disabled} (activate it first).`
  return { data, text: `Back in the queue: ${data.replayed}. The server sends them.${left}` }
})

const replay = Command.make(
  "replay",
  {
    id: Args.text({ name: "ID" }).pipe(Args.withDescription("One delivery."), Args.optional),
    all: Options.boolean("all").pipe(Options.withDescription("Every dead letter there is.")),
    webhook: optional("webhook", "ID", "Those of one endpoint."),
    since: optional(
      "since",
      "TIME",
      "Of that endpoint, those made at this time or later, such as 2026-03-01T12:30:00Z."
    ),
    json
  },
  (input) => Effect.flatMap(selectionOf(input), (selection) => onApp(input.json, replaySome(input, selection)))
).pipe(
  Command.withDescription(
    "Put dead letters back into the queue and return; the server sends them. Cut off, it goes on where it was when run again."
  )
)

export const dlq = Command.make("dlq").pipe(
  Command.withDescription("The dead letter queue: webhook deliveries that failed for good."),
  Command.withSubcommands([list, show, replay])
)
