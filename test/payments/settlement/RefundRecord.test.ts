/** Refunds as callers and receivers see them: on the record, in the timeline, in events. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { people } from "../../support/TestCredentials.ts"
import { newReceiver } from "../../webhooks/delivery/Receiver.ts"
import { registered } from "../../webhooks/WebhookFixtures.ts"
import {
  attemptsOf,
  callBack,
  eventually,
  get,
  initiate,
  ofKind,
  recordOf,
  timelineOf,
  eventsOfType
} from "../support/PaymentCalls.ts"
import { onDatabasePaymentServer, serveCountry } from "../support/PaymentServer.ts"
import { byCard } from "../support/Requests.ts"
import { accepts, declines, isLost } from "../support/ScriptedProvider.ts"
import { act, actable } from "../support/ActionCalls.ts"
import { came, payinAt, taken } from "../support/TransferReports.ts"

const make = () => {
  const stripe = actable("stripe")
  return { providers: [stripe], stripe }
}

onDatabasePaymentServer("A refund", make, (it, { stripe }) => {
  const paid = Effect.gen(function* () {
    yield* serveCountry("FR", ["stripe"])
    stripe.on("paid", accepts({ state: "completed" }))
    return yield* initiate({ ...byCard(), country: "FR", description: "paid" })
  })

  it.effect("stands on the record part by part, with what has gone back in all", () =>
    Effect.gen(function* () {
      const { payment_id, transaction_id } = yield* paid
      const before = yield* get(`/payments/${payment_id}`)
      expect(before.text).toContain('"refunds":[],"refunded_amount":0.00')
      stripe.will({ refund: accepts({ state: "completed" }) })
      yield* act(payment_id, { action: "refund", amount: 500, reason: "broken cup" })
      stripe.will({ refund: declines("the card is closed") })
      const { acme, admin } = yield* people
      yield* act(payment_id, { action: "refund", amount: 250.5 }, acme.token("staff"))
      stripe.will({ refund: isLost() })
      yield* act(payment_id, { action: "refund", amount: 100 }, admin)
      const seen = yield* get(`/payments/transaction/${transaction_id}`)
      expect(seen.text).toContain('"amount":250.50')
      expect(seen.text).toContain('"refunded_amount":500.00')
      const { refunds, status } = yield* recordOf(payment_id)
      expect(status).toBe("completed")
      const [done, declined, lost] = yield* refundAttempts(payment_id)
      const time = expect.stringMatching(/^\d{4}-\d{2}-\d{2}T[\d:.]+Z$/) as unknown
      expect(refunds).toEqual([
        {
          refund_id: done?.["attempt_id"],
          amount: 500,
          currency: "KES",
          target_amount: 500,
          target_currency: "KES",
          rate: null,
          rate_basis: null,
          state: "completed",
          reason: "broken cup",
          requested_by: expect.stringMatching(/^API key \S/),
          created_at: time,
          settled_at: time
        },
        {
          refund_id: declined?.["attempt_id"],
          amount: 250.5,
          currency: "KES",
          target_amount: 250.5,
          target_currency: "KES",
          rate: null,
          rate_basis: null,
          state: "failed",
          reason: null,
          requested_by: "staff@acme.example",
          created_at: time,
          settled_at: time
        },
        {
          refund_id: lost?.["attempt_id"],
          amount: 100,
          currency: "KES",
          target_amount: 100,
          target_currency: "KES",
          rate: null,
          rate_basis: null,
          state: "open",
          reason: null,
          requested_by: expect.stringMatching(/^platform admin [\da-f-]{36}$/),
          created_at: time,
          settled_at: null
        }
      ])
      yield* callBack("stripe", { key: `end ${payment_id}`, reference: String(lost?.["attempt_id"]), state: "failed" })
    })
  )

  const refundAttempts = (id: string) =>
    Effect.map(attemptsOf(id), (all) => all.filter((one) => one["leg"] === "refund"))

  it.effect("has its amount in the timeline, where other attempts have none", () =>
    Effect.gen(function* () {
      const { payment_id } = yield* paid
      stripe.will({ refund: accepts({ state: "completed" }) })
      yield* act(payment_id, { action: "refund", amount: 500 })
      const { text } = yield* get(`/payments/${payment_id}/timeline`)
      expect(text).toContain('"amount":500.00,"currency":"KES"')
      expect(yield* attemptsOf(payment_id)).toMatchObject([
        { leg: "payment", amount: null, currency: null },
        { leg: "refund", amount: 500, currency: "KES", outcome: "accepted" }
      ])
    })
  )

  it.effect("is published as a dispute if the provider took all of it back", () =>
    Effect.gen(function* () {
      const { payment_id, says } = yield* Effect.tap(payinAt(stripe), (one) => one.says(came(1500)))
      yield* says(taken(1500))
      const [dispute, ...others] = (yield* eventsOfType(payment_id, "transaction.updated")).filter(
        (one) => "dispute" in one
      )
      expect(others).toEqual([])
      expect(dispute).toMatchObject({
        ...{ status: "refunded", previous_status: "completed" },
        dispute: { kind: "returned", amount: 1500, currency: "KES" }
      })
      expect(yield* eventsOfType(payment_id, "payment.refunded")).toMatchObject([
        { refund_id: null, amount: 1500, dispute: { kind: "returned", amount: 1500 } }
      ])
    })
  )

  it.effect("is published part by part, with the part and with all that has gone back", () =>
    Effect.gen(function* () {
      const { payment_id } = yield* paid
      stripe.will({ refund: accepts({ state: "completed" }) })
      yield* act(payment_id, { action: "refund", amount: 500 })
      yield* act(payment_id, { action: "refund" })
      const parts = yield* refundAttempts(payment_id)
      const published = yield* eventsOfType(payment_id, "payment.refunded")
      expect(published).toMatchObject([
        {
          status: "completed",
          previous_status: "completed",
          refund_id: parts[0]?.["attempt_id"],
          amount: 500,
          currency: "KES",
          refunded_amount: 500
        },
        {
          status: "refunded",
          previous_status: "completed",
          refund_id: parts[1]?.["attempt_id"],
          amount: 1000,
          refunded_amount: 1500
        }
      ])
      expect(yield* eventsOfType(payment_id, "payment.refund_failed")).toEqual([])
      expect(yield* recordOf(payment_id)).toMatchObject({ status: "refunded", refunded_amount: 1500 })
    })
  )

  it.scoped("has its deliveries in the timeline, whether the payment's state changed or not", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const receiver = yield* newReceiver()
      yield* registered(acme.key, { endpoint_url: receiver.url, events: ["payment.refunded"] })
      const { payment_id } = yield* paid
      stripe.will({ refund: accepts() })
      yield* act(payment_id, { action: "refund", amount: 500 })
      const [part] = yield* refundAttempts(payment_id)
      const reference = String(part?.["attempt_id"])
      yield* callBack("stripe", { key: `told ${payment_id}`, reference, state: "completed" })
      const deliveries = Effect.map(timelineOf(payment_id), (items) => ofKind(items, "delivery"))
      const published = yield* eventually(deliveries, ([one]) => one?.["status"] === "delivered")
      expect(published).toMatchObject([{ event_type: "payment.refunded" }])
    })
  )

  it.effect("that fails is published as well, and so is one that comes back", () =>
    Effect.gen(function* () {
      const { payment_id } = yield* paid
      stripe.will({ refund: declines("the card is closed") })
      yield* act(payment_id, { action: "refund", amount: 500 })
      const [declined] = yield* refundAttempts(payment_id)
      const first = { refund_id: declined?.["attempt_id"], amount: 500, refunded_amount: 0, status: "completed" }
      expect(yield* eventsOfType(payment_id, "payment.refund_failed")).toMatchObject([first])
      stripe.will({ refund: accepts({ state: "completed" }) })
      yield* act(payment_id, { action: "refund", amount: 400 })
      const [, bounced] = yield* refundAttempts(payment_id)
      const reference = String(bounced?.["attempt_id"])
      yield* callBack("stripe", { key: `bounced ${payment_id}`, reference, state: "returned" })
      expect(yield* eventsOfType(payment_id, "payment.refund_failed")).toMatchObject([
        first,
        { refund_id: reference, amount: 400, refunded_amount: 0 }
      ])
      expect(yield* recordOf(payment_id)).toMatchObject({
        refunded_amount: 0,
        refunds: [{ state: "failed" }, { state: "failed" }]
      })
    })
  )

  it.effect("by the provider itself is the whole payment, and no requested part", () =>
    Effect.gen(function* () {
      const { payment_id } = yield* paid
      const [payment] = yield* attemptsOf(payment_id)
      const reference = String(payment?.["attempt_id"])
      yield* callBack("stripe", { key: `taken ${payment_id}`, reference, state: "returned" })
      expect(yield* recordOf(payment_id)).toMatchObject({ status: "refunded", refunded_amount: 1500, refunds: [] })
      expect(yield* eventsOfType(payment_id, "payment.refunded")).toMatchObject([
        { refund_id: null, amount: 1500, refunded_amount: 1500 }
      ])
    })
  )
})
