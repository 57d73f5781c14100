/**
 * The events of an organisation as they happen, oldest first, asked for again and again: nobody has to reach this machine
 * for it. An event is written in the transaction of what it tells of, so one may appear behind others that are younger:
 * a stretch of time before the newest is read again, and what was seen is known by its id.
 */
import { Array as Arr, Effect, Order, type Option } from "effect"
import { Streams } from "../shared/Terminal.ts"
import { type Answer, ApiClient, type Refused } from "../client/ApiClient.ts"
import { refuse } from "../shared/CommandInput.ts"

export type TailedEvent = Answer<"webhookLog", "events">["data"][number]

const OVERLAP_MILLIS = 30_000
const PACE = "700 millis"
const PACE_IN_TROUBLE = "2 seconds"

interface Position {
  /** When the newest that was seen happened; nothing has happened yet otherwise. */
  readonly newest: string | undefined
  readonly seen: ReadonlySet<string>
}

const inOrder = Order.combine(
  Order.mapInput(Order.string, (event: TailedEvent) => event.created_at),
  Order.mapInput(Order.string, (event: TailedEvent) => event.event_id)
)

const later = (one: string | undefined, other: string | undefined): string | undefined =>
  one === undefined || (other !== undefined && other > one) ? other : one

const before = (moment: string): string => new Date(Date.parse(moment) - OVERLAP_MILLIS).toISOString()

/** What is not there, and what is busy, is there again some time; a refusal stays one. */
const passes = ({ status }: Refused): boolean => status === 0 || status === 429 || status >= 500

const recent = (position: Position, org: string | undefined) =>
  Effect.flatMap(ApiClient, ({ all }) =>
    all("webhookLog", "events", {
      urlParams: { org_id: org, from: position.newest === undefined ? undefined : before(position.newest) }
    })
  )

/** Everything that is there by now counts as seen. */
const fromNow = (org: string | undefined) =>
  Effect.gen(function* () {
    const { call } = yield* ApiClient
    const { data } = yield* call("webhookLog", "events", { urlParams: { org_id: org, limit: 1 } })
    const newest = data[0]?.created_at
    const near = newest === undefined ? [] : yield* recent({ newest, seen: new Set() }, org)
    return { newest, seen: new Set(near.map(({ event_id }) => event_id)) }
  })

/**
 * `use` gets what is new, oldest first; it goes on for as long as that says so, through restarts of the server too.
 * `begun`: what happens from now on is told.
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
        inOrder
      )
      position = {
        // Never back: what appears late would have all that is older told again.
        newest: later(position.newest, fresh.at(-1)?.created_at),
        seen: new Set(read.right.map(({ event_id }) => event_id))
      }
      if (!(yield* use(fresh))) return
      yield* Effect.sleep(PACE)
    }
  })

/** What commands that go on until they are told otherwise are told. */
export const wholeNumber = (name: string, given: Option.Option<string>) =>
  Effect.transposeMapOption(given, (text) =>
    /^[1-9]\d{0,5}$/.test(text)
      ? Effect.succeed(Number(text))
      : Effect.fail(refuse(`${name} is not a whole number from 1 up.`))
  )
