/** Money that goes back once, when several things go wrong together. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { act, type Actable } from "../support/ActionCalls.ts"
import { attemptsOf, callBack, initiate, recordOf, untilStatus } from "../support/PaymentCalls.ts"
import { onDatabasePaymentServer, serveCountry } from "../support/PaymentServer.ts"
import { byCard } from "../support/Requests.ts"
import { accepts, declines, isLost } from "../support/ScriptedProvider.ts"
import { giveBack, itemsOf, resolve } from "../support/OperatorActions.ts"
import { paidRamp } from "../support/PaidRamp.ts"
import { at, attemptsFor, paysIn, suspenseOf, threeProviders } from "../support/PayinBalances.ts"
import { onRamp } from "../support/RampCalls.ts"

onDatabasePaymentServer("what goes back goes once", threeProviders, (it, { adyen, circle, stripe }) => {
  it.effect(
    "a ramp's collected money goes back through its collector, though another provider reports money later",
    () =>
      Effect.gen(function* () {
        circle.otherwise(declines("sanctioned address"))
        yield* serveCountry("FI", ["adyen", "stripe"], "bank_transfer", "inbound")
        yield* serveCountry("FI", ["circle"], "crypto", "outbound")
        adyen.otherwise(declines("not today"))
        stripe.otherwise(accepts({ state: "pending", nextAction: "bank_transfer" }))
        const { payment_id } = yield* onRamp("FI")
        const [first, second] = yield* attemptsOf(payment_id)
        expect([first?.["provider"], second?.["provider"]]).toEqual(["adyen", "stripe"])
        yield* callBack("stripe", { key: "FI paid", reference: String(second?.["attempt_id"]), state: "completed" })
        yield* untilStatus(payment_id, "failed")
        yield* callBack("adyen", { key: "FI late", reference: String(first?.["attempt_id"]), state: "completed" })
        stripe.will({ refund: accepts({ state: "completed" }) })
        adyen.will({ refund: accepts({ state: "completed" }) })
        const sums = (provider: Actable) => provider.refunds.map(({ money }) => money.toString())
        const items = (yield* itemsOf(payment_id)).map((one) => String(one["item_id"]))
        const unnamed = yield* Effect.flip(giveBack(payment_id))
        expect(items.map((item) => unnamed.message.includes(item))).toEqual([true, true])
        const [one, other] = items
        yield* giveBack(payment_id, "paid twice", one)
        const repeated = yield* Effect.flip(giveBack(payment_id, "paid twice", one))
        expect(repeated.message).toContain(`No money of this payment waits under ${one}`)
        expect([...sums(stripe), ...sums(adyen)], "repeating it gives nothing else back").toEqual(["13000.00 KES"])
        yield* giveBack(payment_id, "paid twice", other)
        expect.soft(sums(stripe)).toEqual(["13000.00 KES"])
        expect(sums(adyen)).toEqual(["13000.00 KES"])
      })
  )

  it.effect("a refund that went after all counts, once an operator has settled it", () =>
    Effect.gen(function* () {
      const { callsBack, payment_id } = yield* paysIn(stripe, "FR")
      yield* callsBack("yes", "completed")
      stripe.will({ refund: declines() })
      yield* act(payment_id, { action: "refund", amount: 500 })
      yield* callBack("stripe", {
        key: "FR went",
        reference: (yield* attemptsFor(payment_id, "refund")).at(-1)!,
        state: "completed"
      })
      yield* resolve(payment_id, "completed")
      stripe.will({ refund: accepts({ state: "completed" }) })
      const answer = yield* act(payment_id, { action: "refund", amount: 1500 })
      expect(answer.status, "500 of 1500 went back already").toBe(409)
    })
  )

  it.effect("no refund starts while one that was refused is on its way after all", () =>
    Effect.gen(function* () {
      const { callsBack, payment_id } = yield* paysIn(stripe, "DE")
      yield* callsBack("yes", "completed")
      stripe.will({ refund: declines() })
      yield* act(payment_id, { action: "refund", amount: 500 })
      yield* callBack("stripe", {
        key: "DE going",
        reference: (yield* attemptsFor(payment_id, "refund")).at(-1)!,
        state: "processing"
      })
      stripe.will({ refund: accepts({ state: "completed" }) })
      expect((yield* act(payment_id, { action: "refund", amount: 1500 })).status).toBe(409)
    })
  )

  it.effect("nor does money that waits go back a second time", () =>
    Effect.gen(function* () {
      const before = stripe.refunds.length
      const { callsBack, payment_id } = yield* paysIn(stripe, "NL")
      yield* callsBack("part", "completed", "900.00")
      stripe.will({ refund: declines() })
      yield* Effect.flip(giveBack(payment_id))
      yield* callBack("stripe", {
        key: "NL going",
        reference: (yield* attemptsFor(payment_id, "return")).at(-1)!,
        state: "processing"
      })
      stripe.will({ refund: accepts({ state: "completed" }) })
      yield* Effect.either(giveBack(payment_id))
      expect(stripe.refunds.length - before).toBe(1)
    })
  )

  it.effect("nor what a ramp collected, while its settlement is on its way after all", () =>
    Effect.gen(function* () {
      const before = stripe.refunds.length
      circle.otherwise(declines("sanctioned address"))
      const { payment_id } = yield* paidRamp(stripe, "SE", "13000.00")
      yield* untilStatus(payment_id, "failed")
      yield* callBack("circle", {
        key: "SE going",
        reference: (yield* attemptsFor(payment_id, "settlement")).at(-1)!,
        state: "processing"
      })
      stripe.will({ refund: accepts({ state: "completed" }) })
      yield* Effect.either(giveBack(payment_id))
      expect(stripe.refunds.length - before).toBe(0)
    })
  )

  it.effect("no operator is asked to look at a payment that was paid", () =>
    Effect.gen(function* () {
      yield* serveCountry("BE", ["stripe"])
      stripe.on("in BE", isLost())
      const { payment_id } = yield* initiate({ ...byCard(), country: "BE", description: "in BE" })
      const reference = String((yield* attemptsOf(payment_id))[0]?.["attempt_id"])
      yield* callBack("stripe", { key: "BE waits", reference, state: "pending" })
      expect(yield* itemsOf(payment_id)).toHaveLength(1)
      yield* callBack("stripe", { key: "BE paid", reference, state: "completed" })
      expect(yield* recordOf(payment_id)).toMatchObject({ status: "completed" })
      expect(yield* itemsOf(payment_id)).toEqual([])
    })
  )

  it.effect("a payment can be canceled though money of a refused attempt went back", () =>
    Effect.gen(function* () {
      yield* serveCountry("IT", ["stripe", "adyen"])
      stripe.on("in IT", declines())
      adyen.on("in IT", accepts({ state: "pending", nextAction: "pay_by_link" }))
      const { payment_id } = yield* initiate({ ...byCard(), country: "IT", description: "in IT" })
      const reference = String((yield* attemptsOf(payment_id))[0]?.["attempt_id"])
      yield* callBack("stripe", { key: "IT late", reference, state: "completed" })
      stripe.will({ refund: accepts({ state: "completed" }) })
      yield* giveBack(payment_id)
      adyen.will({ cancel: "canceled" })
      expect((yield* act(payment_id, { action: "cancel" })).status).toBe(200)
    })
  )

  it.effect("a refusal of the second try says nothing of the first, whose answer was lost", () =>
    Effect.gen(function* () {
      yield* serveCountry("ES", ["stripe", "adyen"])
      let tries = 0
      stripe.on("in ES", () =>
        Effect.sync(() => ((tries += 1) === 1 ? isLost() : declines("connection refused, so nothing was sent")))
      )
      adyen.on("in ES", accepts({ state: "completed" }))
      const { payment_id } = yield* initiate({ ...byCard(), country: "ES", description: "in ES" })
      expect(tries).toBe(2)
      expect(adyen.timesAsked(payment_id), "stripe may have it").toBe(0)
    })
  )

  it.effect(
    "what a ramp's collector would not take back is resolved at the collector, not at the payout provider",
    () =>
      Effect.gen(function* () {
        const before = { stripe: yield* at("stripe"), circle: yield* at("circle") }
        circle.otherwise(declines("sanctioned address"))
        const { payment_id } = yield* paidRamp(stripe, "PL", "13000.00")
        yield* untilStatus(payment_id, "failed")
        stripe.will({ refund: declines("the account is closed") })
        yield* Effect.flip(giveBack(payment_id))
        yield* resolve(payment_id, "failed", "wired back by hand")
        expect(yield* suspenseOf(payment_id)).toEqual([])
        expect((yield* at("circle")) - before.circle, "circle never had a shilling").toBe(0)
        expect((yield* at("stripe")) - before.stripe, "stripe has given it back").toBe(0)
      })
  )

  it.effect("a refund that went after it had failed has one item, however often it is reported", () =>
    Effect.gen(function* () {
      const { callsBack, payment_id } = yield* paysIn(stripe, "AT")
      yield* callsBack("yes", "completed")
      stripe.will({ refund: declines() })
      yield* act(payment_id, { action: "refund", amount: 500 })
      const refund = (yield* attemptsOf(payment_id)).find((one) => one["leg"] === "refund")
      const reference = String(refund?.["attempt_id"])
      yield* callBack("stripe", { key: "AT went", reference, state: "completed" })
      yield* resolve(payment_id, "completed")
      expect(yield* itemsOf(payment_id)).toEqual([])
      yield* callBack("stripe", { key: "AT went again", reference, state: "completed" })
      expect(yield* suspenseOf(payment_id)).toEqual([])
      expect(yield* itemsOf(payment_id), "no money of it waits").toEqual([])
    })
  )

  it.effect("a refund that went after it had failed, and bounced, is back at its provider", () =>
    Effect.gen(function* () {
      const before = yield* at("stripe")
      const { callsBack, payment_id } = yield* paysIn(stripe, "CZ")
      yield* callsBack("yes", "completed")
      stripe.will({ refund: declines() })
      yield* act(payment_id, { action: "refund", amount: 500 })
      const refund = (yield* attemptsOf(payment_id)).find((one) => one["leg"] === "refund")
      const reference = String(refund?.["attempt_id"])
      yield* callBack("stripe", { key: "BE went", reference, state: "completed" })
      yield* resolve(payment_id, "completed")
      expect((yield* at("stripe")) - before).toBe(-1000)
      yield* callBack("stripe", { key: "BE bounced", reference, state: "returned" })
      expect((yield* at("stripe")) - before).toBe(-1500)
      expect(yield* itemsOf(payment_id), "it is the organisation's again").toEqual([])
      expect(yield* recordOf(payment_id)).toMatchObject({ refunded_amount: 0, refunds: [{ state: "failed" }] })
    })
  )
})
