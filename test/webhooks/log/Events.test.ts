import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { type Cast, people } from "../../support/TestCredentials.ts"
import { bodyOf, post } from "../../support/Send.ts"
import { byCard } from "../../payments/support/Requests.ts"
import { dataOf, deliveries, get, notify, onHookServer, registered } from "../WebhookFixtures.ts"

interface EventItem {
  readonly event_id: string
  readonly event_type: string
  readonly org_id: string
  readonly created_at: string
  readonly data: Readonly<Record<string, unknown>>
}

interface EventPage {
  readonly data: ReadonlyArray<EventItem>
  readonly last_evaluated_key: string | null
}

const events = (org: Cast, query = "") =>
  Effect.map(get(org.key, `/v1/public/events?limit=100${query}`), (answer) => {
    expect(answer.status, answer.text).toBe(200)
    return dataOf<ReadonlyArray<EventItem>>(answer)
  })

const pay = (org: Cast) =>
  Effect.map(post("/v1/payments-init/initiate", { ...org.key }, byCard()), (answer) => {
    expect(answer.status, answer.text).toBe(200)
    return (bodyOf(answer) as { readonly response: { readonly payment_id: string } }).response.payment_id
  })

onHookServer("Events", (it) => {
  it.effect("find the endpoints that ask for them as a payment goes on", () =>
    Effect.gen(function* () {
      const { acme, globex } = yield* people
      const wanted = [["*"], ["payment.*"], ["payment.processing", "kyb.*"], ["transaction.*"], ["payment.completed"]]
      const hooks = yield* Effect.forEach(wanted, (list) => registered(acme.key, { events: list }))
      yield* registered(globex.key)
      const payment_id = yield* pay(acme)
      const mine = (yield* events(acme)).filter((event) => event.data["payment_id"] === payment_id)
      expect(mine.map((event) => event.event_type).toSorted()).toEqual(["payment.processing", "transaction.updated"])
      const received = yield* Effect.forEach(hooks, ({ webhook_id }) =>
        Effect.map(deliveries(acme.key, `&webhook_id=${webhook_id}`), (list) =>
          list.map((delivery) => delivery.event_type).toSorted()
        )
      )
      expect(received).toEqual([
        ["payment.processing", "transaction.updated"],
        ["payment.processing"],
        ["payment.processing"],
        ["transaction.updated"],
        []
      ])
      expect(yield* deliveries(globex.key)).toEqual([])
    })
  )

  it.effect("are there without a receiver: newest first, with the amounts as they were sent", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const payment_id = yield* pay(acme)
      const answer = yield* get(acme.key, "/v1/public/events?limit=100")
      const mine = dataOf<ReadonlyArray<EventItem>>(answer).filter((event) => event.data["payment_id"] === payment_id)
      expect(mine).toHaveLength(2)
      for (const event of mine) {
        expect(Object.keys(event)).toEqual(["event_id", "event_type", "org_id", "created_at", "data"])
        expect(event.org_id).toBe(acme.org_id)
        expect(event.data).toMatchObject({ amount: 1500, currency: "KES", payment_method: "card" })
      }
      expect(answer.text).toContain(`"amount":1500.00,"currency":"KES","target_amount":1500.00`)
      const keys = dataOf<ReadonlyArray<EventItem>>(answer).map((event) => `${event.created_at} ${event.event_id}`)
      expect(keys).toEqual(keys.toSorted().toReversed())
    })
  )

  it.effect("can be asked for by type and from a time on, which is included", () =>
    Effect.gen(function* () {
      const { globex } = yield* people
      yield* pay(globex)
      yield* notify(globex.key, globex.org_id)
      const all = yield* events(globex)
      const processing = yield* events(globex, "&event_type=payment.processing")
      expect(processing).toEqual(all.filter((event) => event.event_type === "payment.processing"))
      expect(processing.length).toBeGreaterThan(0)
      expect(yield* events(globex, "&event_type=kyc.approved")).toEqual([])
      const newest = all[0]!
      const since = yield* events(globex, `&from=${newest.created_at}`)
      expect(since).toEqual(all.filter((event) => event.created_at >= newest.created_at))
      expect(since.length).toBeLessThan(all.length)
      const after = new Date(new Date(newest.created_at).getTime() + 1).toISOString()
      expect(yield* events(globex, `&from=${after}`)).toEqual([])
    })
  )

  it.effect("come page by page, with a cursor for these filters alone", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      yield* Effect.replicateEffect(notify(acme.key, acme.org_id), 3)
      const all = yield* events(acme)
      const seen: Array<EventItem> = []
      let cursor: string | null = ""
      while (cursor !== null) {
        const query: string = cursor === "" ? "" : `&last_evaluated_key=${cursor}`
        const page = bodyOf(yield* get(acme.key, `/v1/public/events?limit=2${query}`)) as EventPage
        seen.push(...page.data)
        if (page.last_evaluated_key !== null) {
          const other = `/v1/public/events?event_type=kyc.approved&last_evaluated_key=${page.last_evaluated_key}`
          expect((yield* get(acme.key, other)).status).toBe(400)
        }
        cursor = page.last_evaluated_key
      }
      expect(seen).toEqual(all)
    })
  )

  it.effect.each([
    ["event_type=payment.*", "event_type"],
    ["event_type=payment.done", "event_type"],
    ["from=yesterday", "from"],
    ["from=", "from"],
    ["limit=0", "limit"]
  ] as const)("refuse the question %s", ([query, field]) =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const answer = yield* get(acme.key, `/v1/public/events?${query}`)
      expect(answer.status).toBe(400)
      const { message } = bodyOf(answer) as { readonly message: string }
      expect(message.startsWith(`${field}: `), message).toBe(true)
    })
  )
})
