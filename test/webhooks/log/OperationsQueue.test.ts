/** Endpoints among the things that wait for a person. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { initiate, queueOf } from "../../payments/support/PaymentCalls.ts"
import { setThreshold } from "../../payments/support/ActionCalls.ts"
import { byPhone } from "../../payments/support/Requests.ts"
import { type Cast, people } from "../../support/TestCredentials.ts"
import { bodyOf } from "../../support/Send.ts"
import { copied, giveUpOn, settle } from "../DeliveryRows.ts"
import {
  dataOf,
  deliveries,
  get,
  type Hook,
  notify,
  onHookServer,
  patch,
  PUBLIC,
  registered,
  remove
} from "../WebhookFixtures.ts"

const dead = { status: "dead", attempts: 7, last_status_code: 503, last_error: "answered with status 503" } as const

/** Endpoint of its own, with so many dead deliveries; newest first. */
const withDeadLetters = (owner: Cast, count: number) =>
  Effect.gen(function* () {
    const { webhook_id } = yield* registered(owner.key)
    yield* Effect.replicateEffect(notify(owner.key, owner.org_id), count)
    const letters = yield* deliveries(owner.key, `&webhook_id=${webhook_id}`)
    for (const { delivery_id } of letters) yield* settle(delivery_id, dead)
    return { webhook_id, letters }
  })

const itemsAbout = (webhookId: string) =>
  Effect.flatMap(people, ({ acme }) =>
    Effect.map(queueOf(acme.token("staff")), (all) => all.filter((item) => item["webhook_id"] === webhookId))
  )

onHookServer("The operations queue", (it) => {
  it.effect("has one item for all the dead letters of an endpoint, until they are replayed", () =>
    Effect.gen(function* () {
      const { acme, globex } = yield* people
      const { letters, webhook_id } = yield* withDeadLetters(acme, 3)
      const oldest = letters.at(-1)!
      const item = {
        item_id: oldest.delivery_id,
        kind: "dead_letter",
        org_id: acme.org_id,
        payment_id: null,
        attempt_id: null,
        webhook_id,
        delivery_id: oldest.delivery_id,
        escrow_id: null,
        party_id: null,
        created_at: oldest.created_at
      }
      expect(yield* itemsAbout(webhook_id)).toEqual([
        {
          ...item,
          dead_letters: 3,
          detail: `3 deliveries to ${PUBLIC} failed for good; of the oldest: answered with status 503.`
        }
      ])
      expect(yield* queueOf(globex.key)).toEqual([])
      for (const { delivery_id } of letters.slice(0, 2)) {
        yield* settle(delivery_id, { ...dead, status: "delivered" })
      }
      expect(yield* itemsAbout(webhook_id)).toMatchObject([
        { ...item, dead_letters: 1, detail: expect.stringMatching(/^1 delivery to/) as string }
      ])
      yield* settle(oldest.delivery_id, { ...dead, status: "delivered" })
      expect(yield* itemsAbout(webhook_id)).toEqual([])
    })
  )

  it.effect("counts the dead letters of an endpoint up to a limit", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const { letters, webhook_id } = yield* withDeadLetters(acme, 1)
      yield* copied(letters[0]!.delivery_id, 1200)
      expect(yield* itemsAbout(webhook_id)).toMatchObject([
        { dead_letters: 1000, detail: expect.stringMatching(/^1000 or more deliveries to/) as string }
      ])
    })
  )

  it.effect("has every disabled endpoint and says why, until it is active again or gone", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const { letters, webhook_id } = yield* withDeadLetters(acme, 2)
      yield* giveUpOn(webhook_id, new Date(0))
      const { updated_at } = dataOf<Hook>(yield* get(acme.key, `/v1/public/webhooks/${webhook_id}`))
      const items = yield* itemsAbout(webhook_id)
      expect(items.map((item) => item["kind"]).toSorted()).toEqual(["dead_letter", "disabled_endpoint"])
      expect(items.find((item) => item["kind"] === "disabled_endpoint")).toEqual({
        item_id: webhook_id,
        kind: "disabled_endpoint",
        org_id: acme.org_id,
        payment_id: null,
        attempt_id: null,
        webhook_id,
        delivery_id: null,
        dead_letters: letters.length,
        escrow_id: null,
        party_id: null,
        detail: `${PUBLIC} is disabled. It failed for too long.`,
        created_at: updated_at
      })
      yield* patch(acme.key, webhook_id, { status: "active" })
      expect(yield* itemsAbout(webhook_id)).toMatchObject([{ kind: "dead_letter" }])
      yield* patch(acme.key, webhook_id, { status: "disabled" })
      const [byHand] = (yield* itemsAbout(webhook_id)).filter((item) => item["kind"] === "disabled_endpoint")
      expect(byHand).toMatchObject({ detail: `${PUBLIC} is disabled. Its owner did it.` })
      yield* remove(acme.key, webhook_id)
      expect(yield* itemsAbout(webhook_id)).toEqual([])
    })
  )

  it.effect("comes page by page, payments and endpoints each exactly once, newest first", () =>
    Effect.gen(function* () {
      const { globex } = yield* people
      yield* setThreshold(globex.org_id, "1")
      const made: Array<string> = []
      for (const letters of [1, 2]) {
        made.push((yield* withDeadLetters(globex, letters)).webhook_id)
        made.push((yield* initiate(byPhone(), globex.key)).payment_id)
        const { webhook_id } = yield* registered(globex.key)
        yield* patch(globex.key, webhook_id, { status: "disabled" })
        made.push(webhook_id)
      }
      const walked: Array<Readonly<Record<string, string | null>>> = []
      const counts: Array<number> = []
      let cursor: string | null = ""
      while (cursor !== null) {
        const next: string = cursor === "" ? "" : `&last_evaluated_key=${encodeURIComponent(cursor)}`
        const page = bodyOf(yield* get(globex.key, `/v1/operations/queue?limit=4${next}`)) as {
          readonly data: typeof walked
          readonly last_evaluated_key: string | null
        }
        counts.push(page.data.length)
        walked.push(...page.data)
        cursor = page.last_evaluated_key
      }
      expect(counts).toEqual([4, 2])
      const times = walked.map((item) => item["created_at"])
      expect(times).toEqual(times.toSorted().toReversed())
      expect(walked.map((item) => item["payment_id"] ?? item["webhook_id"]).toSorted()).toEqual(made.toSorted())
    })
  )
})
