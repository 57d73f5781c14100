import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { WorkQueues } from "../../../src/platform/database/WorkQueues.ts"
import { people } from "../../support/TestCredentials.ts"
import { bodyOf } from "../../support/Send.ts"
import { dataOf, deliveries, get, notify, onHookServer, patch, registered } from "../WebhookFixtures.ts"

interface Notified {
  readonly event_id: string
  readonly endpoints: number
}

/** The text of the answer, so that the digits of a number are in sight; the trace is no part of what is sent. */
const eventText = (credential: Parameters<typeof get>[0], eventId: string) =>
  Effect.map(get(credential, "/v1/public/events?limit=100"), (answer) => {
    const text = answer.text.replaceAll(/,"traceparent":"[\da-f-]{55}"/g, "")
    const at = text.indexOf(`{"event_id":"${eventId}"`)
    expect(at, text).toBeGreaterThan(-1)
    return text.slice(at, text.indexOf("}}", at) + 2)
  })

onHookServer("A test notification", (it) => {
  it.effect("goes to every active endpoint of the organisation, whatever it asks for, and to no other", () =>
    Effect.gen(function* () {
      const { acme, globex } = yield* people
      const [all, picky, disabled, theirs] = yield* Effect.all([
        registered(acme.key),
        registered(acme.key, { events: ["kyb.rejected"] }),
        registered(acme.key),
        registered(globex.key)
      ])
      yield* patch(acme.key, disabled.webhook_id, { status: "disabled" })
      const answer = yield* notify(acme.key, acme.org_id)
      expect(answer.status).toBe(200)
      const { endpoints, event_id } = dataOf<Notified>(answer)
      expect(endpoints).toBe(2)
      const sent = (yield* deliveries(acme.key)).filter((delivery) => delivery.event_id === event_id)
      expect(sent.map((one) => one.webhook_id).toSorted()).toEqual([all.webhook_id, picky.webhook_id].toSorted())
      for (const delivery of sent) {
        expect(delivery).toMatchObject({ event_type: "transaction.updated", status: "pending", attempts: 0 })
        expect(delivery.next_attempt_at).not.toBeNull()
      }
      expect(yield* deliveries(globex.key, `&webhook_id=${theirs.webhook_id}`)).toEqual([])
    })
  )

  it.effect("calls the worker, as every event does", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const { attach } = yield* WorkQueues
      const announced: Array<readonly [string, number]> = []
      yield* attach((queue, inMillis) => announced.push([queue, inMillis]))
      yield* notify(acme.key, acme.org_id)
      expect(announced).toEqual([["webhooks", 0]])
    }).pipe(Effect.scoped)
  )

  it.effect("carries what was sent, the amount with its fraction, and says that it is a test", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const written = [
        [{ amount: 1500, currency: "KES" }, `"amount":1500.00,"currency":"KES"`],
        [{ amount: 0.1, currency: "USD" }, `"amount":0.10,"currency":"USD"`],
        [{ amount: 1500, currency: "UGX" }, `"amount":1500.0,"currency":"UGX"`],
        [{ amount: 2.5, currency: "KWD" }, `"amount":2.500,"currency":"KWD"`],
        [{ amount: 0.5, currency: "USDC" }, `"amount":0.500000,"currency":"USDC"`]
      ] as const
      for (const [sent, expected] of written) {
        const { event_id } = dataOf<Notified>(yield* notify(acme.key, acme.org_id, sent))
        const text = yield* eventText(acme.key, event_id)
        expect(text).toContain(expected)
        expect(JSON.parse(text)).toEqual({
          event_id,
          event_type: "transaction.updated",
          org_id: acme.org_id,
          created_at: expect.stringMatching(/Z$/),
          data: {
            transaction_id: "tx-1",
            status: "completed",
            ...sent,
            updated_at: "2026-03-02T09:15:00Z",
            test: true
          }
        })
      }
    })
  )

  it.effect("is an event even without a receiver", () =>
    Effect.gen(function* () {
      const { admin, globex } = yield* people
      const hooks = dataOf<ReadonlyArray<{ webhook_id: string }>>(
        yield* get(globex.key, "/v1/public/webhooks?limit=100")
      )
      for (const { webhook_id } of hooks) yield* patch(globex.key, webhook_id, { status: "disabled" })
      const { endpoints, event_id } = dataOf<Notified>(yield* notify(admin, globex.org_id))
      expect(endpoints).toBe(0)
      expect(yield* eventText(globex.key, event_id)).toContain(`"test":true`)
    })
  )

  it.effect.each([
    [{ transaction_id: "" }, "transaction_data.transaction_id"],
    [{ transaction_id: 7 }, "transaction_data.transaction_id"],
    [{ status: null }, "transaction_data.status"],
    [{ amount: "1500" }, "transaction_data.amount"],
    [{ amount: 0 }, "transaction_data.amount"],
    [{ amount: 1.234 }, "transaction_data.amount"],
    [{ currency: "kes" }, "transaction_data.currency"],
    [{ currency: undefined }, "transaction_data.currency"],
    [{ updated_at: "yesterday" }, "transaction_data.updated_at"],
    [{ updated_at: "2026-13-02T09:15:00Z" }, "transaction_data.updated_at"]
  ] as const)("is refused with %j, naming %s", ([change, field]) =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const answer = yield* notify(acme.key, acme.org_id, change)
      expect(answer.status).toBe(400)
      const { message } = bodyOf(answer) as { readonly message: string }
      expect(message.startsWith(`${field}: `), message).toBe(true)
    })
  )

  it.effect("may be as large as 64 KiB, and no larger", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const { event_id } = dataOf<Notified>(yield* notify(acme.key, acme.org_id, { transaction_id: "é" }))
      const room = 64 * 1024 - Buffer.byteLength(yield* eventText(acme.key, event_id))
      const padded = (letters: number) => notify(acme.key, acme.org_id, { transaction_id: `é${"x".repeat(letters)}` })
      expect((yield* padded(room)).status).toBe(200)
      const refused = yield* padded(room + 1)
      expect(refused.status).toBe(400)
      expect(bodyOf(refused)).toEqual({
        status: "error",
        message: expect.stringMatching(/^transaction_data: .*64 KiB/)
      })
    })
  )

  it.effect("needs the organisation's name, and its own", () =>
    Effect.gen(function* () {
      const { acme, globex } = yield* people
      expect((yield* notify(acme.key, globex.org_id)).status).toBe(403)
      const nameless = yield* notify(acme.key, undefined as unknown as string)
      expect([nameless.status, bodyOf(nameless)]).toEqual([
        400,
        { status: "error", message: expect.stringMatching(/^org_id: /) }
      ])
    })
  )
})
