/** `corridor logs tail`: the audit log and the events of an organisation as one log, oldest first. */
import { Effect, Either, Option, Array as Arr, Order } from "effect"
import { stringifyWire } from "../../domain/Decimal.ts"
import { painter, Streams, writeLine } from "../shared/Terminal.ts"
import { refuse } from "../shared/CommandInput.ts"
import { printable } from "../shared/Table.ts"
import { type Answer, ApiClient, call, callAll, type Refused } from "../client/ApiClient.ts"
import { httpApiClient } from "../client/HttpApiClient.ts"
import { printServer, theServer } from "../client/RunCommand.ts"

/**
 * Events are polled, oldest first. An event appears when its transaction commits, perhaps after younger ones. So each
 * poll reads again the 30 seconds before the newest event, and skips ids that were seen.
 */
export type TailedEvent = Answer<"webhookLog", "events">["data"][number]

const OVERLAP_MILLIS = 30_000
const PACE = "700 millis"
const PACE_IN_TROUBLE = "2 seconds"

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
const passes = ({ status }: Refused): boolean => status === 0 || status === 429 || status >= 500

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
    let troubled = false
    for (;;) {
      const read = yield* Effect.either(recent(position, org))
      if (read._tag === "Left") {
        if (!passes(read.left)) return yield* read.left
        if (!troubled) err(`${root} does not answer: waiting for it.\n`)
        troubled = true
        yield* Effect.sleep(PACE_IN_TROUBLE)
        continue
      }
      if (troubled) err(`${root} answers again.\n`)
      troubled = false
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
      yield* Effect.sleep(PACE)
    }
  })

/** The options of commands that follow a log. */
export const wholeNumber = (name: string, given: Option.Option<string>) =>
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

/** As many as are known at the start: what is older than those can never look new. */
const AUDIT_KNOWN = 100
const AUDIT_PAGE = 50

export const tail = Effect.fnUntraced(function* (input: {
  readonly lines: string
  readonly only: Option.Option<"audit" | "events">
  readonly noFollow: boolean
  readonly org: Option.Option<string>
  readonly count: Option.Option<string>
  readonly json: boolean
}) {
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
