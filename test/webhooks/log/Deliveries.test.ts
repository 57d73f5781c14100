import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { people } from "../../support/TestCredentials.ts"
import { bodyOf, send } from "../../support/Send.ts"
import { periodsOf, type Trends as DeliveryTrends, trendsOf } from "../../../src/webhooks/delivery/DeliveryTrends.ts"
import { postpone, queueRow, settle } from "../DeliveryRows.ts"
import {
  dataOf,
  deliveries,
  type DeliveryItem,
  get,
  HOOKS,
  notify,
  onHookServer,
  registered,
  remove,
  replay
} from "../WebhookFixtures.ts"

/** An endpoint of its own, with so many deliveries. */
const withDeliveries = (count: number) =>
  Effect.gen(function* () {
    const { acme } = yield* people
    const { webhook_id } = yield* registered(acme.key)
    yield* Effect.replicateEffect(notify(acme.key, acme.org_id), count)
    return { acme, webhook_id, sent: yield* deliveries(acme.key, `&webhook_id=${webhook_id}`) }
  })

const delivered = { status: "delivered", attempts: 1, last_status_code: 204, last_error: null } as const
const dead = { status: "dead", attempts: 7, last_status_code: 503, last_error: "The receiver answered 503" } as const

onHookServer("Deliveries", (it) => {
  it.effect("are listed with every field, newest first, by status and by endpoint", () =>
    Effect.gen(function* () {
      const { acme, sent, webhook_id } = yield* withDeliveries(4)
      expect(sent).toHaveLength(4)
      expect(sent.map((one) => one.created_at)).toEqual(
        sent
          .map((one) => one.created_at)
          .toSorted()
          .toReversed()
      )
      const [first, second] = sent as [DeliveryItem, DeliveryItem]
      yield* settle(first.delivery_id, delivered)
      yield* settle(second.delivery_id, dead)
      const by = (status: string) => deliveries(acme.key, `&webhook_id=${webhook_id}&status=${status}`)
      expect(yield* by("delivered")).toEqual([{ ...first, ...delivered, next_attempt_at: null }])
      expect(yield* by("dead")).toEqual([
        {
          delivery_id: second.delivery_id,
          event_id: second.event_id,
          event_type: "transaction.updated",
          webhook_id,
          ...dead,
          next_attempt_at: null,
          created_at: second.created_at
        }
      ])
      const waiting = yield* by("pending")
      expect(waiting).toEqual(sent.slice(2))
      for (const { delivery_id, next_attempt_at } of waiting) {
        expect((yield* queueRow(delivery_id))?.next_at.toISOString()).toBe(next_attempt_at)
      }
    })
  )

  it.effect("come page by page, with a cursor for these filters alone", () =>
    Effect.gen(function* () {
      const { acme, sent, webhook_id } = yield* withDeliveries(3)
      const path = `${HOOKS}/deliveries?limit=2&webhook_id=${webhook_id}`
      const first = bodyOf(yield* get(acme.key, path)) as {
        readonly data: ReadonlyArray<DeliveryItem>
        readonly last_evaluated_key: string
      }
      const rest = yield* get(acme.key, `${path}&last_evaluated_key=${first.last_evaluated_key}`)
      expect([...first.data, ...dataOf<ReadonlyArray<DeliveryItem>>(rest)]).toEqual(sent)
      const other = `${path}&status=pending&last_evaluated_key=${first.last_evaluated_key}`
      expect((yield* get(acme.key, other)).status).toBe(400)
    })
  )

  it.effect("are counted by hour and by day, for those who may read the log", () =>
    Effect.gen(function* () {
      const { acme, globex } = yield* people
      const { sent, webhook_id } = yield* withDeliveries(3)
      yield* settle(sent[0]!.delivery_id, delivered)
      yield* settle(sent[1]!.delivery_id, dead)
      const path = `${HOOKS}/${webhook_id}/trends`
      for (const [query, per, length] of [
        ["", "hour", 24],
        ["?per=day", "day", 30]
      ] as const) {
        const trends = dataOf<DeliveryTrends>(yield* get(acme.token("staff"), `${path}${query}`))
        expect([trends.per, trends.periods.length, trends.latency]).toEqual([per, length, null])
        const sum = (name: "delivered" | "dead" | "pending") => trends.periods.reduce((all, one) => all + one[name], 0)
        expect([sum("delivered"), sum("dead"), sum("pending")]).toEqual([1, 1, 1])
      }
      expect((yield* get(acme.key, `${path}?per=week`)).status).toBe(400)
      expect((yield* get(acme.token("member"), path)).status).toBe(403)
      expect((yield* get(globex.key, path)).status).toBe(404)
    })
  )

  it("have a latency that half, and 95 of 100, of their attempts keep", () => {
    const at = new Date("2026-03-02T09:20:00.000Z")
    const periods = periodsOf("hour", at)
    expect(periods.at(-1)).toEqual(new Date("2026-03-02T09:00:00.000Z"))
    const hundred = Array.from({ length: 100 }, (_, index) => 100 - index)
    expect(trendsOf("hour", periods, [], hundred).latency).toEqual({ attempts: 100, median_ms: 50, p95_ms: 95 })
    expect(trendsOf("hour", periods, [], [7]).latency).toEqual({ attempts: 1, median_ms: 7, p95_ms: 7 })
  })

  it.effect("refuse a status that is none, and know nothing of an endpoint that is not there", () =>
    Effect.gen(function* () {
      const { acme, globex } = yield* people
      for (const status of ["failed", "", "DEAD"]) {
        const answer = yield* get(acme.key, `${HOOKS}/deliveries?status=${status}`)
        expect(answer.status).toBe(400)
        expect(bodyOf(answer)).toMatchObject({ message: expect.stringMatching(/^status: /) })
      }
      const theirs = yield* registered(globex.key)
      yield* notify(globex.key, globex.org_id)
      expect((yield* deliveries(globex.key, `&webhook_id=${theirs.webhook_id}`)).length).toBe(1)
      for (const id of [theirs.webhook_id, "nonsense"]) {
        expect(yield* deliveries(acme.key, `&webhook_id=${id}`)).toEqual([])
      }
    })
  )

  it.effect("go back into the queue from the start, delivered or dead", () =>
    Effect.gen(function* () {
      const { acme, sent } = yield* withDeliveries(2)
      for (const [index, outcome] of [delivered, dead].entries()) {
        const { delivery_id } = sent[index]!
        yield* settle(delivery_id, outcome)
        expect(yield* queueRow(delivery_id)).toBeUndefined()
        const answer = yield* replay(acme.key, delivery_id)
        expect(answer.status).toBe(200)
        const again = dataOf<DeliveryItem>(answer)
        expect(again).toEqual({ ...sent[index]!, ...outcome, status: "pending", next_attempt_at: expect.any(String) })
        const row = yield* queueRow(delivery_id)
        expect(row).toMatchObject({ attempt: 0, lease_token: null })
        expect(row?.next_at.toISOString()).toBe(again.next_attempt_at)
        expect(row!.next_at.getTime(), "now").toBeGreaterThanOrEqual(new Date(sent[index]!.created_at).getTime())
      }
    })
  )

  it.effect("stay as they are when they are waiting already", () =>
    Effect.gen(function* () {
      const { acme, sent } = yield* withDeliveries(1)
      const before = yield* queueRow(sent[0]!.delivery_id)
      const answer = yield* replay(acme.key, sent[0]!.delivery_id)
      expect([answer.status, dataOf(answer)]).toEqual([200, sent[0]])
      expect(yield* queueRow(sent[0]!.delivery_id)).toEqual(before)
    })
  )

  it.effect("of an endpoint are all sent again that have not arrived: dead ones and those that wait for a retry", () =>
    Effect.gen(function* () {
      const { acme, globex } = yield* people
      const { sent, webhook_id } = yield* withDeliveries(4)
      const [arrived, gaveUp, waits, fresh] = sent.map(({ delivery_id }) => delivery_id) as [
        string,
        string,
        string,
        string
      ]
      yield* settle(arrived, delivered)
      yield* settle(gaveUp, dead)
      yield* postpone(waits, 3)
      const before = yield* queueRow(fresh)
      const again = (query: string, credential = acme.key) =>
        send(`${HOOKS}/${webhook_id}/replay${query}`, { method: "POST", headers: { ...credential } })
      expect(dataOf(yield* again("?since=2100-01-01"))).toEqual({ replayed: 0, disabled: 0 })
      expect((yield* again("", globex.key)).status).toBe(404)
      expect(yield* queueRow(waits)).toMatchObject({ attempt: 3 })
      expect(dataOf(yield* again("?since=2020-01-01"))).toEqual({ replayed: 2, disabled: 0 })
      for (const id of [gaveUp, waits]) {
        const row = yield* queueRow(id)
        expect(row).toMatchObject({ attempt: 0, lease_token: null })
        expect(row!.next_at.getTime(), "due").toBeLessThanOrEqual(before!.next_at.getTime() + 60_000)
      }
      expect(yield* queueRow(arrived)).toBeUndefined()
      expect(yield* queueRow(fresh)).toEqual(before)
    })
  )

  it.effect("are queued once, however many ask at the same moment", () =>
    Effect.gen(function* () {
      const { acme, sent } = yield* withDeliveries(1)
      const { delivery_id } = sent[0]!
      yield* settle(delivery_id, dead)
      const answers = yield* Effect.replicateEffect(replay(acme.key, delivery_id), 6, { concurrency: "unbounded" })
      expect(answers.map((answer) => answer.status)).toEqual(Array(6).fill(200))
      const { text } = yield* get(acme.key, "/v1/audit-log?limit=100&action=delivery.replayed")
      expect(text.split(delivery_id).length - 1).toBe(1)
    })
  )

  it.effect("cannot be replayed by other organisations, and go with their endpoint", () =>
    Effect.gen(function* () {
      const { globex } = yield* people
      const { acme, sent, webhook_id } = yield* withDeliveries(1)
      const { delivery_id } = sent[0]!
      yield* settle(delivery_id, dead)
      const answers = yield* Effect.forEach([delivery_id, webhook_id, "nonsense"], (id) => replay(globex.key, id))
      expect(new Set(answers.map(({ status, text }) => `${status} ${text}`))).toEqual(
        new Set([`404 {"status":"error","message":"No delivery with this id."}`])
      )
      expect(yield* queueRow(delivery_id)).toBeUndefined()
      yield* replay(acme.key, delivery_id)
      yield* remove(acme.key, webhook_id)
      expect((yield* replay(acme.key, delivery_id)).status).toBe(404)
      expect(yield* queueRow(delivery_id)).toBeUndefined()
    })
  )
})
