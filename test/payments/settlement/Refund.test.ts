import { expect } from "@effect/vitest"
import { Effect, Option } from "effect"
import { AttemptId, type PaymentId, Ids } from "../../../src/domain/Ids.ts"
import { operatorPermit } from "../../../src/domain/Access.ts"
import { LedgerStore } from "../../../src/money/ledger/LedgerStore.ts"
import { PaymentStore } from "../../../src/payments/store/PaymentStore.ts"
import { Resolution } from "../../../src/payments/settlement/Resolution.ts"
import { people } from "../../support/TestCredentials.ts"
import { post } from "../../support/Send.ts"
import {
  attemptsOf,
  callBack,
  eventually,
  get,
  initiate,
  type Json,
  jsonOf,
  queueOf,
  recordOf,
  untilStatus
} from "../support/PaymentCalls.ts"
import { onDatabasePaymentServer, serveCountry } from "../support/PaymentServer.ts"
import { eventsOf, movableClock, timePasses } from "../support/PaymentServices.ts"
import { byCard, byPhone, kenyanPhone, payoutByPhone } from "../support/Requests.ts"
import { accepts, declines, isLost, reports } from "../support/ScriptedProvider.ts"
import { act, actable } from "../support/ActionCalls.ts"
import { clearingOf } from "../support/PayinBalances.ts"

const make = () => {
  const stripe = actable("stripe")
  return { providers: [stripe], stripe, clock: movableClock() }
}

const refundsOf = (paymentId: PaymentId) =>
  Effect.gen(function* () {
    const store = yield* PaymentStore
    const payment = yield* Effect.flatten(store.find(Option.none(), paymentId))
    return { payment, refunds: payment.refunds }
  })

const statesOf = (paymentId: PaymentId) =>
  Effect.map(refundsOf(paymentId), ({ refunds }) => refunds.map(({ state }) => state))

const partsOf = (paymentId: PaymentId) =>
  Effect.map(attemptsOf(paymentId), (all) => all.filter((one) => one["leg"] === "refund"))

