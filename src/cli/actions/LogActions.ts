/**
 * `corridor logs tail`: the audit log and the events of an organisation as one log, oldest first. `corridor listen`:
 * forwards events to a program on this machine, signed as a delivery is.
 */
import { randomBytes } from "node:crypto"
import { Array as Arr, Clock, Duration, Effect, Either, Option, Order } from "effect"
import { wants } from "../../domain/EventTypes.ts"
import { deliveryHeaders } from "../../webhooks/delivery/DeliveryAttempt.ts"
import { formatSecret, SECRET_BYTES } from "../../webhooks/WebhookSecrets.ts"
import { addressIn } from "../shared/CommandTarget.ts"
import type { listenOptions, logOptions } from "../commands/ServerCommands.ts"
import type { Input } from "../shared/Command.ts"
import { checkEventPatterns } from "../commands/WebhookCommands.ts"
import { stringifyWire } from "../../domain/Decimal.ts"
import { painter, Streams, writeLine } from "../shared/Terminal.ts"
import { refuse } from "../shared/CommandInput.ts"
import { printable } from "../shared/Table.ts"
import { type Answer, ApiClient, call, callAll, type Refused } from "../shared/ApiClient.ts"
import { httpApiClient } from "../client/HttpApiClient.ts"
import { printServer, theServer } from "../client/RunCommand.ts"

/**
 * Events are polled, oldest first. An event appears when its transaction commits, perhaps after younger ones. So each
 * poll reads again the 30 seconds before the newest event, and skips ids that were seen.
 */
type TailedEvent = Answer<"webhookLog", "events">["data"][number]

const OVERLAP_MILLIS = 30_000
const POLL_INTERVAL = "700 millis"
const RETRY_INTERVAL = "2 seconds"

interface Position {
  /** When the newest that was seen happened; nothing has happened yet otherwise. */
  readonly newest: string | undefined
  readonly seen: ReadonlySet<string>
}

const oldestFirst = Order.combine(
  Order.mapInput(Order.string, (event: TailedEvent) => event.created_at),
  Order.mapInput(Order.string, (event: TailedEvent) => event.event_id)
)

const later = (one: string | undefined, other: string | undefined): string | undefined =>
  one === undefined || (other !== undefined && other > one) ? other : one

const before = (moment: string): string => new Date(Date.parse(moment) - OVERLAP_MILLIS).toISOString()

/** A server that is down or busy is asked again; a refusal is final. */
const isTransient = ({ status }: Refused): boolean => status === 0 || status === 429 || status >= 500

const recent = (position: Position, org: string | undefined) =>
  callAll("webhookLog", "events", {
    urlParams: { org_id: org, from: position.newest === undefined ? undefined : before(position.newest) }
  })

/** Everything that is there by now counts as seen. */
const fromNow = (org: string | undefined) =>
  Effect.gen(function* () {
    const { data } = yield* call("webhookLog", "events", { urlParams: { org_id: org, limit: 1 } })
    const newest = data[0]?.created_at
    const near = newest === undefined ? [] : yield* recent({ newest, seen: new Set() }, org)
    return { newest, seen: new Set(near.map(({ event_id }) => event_id)) }
  })

/**
 * Passes new events to `use`, oldest first, until that returns false. Restarts of the server are waited for. `begun` runs
 * once the position is known.
 */
export const followEvents = <E, R>(
  org: string | undefined,
  begun: Effect.Effect<void>,
  use: (events: ReadonlyArray<TailedEvent>) => Effect.Effect<boolean, E, R>
) =>
  Effect.gen(function* () {
    const { err } = yield* Streams
    const { root } = yield* ApiClient
    let position: Position = yield* fromNow(org)
    yield* begun
    let isDown = false
    for (;;) {
      const read = yield* Effect.either(recent(position, org))
      if (read._tag === "Left") {
        if (!isTransient(read.left)) return yield* read.left
        if (!isDown) err(`${root} does not answer: waiting for it.\n`)
        isDown = true
        yield* Effect.sleep(RETRY_INTERVAL)
        continue
      }
      if (isDown) err(`${root} answers again.\n`)
      isDown = false
      const fresh = Arr.sort(
        read.right.filter(({ event_id }) => !position.seen.has(event_id)),
        oldestFirst
      )
      position = {
        // Never back: after a late event all younger ones would be passed again.
        newest: later(position.newest, fresh.at(-1)?.created_at),
        seen: new Set(read.right.map(({ event_id }) => event_id))
      }
      if (!(yield* use(fresh))) return
      yield* Effect.sleep(POLL_INTERVAL)
    }
  })

/** The options of commands that follow a log. */
const wholeNumber = (name: string, given: Option.Option<string>) =>
  Effect.transposeMapOption(given, (text) =>
    /^[1-9]\d{0,5}$/.test(text)
      ? Effect.succeed(Number(text))
      : Effect.fail(refuse(`${name} is not a whole number from 1 up.`))
  )

