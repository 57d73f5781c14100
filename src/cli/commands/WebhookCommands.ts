/** `corridor webhooks`, `dlq` and `notifications`. */
import { Effect, Option } from "effect"
import type { CreateWebhook } from "../../contract/api/WebhooksApi.ts"
import { eventPatterns, isEventPattern } from "../../domain/EventTypes.ts"
import type { Invalid } from "../../domain/Failure.ts"
import { type Answer, call, callAll, orNotFound } from "../shared/ApiClient.ts"
import { argument, commandOn, databaseCommand, eventList, flag, maybe, optional } from "../shared/Command.ts"
import { decodeInput, decodeOption, refuse } from "../shared/CommandInput.ts"
import { didYouMean } from "../shared/CommandParser.ts"
import { isLocal } from "../shared/CommandTarget.ts"
import { framed, minute, properties, tableOf } from "../shared/Table.ts"
import { drawProgress } from "../shared/Terminal.ts"

const command = commandOn("records")
const messageActions = () => import("../database/LocalUsers.ts")

type Webhook = Answer<"webhooks", "find">["data"]

type Listed = Pick<Webhook, "webhook_id" | "org_id" | "endpoint_url" | "status" | "disabled_reason" | "created_at"> & {
  readonly events: ReadonlyArray<string>
}

export const endpointTable = tableOf<Listed>(
  {
    ID: "webhook_id",
    ORGANISATION: "org_id",
    URL: "endpoint_url",
    EVENTS: (webhook) => webhook.events.join(", "),
    STATUS: ({ disabled_reason, status }) => (disabled_reason === null ? status : `${status}: ${disabled_reason}`),
    CREATED: (webhook) => minute(webhook.created_at)
  },
  "No webhook endpoints are registered.",
  ["EVENTS", "CREATED", "ORGANISATION"]
)

const endpointsOf = (org: Option.Option<string>) =>
  callAll("webhooks", "list", { urlParams: { org_id: Option.getOrUndefined(org) } })

export const checkEventPatterns = (patterns: ReadonlyArray<string>): Effect.Effect<void, Invalid> => {
  const wrong = patterns.find((pattern) => !isEventPattern(pattern))
  if (wrong === undefined) return Effect.void
  const given = wrong === "" ? "an empty text" : wrong
  const meant = didYouMean(wrong, eventPatterns)
  return refuse(`--events: ${given} is no type of event.${meant} There are: ${eventPatterns.join(", ")}.`)
}

const deadLetters = (org: Option.Option<string>, webhook: Option.Option<string>) =>
  callAll("webhookLog", "deliveries", {
    urlParams: { status: "dead", org_id: Option.getOrUndefined(org), webhook_id: Option.getOrUndefined(webhook) }
  })

type Letter = Answer<"webhookLog", "deliveries">["data"][number] & { readonly endpoint_url: string | null }

const letterTable = tableOf<Letter>(
  {
    ID: "delivery_id",
    EVENT: "event_type",
    URL: "endpoint_url",
    ATTEMPTS: "attempts",
    "LAST ERROR": "last_error",
    CREATED: (letter) => minute(letter.created_at)
  },
  "The dead letter queue is empty.",
  ["URL", "CREATED", "ATTEMPTS"]
)