onDatabasePaymentServer("Refunds", make, (it, { clock, stripe }) => {
  const paid = (about: Json = {}) =>
    Effect.gen(function* () {
      yield* serveCountry("FR", ["stripe"])
      stripe.on("paid", accepts({ state: "completed" }))
      const { payment_id, response } = yield* initiate({ ...byCard(), country: "FR", description: "paid", ...about })
      expect(response).toMatchObject({ status: "completed" })
      return payment_id
    })

  it.effect("give everything back at the built-in simulator", () =>
    Effect.gen(function* () {
      const { payment_id } = yield* initiate(byPhone())
      yield* untilStatus(payment_id, "completed")
      const answer = yield* act(payment_id, { action: "refund" })
      expect(answer).toMatchObject({ status: 200, response: { payment_id, status: "completed", provider: "fiat" } })
      yield* untilStatus(payment_id, "refunded")
      expect(yield* partsOf(payment_id)).toMatchObject([{ provider: "fiat", outcome: "accepted" }])
      const events = yield* eventsOf(payment_id)
      expect(JSON.parse(events.at(-1)?.payload ?? "")).toMatchObject({
        event_type: "transaction.updated",
        data: { status: "refunded", previous_status: "completed" }
      })
      const again = yield* act(payment_id, { action: "refund" })
      expect(again).toMatchObject({ status: 409, body: { code: "INVALID_STATE", payment_id } })
      expect(again.body["message"]).toContain("refunded")
    })
  )

  it.effect("add up part by part to what was paid, and to no more", () =>
    Effect.gen(function* () {
      const id = yield* paid()
      stripe.will({ refund: accepts({ state: "completed" }) })
      const before = stripe.refunds.length
      expect((yield* act(id, { action: "refund", amount: 500 })).response).toMatchObject({ status: "completed" })
      expect((yield* act(id, { action: "refund", amount: 600.5 })).response).toMatchObject({ status: "completed" })
      const tooMuch = yield* act(id, { action: "refund", amount: 399.51 })
      expect(tooMuch).toMatchObject({ status: 409, body: { code: "INVALID_STATE" } })
      expect(tooMuch.body["message"]).toContain("399.50 KES")
      expect((yield* act(id, { action: "refund" })).response).toMatchObject({ status: "refunded" })
      const orders = stripe.refunds.slice(before)
      expect(orders.map(({ money }) => money.toString())).toEqual(["500.00 KES", "600.50 KES", "399.50 KES"])
      const [payment] = yield* attemptsOf(id)
      expect(new Set(orders.map(({ attempt }) => attempt.reference))).toEqual(new Set([payment?.["attempt_id"]]))
      expect(orders.map(({ reference }) => reference)).toEqual((yield* partsOf(id)).map((one) => one["attempt_id"]))
    })
  )

  it.effect("of a payment in two currencies add up on both sides", () =>
    Effect.gen(function* () {
      const path = "/organizations/admin/exchange-rate?fromCurrency=KES&toCurrency=USD&amount=1000.01"
      const rate = jsonOf(yield* get(path))["data"] as Json
      const id = yield* paid({
        amount: 1000.01,
        target_amount: rate["target_amount"],
        target_currency: "USD",
        org_rate_id: rate["org_rate_id"]
      })
      stripe.will({ refund: accepts({ state: "completed" }) })
      for (const amount of [0.65, 0.65, 333.33]) yield* act(id, { action: "refund", amount })
      const { payment, refunds } = yield* refundsOf(id)
      // Rounded up: 0.65 times 0.00774 is 0.005031, twice that 0.010062, all three parts 2.5900362.
      expect(refunds.map(({ target }) => target.toString())).toEqual(["0.01 USD", "0.01 USD", "2.58 USD"])
      expect((yield* act(id, { action: "refund" })).response).toMatchObject({ status: "refunded" })
      const after = yield* refundsOf(id)
      const back = after.refunds.reduce((total, one) => total + one.target.minor, 0n)
      expect(back).toBe(payment.target.minor)
    })
  )

  it.effect("lose nothing by rounding, though one is still on its way, nor when that one fails", () =>
    Effect.gen(function* () {
      const path = "/organizations/admin/exchange-rate?fromCurrency=KES&toCurrency=USD&amount=1000.65"
      const rate = jsonOf(yield* get(path))["data"] as Json
      // Worth 7.745031 USD, and rounded up.
      expect(rate["target_amount"]).toBe(7.75)
      const id = yield* paid({
        amount: 1000.65,
        target_amount: rate["target_amount"],
        target_currency: "USD",
        org_rate_id: rate["org_rate_id"]
      })
      const lost = Effect.map(
        Effect.flatMap(LedgerStore, ({ check }) => check),
        ({ problems }) => problems.filter(({ subject }) => subject === id).map(({ message }) => message)
      )
      const targets = Effect.map(refundsOf(id), ({ refunds }) => refunds.map(({ target }) => target.toString()))
      stripe.will({ refund: accepts() })
      yield* act(id, { action: "refund", amount: 0.66 })
      stripe.will({ refund: accepts({ state: "completed" }) })
      yield* act(id, { action: "refund", amount: 999.99 })
      expect(yield* targets).toEqual(["0.02 USD", "7.73 USD"])
      expect(yield* lost).toEqual([])
      const reference = String((yield* partsOf(id))[0]?.["attempt_id"])
      yield* callBack("stripe", { key: "rounded", reference, state: "failed" })
      expect(yield* statesOf(id)).toEqual(["failed", "completed"])
      expect((yield* targets)[1], "999.99 of 1000.65 cost all that they brought").toBe("7.75 USD")
      expect(yield* lost).toEqual([])
    })
  )

  it.effect("with an idempotency key are made once, however often and at once they are asked for", () =>
    Effect.gen(function* () {
      const id = yield* paid()
      stripe.will({ refund: accepts({ state: "completed" }) })
      const keyed = (amount: number) =>
        act(id, { action: "refund", amount }, undefined, { "idempotency-key": `refund of ${id}`.replaceAll(" ", "-") })
      const answers = yield* Effect.all(
        Array.from({ length: 4 }, () => keyed(100)),
        { concurrency: "unbounded" }
      )
      const made = answers.filter((one) => one.status === 200 && one.headers["idempotent-replayed"] === undefined)
      expect(made).toHaveLength(1)
      for (const one of answers) expect([200, 409]).toContain(one.status)
      const again = yield* keyed(100)
      expect(again).toMatchObject({ status: 200, body: made[0]?.body, headers: { "idempotent-replayed": "true" } })
      expect(yield* keyed(200)).toMatchObject({ status: 409, body: { code: "IDEMPOTENCY_CONFLICT" } })
      expect(yield* statesOf(id)).toEqual(["completed"])
    })
  )

  it.effect("that the provider declines leave everything as it was", () =>
    Effect.gen(function* () {
      const id = yield* paid()
      stripe.will({ refund: declines("the card is closed") })
      const answer = yield* act(id, { action: "refund" })
      expect(answer).toMatchObject({ status: 409, body: { code: "INVALID_STATE", payment_id: id } })
      expect(answer.body["message"]).toContain("the card is closed")
      expect((yield* refundsOf(id)).refunds).toMatchObject([{ state: "failed" }])
      stripe.will({ refund: accepts({ state: "completed" }) })
      expect((yield* act(id, { action: "refund" })).response).toMatchObject({ status: "refunded" })
    })
  )

  it.effect("whose outcome is unknown stay open, and are asked about, not sent again", () =>
    Effect.gen(function* () {
      const id = yield* paid()
      stripe.will({ refund: isLost() })
      const before = stripe.refunds.length
      expect(yield* act(id, { action: "refund", amount: 1000 })).toMatchObject({
        status: 200,
        response: { status: "completed" }
      })
      expect(yield* recordOf(id)).toMatchObject({ status: "completed", provider_status: "taken" })
      expect((yield* act(id, { action: "refund", amount: 501 })).status).toBe(409)
      const [order] = stripe.refunds.slice(before)
      stripe.says(order?.reference ?? "", reports("completed"))
      yield* timePasses(clock, "11 seconds")
      yield* eventually(statesOf(id), (states) => states[0] === "completed")
      expect(stripe.refunds.slice(before)).toHaveLength(1)
      stripe.will({ refund: accepts() })
      yield* act(id, { action: "refund" })
      const [, rest] = stripe.refunds.slice(before)
      yield* callBack("stripe", { key: `rest ${id}`, reference: rest?.reference ?? "", state: "completed" })
      expect(yield* recordOf(id)).toMatchObject({ status: "refunded" })
    })
  )

  it.effect("whose outcome stays unknown are settled by hand, once, and the money is returned once", () =>
    Effect.gen(function* () {
      const operator = operatorPermit("platform", "amina")
      const resolve = (id: PaymentId, outcome: "completed" | "failed") =>
        Effect.flatMap(Resolution, (one) => one.resolve(operator, id, { outcome, reason: "seen in its books" }))
      const id = yield* paid()
      stripe.will({ refund: isLost() })
      yield* act(id, { action: "refund", amount: 1000 })
      expect(yield* resolve(id, "failed")).toMatchObject({ status: "completed" })
      expect(yield* statesOf(id)).toEqual(["failed"])
      expect(yield* Effect.flip(resolve(id, "completed"))).toMatchObject({ _tag: "Conflict" })
      yield* act(id, { action: "refund" })
      expect(yield* resolve(id, "completed")).toMatchObject({ status: "refunded" })
      expect(yield* statesOf(id)).toEqual(["failed", "completed"])
      expect(yield* Effect.flip(resolve(id, "completed"))).toMatchObject({ _tag: "Conflict" })
      expect((yield* act(id, { action: "refund" })).status).toBe(409)
    })
  )

  it.effect("that a crash cut off between their commit and the call are looked up, and never sent", () =>
    Effect.gen(function* () {
      const store = yield* PaymentStore
      const ids = yield* Ids
      const cutOff = (id: PaymentId) =>
        Effect.gen(function* () {
          const { payment } = yield* refundsOf(id)
          const attempt_id = yield* ids.make(AttemptId)
          const at = new Date(clock.unsafeCurrentTimeMillis())
          const attempt = {
            attempt_id,
            provider: "stripe",
            config_id: null,
            account: null,
            own_account: false,
            started_at: at,
            enquire_in: 45
          } as const
          const newRefund = { refund_id: attempt_id, amount: payment.amount, target: payment.target }
          const part = { ...newRefund, state: "open" as const, reason: null, created_at: at, settled_at: null }
          const written = yield* store.apply({
            payment,
            status: payment.status,
            patch: { refunds: [part] },
            cause: "refund asked for",
            at,
            nextAttempt: { ...attempt, leg: "refund" },
            events: []
          })
          expect(written).toBe(true)
          stripe.funds.opened(attempt_id, payment.amount, -1n, payment.taken_by ?? "")
          return attempt_id
        })
      const [lost, done] = [yield* paid(), yield* paid()]
      yield* cutOff(lost)
      stripe.says(yield* cutOff(done), reports("completed"))
      const before = stripe.refunds.length
      expect((yield* act(lost, { action: "refund" })).status).toBe(409)
      yield* timePasses(clock, "70 seconds")
      yield* untilStatus(done, "refunded")
      yield* eventually(statesOf(lost), (states) => states[0] === "failed")
      expect(stripe.refunds.slice(before)).toEqual([])
      expect(yield* recordOf(lost)).toMatchObject({ status: "completed" })
    })
  )

  it.effect("that complete after the provider took the money back anyway are shown to an operator", () =>
    Effect.gen(function* () {
      const id = yield* paid()
      stripe.will({ refund: accepts() })
      const before = stripe.refunds.length
      yield* act(id, { action: "refund", amount: 100 })
      const [payment] = yield* attemptsOf(id)
      yield* callBack("stripe", {
        key: `back ${id}`,
        reference: String(payment?.["attempt_id"]),
        state: "returned",
        taken: { amount: "1500.00", currency: "KES" }
      })
      expect(yield* recordOf(id)).toMatchObject({ status: "refunded" })
      const [order] = stripe.refunds.slice(before)
      yield* callBack("stripe", { key: `too ${id}`, reference: order?.reference ?? "", state: "completed" })
      expect((yield* refundsOf(id)).refunds).toMatchObject([{ state: "completed" }])
      const items = (yield* queueOf()).filter((item) => item["payment_id"] === id)
      expect(items).toMatchObject([{ kind: "suspense", attempt_id: payment?.["attempt_id"] }])
      expect(yield* clearingOf(id), "1500 came, 1600 went").toEqual(["-1500.00 KES"])
    })
  )

  it.effect("are for completed payins, sane amounts and people who may, who are remembered", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const id = yield* paid()
      const before = stripe.refunds.length
      for (const amount of [0, -5, 1.005, "100", 1234567890123456]) {
        expect(yield* act(id, { action: "refund", amount }), String(amount)).toMatchObject({
          status: 400,
          body: { code: "VALIDATION_ERROR" }
        })
      }
      expect(yield* act(id, { action: "refund" }, acme.token("member"))).toMatchObject({
        status: 403,
        body: { code: "FORBIDDEN" }
      })
      const open = yield* initiate(byPhone("+254712340002"))
      expect((yield* act(open.payment_id, { action: "refund" })).status).toBe(409)
      const beneficiary = jsonOf(yield* post("/v1/beneficiaries", { ...acme.key }, kenyanPhone()))["data"] as Json
      const payout = yield* initiate(payoutByPhone(String(beneficiary["beneficiary_id"])))
      yield* untilStatus(payout.payment_id, "completed")
      expect((yield* act(payout.payment_id, { action: "refund" })).status).toBe(409)
      expect(stripe.refunds.slice(before)).toEqual([])
      stripe.will({ refund: accepts({ state: "completed" }) })
      const allowed = yield* act(id, { action: "refund", amount: 10, reason: "broken cup" }, acme.token("staff"))
      expect(allowed.status).toBe(200)
      const audit = jsonOf(yield* get("/audit-log?action=payment.refund_requested"))["data"] as ReadonlyArray<Json>
      expect(audit[0]).toMatchObject({
        actor_id: acme.userId("staff"),
        subject_id: id,
        detail: { amount: "10.00", currency: "KES", reason: "broken cup" }
      })
    })
  )
})