type AuditEntry = Answer<"auditLog", "list">["data"][number]

interface Entry {
  readonly id: string
  readonly at: string
  readonly kind: "audit" | "event"
  readonly text: string
  readonly data: unknown
}

const ofEvent = (event: TailedEvent): Entry => {
  const about = ["payment_id", "account_id", "request_id", "transaction_id"].flatMap((name) => {
    const id = event.data[name]
    return typeof id === "string" ? [id] : []
  })
  const status = typeof event.data["status"] === "string" ? ` ${event.data["status"]}` : ""
  return {
    id: event.event_id,
    at: event.created_at,
    kind: "event",
    text: `${event.event_type}${status} ${about[0] ?? ""}`.trimEnd(),
    data: event
  }
}

const ofAudit = (entry: AuditEntry): Entry => ({
  id: entry.audit_id,
  at: entry.created_at,
  kind: "audit",
  text: `${entry.action} ${entry.subject_type} ${entry.subject_id} by ${entry.actor_type} ${entry.actor_name ?? entry.actor_id}`,
  data: entry
})

const inOrder = (a: Entry, b: Entry): number => (a.at === b.at ? (a.id < b.id ? -1 : 1) : a.at < b.at ? -1 : 1)

const linesFrom = (text: string) =>
  /^\d{1,3}$/.test(text) && Number(text) <= 100
    ? Effect.succeed(Number(text))
    : Effect.fail(refuse("--lines is not a whole number from 0 to 100."))

const newestAudit = (org: string | undefined, limit: number) =>
  call("auditLog", "list", { urlParams: { org_id: org, limit } })

/** A caller without the right to the audit log follows the events alone, with a notice. */
const auditOrNot = (org: string | undefined, limit: number, wanted: boolean) =>
  Effect.gen(function* () {
    const read = yield* Effect.either(newestAudit(org, limit))
    if (Either.isRight(read)) return Option.some(read.right.data)
    if (wanted || read.left.status !== 403) return yield* read.left
    ;(yield* Streams).err("The audit log is not open to this credential: only events are followed.\n")
    return Option.none<ReadonlyArray<AuditEntry>>()
  })

/** Audit entries read at the start; older ones never count as new. */
const AUDIT_KNOWN = 100
const AUDIT_PAGE = 50

export const tail = Effect.fnUntraced(function* (input: Input<typeof logOptions>) {
  const lines = yield* linesFrom(input.lines)
  const only = Option.getOrUndefined(input.only)
  let left = Option.getOrElse(yield* wholeNumber("--count", input.count), () => Number.POSITIVE_INFINITY)
  const org = Option.getOrUndefined(input.org)
  const server = yield* theServer
  yield* printServer(server)
  const streams = yield* Streams
  const paint = painter(streams)

  const show = (entry: Entry) =>
    Effect.suspend(() => {
      if (left <= 0) return Effect.void
      left -= 1
      const { data, kind } = entry
      const people = `${paint("dim", entry.at)}  ${kind.padEnd(5)}  ${printable(entry.text)}`
      return writeLine(input.json ? stringifyWire({ kind, ...(data as object) }) : people)
    })

  yield* Effect.provide(
    Effect.gen(function* () {
      const first = Math.max(1, lines)
      const audit = only === "events" ? Option.none() : yield* auditOrNot(org, AUDIT_KNOWN, only === "audit")
      const before =
        only === "audit" ? [] : (yield* call("webhookLog", "events", { urlParams: { org_id: org, limit: first } })).data
      const seen = new Set(Option.getOrElse(audit, () => []).map(({ audit_id }) => audit_id))
      const entries = [...Option.getOrElse(audit, () => []).map(ofAudit), ...before.map(ofEvent)].sort(inOrder)
      yield* Effect.forEach(lines === 0 ? [] : entries.slice(-lines), show, { discard: true })
      if (input.noFollow) return

      const freshAudit = Effect.gen(function* () {
        if (Option.isNone(audit)) return []
        const { data } = yield* newestAudit(org, AUDIT_PAGE)
        const fresh = data.filter(({ audit_id }) => !seen.has(audit_id))
        for (const { audit_id } of fresh) seen.add(audit_id)
        return fresh.map(ofAudit)
      })

      const begun = Effect.sync(() => streams.err("What happens from now on follows; Ctrl-C ends it.\n"))
      yield* followEvents(org, begun, (events) =>
        Effect.gen(function* () {
          const happened = only === "audit" ? [] : events.map(ofEvent)
          const changed = yield* Effect.orElseSucceed(freshAudit, () => [])
          yield* Effect.forEach([...happened, ...changed].sort(inOrder), show, { discard: true })
          return left > 0
        })
      )
    }),
    httpApiClient(server, { retries: 0 })
  )
})

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

export const listen = Effect.fnUntraced(function* (input: Input<typeof listenOptions>) {
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
