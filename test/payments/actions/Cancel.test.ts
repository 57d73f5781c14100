import { SqlClient } from "@effect/sql"
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import type { Outcome } from "../../../src/domain/Outcome.ts"
import {
  attemptsOf,
  callBack,
  eventually,
  initiate,
  ofKind,
  queueOf,
  recordOf,
  timelineOf,
  untilStatus
} from "../support/PaymentCalls.ts"
import { leisurely, onDatabasePaymentServer, serveCountry } from "../support/PaymentServer.ts"
import { eventsOf } from "../support/PaymentServices.ts"
import { byBank, byCard, byPhone } from "../support/Requests.ts"
import { accepts, isLost, scripted } from "../support/ScriptedProvider.ts"
import { act, actable } from "../support/ActionCalls.ts"

const make = () => {
  const stripe = actable("stripe")
  const paypal = scripted("paypal")
  return { providers: [stripe, paypal], stripe, paypal, variables: leisurely }
}

onDatabasePaymentServer("Cancellation", make, (it, { paypal, stripe }) => {
  const taken = (outcome: Outcome = accepts({ state: "pending", nextAction: "redirect" })) =>
    Effect.gen(function* () {
      yield* serveCountry("FR", ["stripe"])
      stripe.on("cancel", outcome)
      const { payment_id } = yield* initiate({ ...byCard(), country: "FR", description: "cancel" })
      const [attempt] = yield* attemptsOf(payment_id)
      return { id: payment_id, reference: String(attempt?.["attempt_id"]) }
    })

  it.effect("is confirmed by the built-in simulator, whose later callback changes nothing", () =>
    Effect.gen(function* () {
      const { payment_id } = yield* initiate(byBank())
      const answer = yield* act(payment_id, { action: "cancel", reason: "ordered twice" })
      expect(answer).toMatchObject({ status: 200, response: { payment_id, status: "canceled" } })
      expect(answer.response).not.toHaveProperty("next_action")
      const items = yield* eventually(timelineOf(payment_id), (all) => ofKind(all, "callback").length > 0)
      expect(ofKind(items, "callback")).toMatchObject([{ report: "failed", effect: "nothing to change" }])
      const statuses = ofKind(items, "status")
      expect(statuses.at(-1)).toMatchObject({ from: "pending", to: "canceled" })
      expect(statuses.at(-1)?.["cause"]).toMatch(/^canceled by API key \S.*: ordered twice$/)
      expect((yield* recordOf(payment_id))["status"]).toBe("canceled")
      const published = (yield* eventsOf(payment_id)).map((event) => event.event_type)
      expect(published.filter((type) => type === "payment.failed")).toEqual([])
      expect(published.at(-1)).toBe("transaction.updated")
      expect((yield* act(payment_id, { action: "cancel" })).status).toBe(409)
    })
  )

  it.effect("and a refund name a provider that was switched off since, and not what it can do", () =>
    Effect.gen(function* () {
      const { id } = yield* taken()
      const { payment_id } = yield* initiate(byPhone())
      yield* untilStatus(payment_id, "completed")
      const sql = yield* Effect.serviceOptional(SqlClient.SqlClient)
      yield* sql`update attempts set provider = 'coinbase' where payment_id in ${sql.in([id, payment_id])}`
      yield* sql`update payments set provider = 'coinbase' where payment_id in ${sql.in([id, payment_id])}`
      const answers = [yield* act(id, { action: "cancel" }), yield* act(payment_id, { action: "refund" })]
      for (const { body, status } of answers) {
        expect(status).toBe(409)
        expect(body["message"]).toContain("coinbase is switched off here")
      }
    })
  )

  it.effect("comes too late for what is completed", () =>
    Effect.gen(function* () {
      const { payment_id } = yield* initiate(byPhone())
      yield* untilStatus(payment_id, "completed")
      const answer = yield* act(payment_id, { action: "cancel" })
      expect(answer).toMatchObject({ status: 409, body: { code: "INVALID_STATE", payment_id } })
      expect(answer.body["message"]).toContain("completed")
    })
  )

  it.effect("changes nothing when the provider refuses, does not answer, or cannot", () =>
    Effect.gen(function* () {
      const { id } = yield* taken()
      for (const cancel of ["refused", "unknown", Effect.die("the adapter broke")] as const) {
        stripe.will({ cancel })
        expect(yield* act(id, { action: "cancel" })).toMatchObject({ status: 409, body: { code: "INVALID_STATE" } })
        expect(yield* recordOf(id)).toMatchObject({ status: "pending" })
      }
      yield* serveCountry("BE", ["paypal"])
      paypal.on("cancel", accepts())
      const { payment_id } = yield* initiate({ ...byCard(), country: "BE", description: "cancel" })
      expect((yield* act(payment_id, { action: "cancel" })).status).toBe(409)
    })
  )

  it.effect("that its provider only takes note of is 409, and canceled by its provider's report", () =>
    Effect.gen(function* () {
      const { id, reference } = yield* taken()
      stripe.will({ cancel: "asked" })
      const answer = yield* act(id, { action: "cancel" })
      expect(answer).toMatchObject({ status: 409, body: { code: "INVALID_STATE" } })
      expect(answer.body["message"]).toContain("stripe was asked to cancel it, and tells later whether it did")
      expect(yield* recordOf(id)).toMatchObject({ status: "pending" })
      yield* callBack("stripe", { key: `off ${reference}`, reference, state: "returned", calledOff: true })
      expect(yield* recordOf(id)).toMatchObject({ status: "canceled" })
      const published = (yield* eventsOf(id)).map((event) => event.event_type)
      expect(published.filter((type) => /canceled|failed/.test(type))).toEqual(["payment.canceled"])
    })
  )

  it.effect("is refused while the outcome of the payment is unknown", () =>
    Effect.gen(function* () {
      const { id } = yield* taken(isLost())
      stripe.will({ cancel: "canceled" })
      expect((yield* act(id, { action: "cancel" })).status).toBe(409)
      expect(yield* recordOf(id)).toMatchObject({ status: "pending" })
    })
  )

  it.effect("gives way to a completion that was faster", () =>
    Effect.gen(function* () {
      const { id, reference } = yield* taken()
      const paid = callBack("stripe", { key: `paid ${reference}`, reference, state: "completed" })
      const services = yield* Effect.context<Effect.Effect.Context<typeof paid>>()
      stripe.will({ cancel: Effect.as(Effect.orDie(Effect.provide(paid, services)), "canceled" as const) })
      expect((yield* act(id, { action: "cancel" })).status).toBe(409)
      expect(yield* recordOf(id)).toMatchObject({ status: "completed" })
    })
  )

  it.effect("shows an operator the money that arrives all the same", () =>
    Effect.gen(function* () {
      const { id, reference } = yield* taken()
      stripe.will({ cancel: "canceled" })
      expect((yield* act(id, { action: "cancel" })).response).toMatchObject({ status: "canceled" })
      yield* callBack("stripe", { key: `late ${reference}`, reference, state: "completed" })
      expect(yield* recordOf(id)).toMatchObject({ status: "canceled" })
      const items = (yield* queueOf()).filter((item) => item["payment_id"] === id)
      expect(items).toMatchObject([{ kind: "suspense" }])
    })
  )
})