const attemptTable = tableOf<Answer<"webhookLog", "delivery">["data"]["log"][number]>(
  {
    AT: "at",
    ATTEMPT: "attempt",
    STATUS: "status_code",
    TOOK: (attempt) => `${attempt.latency_ms} ms`,
    ERROR: "error",
    ANSWER: "answer"
  },
  "It was never tried."
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

const org = optional("org", "ORG", "Only this organisation's.")

export const webhookCommands = [
  command("webhooks list", "List webhook endpoints, newest first.", {
    examples: ["corridor webhooks list"],
    takes: { org: optional("org", "ORG", "Id of an organisation; all of them by default.") },
    *run({ org }) {
      const data = yield* endpointsOf(org)
      return { data, ...endpointTable(data) }
    }
  }),
  command("webhooks create", "Register a webhook endpoint; its signing secret is shown this once.", {
    examples: ["corridor webhooks create https://shop.example/webhooks --events payment.*,kyb.approved"],
    takes: {
      endpoint: argument(
        "URL",
        "Where to send events: https on the public internet; in a sandbox also http on this machine."
      ),
      events: eventList("Which events it gets, such as payment.completed or payment.*; all of them by default."),
      org: optional("org", "ORG", "Whose endpoint it is; by API the organisation of the credential by default.")
    },
    check: ({ endpoint, events, org }) =>
      Effect.gen(function* () {
        if (Option.isNone(org) && (yield* isLocal)) return yield* refuse("Say whose endpoint it is: --org ORG.")
        yield* checkEventPatterns(events)
        const given = { endpoint_url: endpoint, ...(events.length === 0 ? {} : { events }) }
        const api = yield* Effect.promise(() => import("../../contract/api/WebhooksApi.ts"))
        return yield* decodeInput(api.CreateWebhook, given as typeof CreateWebhook.Encoded, { endpoint_url: "URL" })
      }),
    *run({ org }, wanted) {
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
    }
  }),
  command("dlq list", "List dead letters: deliveries that are not retried any more, newest first.", {
    examples: ["corridor dlq list"],
    takes: {
      org,
      webhook: optional("webhook", "ID", 'Only this endpoint\'s; "corridor webhooks list" shows them.')
    },
    *run({ org, webhook }) {
      const letters = yield* deadLetters(org, webhook)
      const endpoints = new Map((yield* endpointsOf(org)).map((one) => [one.webhook_id, one]))
      const data = letters.map((letter) => {
        const endpoint = endpoints.get(letter.webhook_id)
        return { ...letter, org_id: endpoint?.org_id ?? null, endpoint_url: endpoint?.endpoint_url ?? null }
      })
      return { data, ...letterTable(data) }
    }
  }),
  command("dlq show", "Show a delivery, every attempt at it, and the exact text that was sent.", {
    examples: ["corridor dlq show DELIVERY_ID"],
    takes: { id: argument("ID", "The delivery's id.") },
    *run({ id }) {
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
      return {
        data: { ...delivery, org_id: endpoint.org_id },
        ...framed(`${facts}\n\n`, attemptTable(delivery.log), `\n\n${delivery.payload}`)
      }
    }
  }),
  command(
    "dlq replay",
    "Put dead letters back into the queue, and of an endpoint also deliveries that wait for a retry; the server sends them. If interrupted, run it again: it continues.",
    {
      examples: ["corridor dlq replay --all", "corridor dlq replay --webhook WEBHOOK_ID --since 2026-03-01"],
      takes: {
        id: maybe(argument("ID", "One delivery.")),
        all: flag("all", "Every dead letter there is."),
        webhook: optional("webhook", "ID", "Those of one endpoint."),
        since: optional(
          "since",
          "TIME",
          "Of that endpoint, those made at this time or later, such as 2026-03-01T12:30:00Z; a date is a UTC day."
        )
      },
      check: ({ all, id, since, webhook }) =>
        Effect.gen(function* () {
          // A command without options must not send everything.
          const ways = [all, Option.isSome(id), Option.isSome(webhook)].filter((named) => named).length
          if (ways !== 1) {
            return yield* refuse("Say which to replay: an ID, or --all, or --webhook ID with --since TIME.")
          }
          if (Option.isSome(since) && Option.isNone(webhook)) {
            return yield* refuse("--since goes together with --webhook.")
          }
          const { FromTime } = yield* Effect.promise(() => import("../../contract/api/RequestFields.ts"))
          return yield* Effect.transposeMapOption(since, (text) => decodeOption("--since", FromTime, text))
        }),
      *run({ id, webhook }, since) {
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
      }
    }
  ),
  databaseCommand("notifications list", "List the messages in the outbox, newest first.", {
    examples: ["corridor notifications list"],
    takes: { org },
    run: (input) => messageActions().then(({ listMessages }) => listMessages(input))
  }),
  databaseCommand("notifications show", "Show a message with its text.", {
    examples: ["corridor notifications show NOTIFICATION_ID"],
    takes: { id: argument("ID", "The notification's id.") },
    run: (input) => messageActions().then(({ showMessage }) => showMessage(input))
  })
]
