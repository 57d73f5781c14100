/** `corridor listen`: events come here by the API and go on to a program on this machine, signed as a delivery is. */
import { randomBytes } from "node:crypto"
import { Clock, Duration, Effect, Either, Option } from "effect"
import { wants } from "../../domain/EventTypes.ts"
import { stringifyWire } from "../../domain/Decimal.ts"
import { deliveryHeaders } from "../../webhooks/delivery/DeliveryAttempt.ts"
import { formatSecret, SECRET_BYTES } from "../../webhooks/WebhookSecrets.ts"
import { painter, Streams, writeLine } from "../shared/Terminal.ts"
import { refuse } from "../shared/CommandInput.ts"
import { checkEventPatterns } from "./WebhookActions.ts"
import { printable } from "../shared/Table.ts"
import { addressIn } from "../shared/CommandTarget.ts"
import { call } from "../client/ApiClient.ts"
import { httpApiClient } from "../client/HttpApiClient.ts"
import { followEvents, type TailedEvent, wholeNumber } from "./LogActions.ts"
import { printServer, theServer } from "../client/RunCommand.ts"

const RECEIVER_TIMEOUT = Duration.seconds(10)

interface Forwarded {
  readonly event_id: string
  readonly event_type: string
  /** null: no answer came. */
  readonly status: number | null
  readonly latency_ms: number
  readonly error: string | null
}

const causeOf = (error: unknown): string => {
  const { cause } = error as { readonly cause?: unknown }
  return cause instanceof Error ? cause.message : String(error instanceof Error ? error.message : error)
}

const send = (address: string, { traceparent, ...event }: TailedEvent, secret: string): Effect.Effect<Forwarded> =>
  Effect.gen(function* () {
    const payload = stringifyWire(event)
    const start = yield* Clock.currentTimeMillis
    const test = event.data["test"] === true
    const { event_id, event_type } = event
    const headers = deliveryHeaders(
      { attempt: 1, event_id, event_type, payload, test },
      { current: secret, previous: null },
      start,
      traceparent
    )
    const answer = yield* Effect.either(
      Effect.tryPromise({
        try: (signal) => fetch(address, { method: "POST", headers, body: payload, redirect: "manual", signal }),
        catch: causeOf
      }).pipe(Effect.timeoutFail({ duration: RECEIVER_TIMEOUT, onTimeout: () => "no answer within 10 seconds" }))
    )
    const latency_ms = (yield* Clock.currentTimeMillis) - start
    return Either.match(answer, {
      onLeft: (error) => ({ event_id, event_type, status: null, latency_ms, error }),
      onRight: ({ status }) => ({ event_id, event_type, status, latency_ms, error: null })
    })
  })

const taken = ({ status }: Forwarded): boolean => status !== null && status >= 200 && status < 300

const lineOf = (streams: typeof Streams.Service, done: Forwarded, created: string): string => {
  const paint = painter(streams)
  const said = done.status === null ? printable(done.error ?? "no answer") : String(done.status)
  const time = created.slice(11, 19)
  return `${paint("dim", time)}  ${done.event_type.padEnd(26)}  ${paint(taken(done) ? "green" : "red", said)}  ${done.latency_ms} ms  ${paint("dim", done.event_id)}`
}

const secretFrom = (given: Option.Option<string>) =>
  Option.match(given, {
    onNone: () => Effect.sync(() => formatSecret(randomBytes(SECRET_BYTES))),
    onSome: (secret) =>
      secret.startsWith("whsec_")
        ? Effect.succeed(secret)
        : refuse("--secret begins with whsec_, as the secret of an endpoint does.")
  })

export const listen = Effect.fnUntraced(function* (input: {
  readonly forwardTo: string
  readonly events: ReadonlyArray<string>
  readonly secret: Option.Option<string>
  readonly org: Option.Option<string>
  readonly count: Option.Option<string>
  readonly json: boolean
}) {
  const address = addressIn(input.forwardTo)
  if (Option.isNone(address)) return yield* refuse("--forward-to is not a URL such as http://localhost:4000/webhooks.")
  yield* checkEventPatterns(input.events)
  const count = yield* wholeNumber("--count", input.count)
  const secret = yield* secretFrom(input.secret)
  const patterns = input.events.length === 0 ? ["*"] : input.events
  const server = yield* theServer
  yield* printServer(server)
  const streams = yield* Streams
  let left = Option.getOrElse(count, () => Number.POSITIVE_INFINITY)

  const forward = (event: TailedEvent) =>
    Effect.gen(function* () {
      const done = yield* send(address.value, event, secret)
      left -= 1
      yield* writeLine(input.json ? JSON.stringify(done) : lineOf(streams, done, event.created_at))
    })

  const session = call("session", "me", { urlParams: { org_id: Option.getOrUndefined(input.org) } })

  yield* Effect.provide(
    Effect.gen(function* () {
      const { mode, organization } = (yield* session).data
      const whose = organization === null ? "every organisation" : organization.name
      const begun = Effect.sync(() =>
        streams.err(
          `Events of ${printable(whose)} (${mode}), ${patterns.join(", ")}, go to ${address.value}. Ctrl-C ends it.\n` +
            `Signing secret: ${secret}\n`
        )
      )
      yield* followEvents(Option.getOrUndefined(input.org), begun, (events) =>
        Effect.gen(function* () {
          for (const event of events) {
            if (left > 0 && wants(patterns, event.event_type)) yield* forward(event)
          }
          return left > 0
        })
      )
    }),
    httpApiClient(server, { retries: 0 })
  )
})
