/** What really arrives for a payin: too little never completes it, too much completes it, and nothing is dropped. */
import { expect } from "@effect/vitest"
import { Effect, Option } from "effect"
import { PaymentStore } from "../../../src/payments/store/PaymentStore.ts"
import { people } from "../../support/Credentials.ts"
import { act } from "../support/Acting.ts"
import { attemptsOf, callBack, initiate, recordOf } from "../support/Calls.ts"
import { changeTo, newItem } from "../support/NewPayment.ts"
import { eventsOf } from "../support/PaymentServices.ts"
import { onDatabasePaymentServer, serveCountry } from "../support/PaymentServer.ts"
import { byCard } from "../support/Requests.ts"
import { accepts, declines, isLost } from "../support/ScriptedProvider.ts"
import { giveBack, itemsOf, resolve } from "../support/ByHand.ts"
import { idFrom } from "../../support/AnyId.ts"
import { paysIn, threeProviders, watched } from "../support/InTheBooks.ts"

onDatabasePaymentServer("What arrives", threeProviders, (it, { adyen, stripe }) => {
  it.effect("too little waits in suspense, named with both amounts, and the rest completes the payment", () =>
    Effect.gen(function* () {
      const { gained } = yield* watched
      const { arrives, payment_id } = yield* paysIn(stripe, "FR")
      expect((yield* arrives("1.00")).status).toBe(200)
      expect(yield* recordOf(payment_id)).toMatchObject({
        status: "pending",
        comments: expect.stringContaining("Only 1.00 KES of 1500.00 KES") as unknown
      })
      expect(yield* itemsOf(payment_id)).toMatchObject([
        { kind: "suspense", detail: expect.stringContaining("Only 1.00 KES of 1500.00 KES") as unknown }
      ])
      expect(yield* gained).toEqual({ stripe: -1, suspense: 1 })
      yield* arrives("700.00")
      expect(yield* itemsOf(payment_id)).toMatchObject([
        { kind: "suspense", detail: expect.stringContaining("Only 700.00 KES of 1500.00 KES") as unknown }
      ])
      expect(yield* gained).toEqual({ stripe: -700, suspense: 700 })
      yield* arrives("1500.00")
      expect(yield* recordOf(payment_id)).toMatchObject({ status: "completed" })
      expect(yield* gained).toEqual({ stripe: -1500, settlement: 1500 })
      expect(yield* itemsOf(payment_id)).toEqual([])
    })
  )

  it.effect("nothing, though it is called completed, is for a person to find out about", () =>
    Effect.gen(function* () {
      const { gained } = yield* watched
      const { arrives, payment_id } = yield* paysIn(stripe, "LU")
      for (const amount of ["0.00", "-5.00"]) {
        yield* arrives(amount)
        const { comments, status } = yield* recordOf(payment_id)
        expect(status).toBe("pending")
        expect(comments).toBe(
          "stripe says that it was completed, and that nothing arrived: an operator must find out what did."
        )
        expect(yield* itemsOf(payment_id)).toMatchObject([{ kind: "unknown_outcome", detail: comments }])
      }
      expect(yield* gained).toEqual({})
      yield* resolve(payment_id, "completed")
      expect(yield* recordOf(payment_id)).toMatchObject({ status: "completed" })
      expect(yield* gained).toEqual({ stripe: -1500, settlement: 1500 })
      expect(yield* itemsOf(payment_id)).toEqual([])
      yield* arrives("1500.00")
    })
  )

  it.effect("too much completes the payment, and the surplus waits for a person, once", () =>
    Effect.gen(function* () {
      const { gained } = yield* watched
      const { arrives, payment_id, reference } = yield* paysIn(stripe, "DE")
      yield* arrives("1600.00")
      yield* callBack("stripe", {
        key: "DE told again",
        reference,
        state: "completed",
        received: { amount: "1600.00", currency: "KES" }
      })
      expect(yield* recordOf(payment_id)).toMatchObject({ status: "completed" })
      expect(yield* gained).toEqual({ stripe: -1600, settlement: 1500, suspense: 100 })
      expect(yield* itemsOf(payment_id)).toMatchObject([{ kind: "suspense" }])
      stripe.will({ refund: accepts({ state: "completed" }) })
      yield* giveBack(payment_id)
      expect(stripe.refunds.at(-1)?.money.toString()).toBe("100.00 KES")
      expect(yield* gained).toEqual({ stripe: -1500, settlement: 1500 })
      expect(yield* itemsOf(payment_id)).toEqual([])
    })
  )

  it.effect("another currency goes to suspense whole", () =>
    Effect.gen(function* () {
      const { gained } = yield* watched
      const { arrives, payment_id } = yield* paysIn(stripe, "BE")
      yield* arrives("20.00", "USD")
      expect(yield* recordOf(payment_id)).toMatchObject({ status: "pending" })
      expect(yield* gained).toEqual({})
      expect(yield* itemsOf(payment_id)).toMatchObject([{ kind: "suspense" }])
      yield* arrives("1500.00")
      expect(yield* recordOf(payment_id)).toMatchObject({ status: "completed" })
      expect(yield* gained).toEqual({ stripe: -1500, settlement: 1500 })
      expect(yield* itemsOf(payment_id)).toMatchObject([{ kind: "suspense" }])
      yield* resolve(payment_id, "failed")
      expect(yield* itemsOf(payment_id)).toEqual([])
    })
  )

  it.effect("an operator accepts what came: record, books and event speak of that amount", () =>
    Effect.gen(function* () {
      const { gained } = yield* watched
      const { arrives, payment_id } = yield* paysIn(stripe, "NL")
      yield* arrives("1400.00")
      const after = yield* resolve(payment_id, "completed")
      expect(after.status).toBe("completed")
      expect(yield* recordOf(payment_id)).toMatchObject({ status: "completed", amount: 1400, target_amount: 1400 })
      expect(yield* gained).toEqual({ stripe: -1400, settlement: 1400 })
      expect(yield* itemsOf(payment_id)).toEqual([])
      const told = (yield* eventsOf(payment_id)).find(({ event_type }) => event_type === "payment.completed")
      expect(told?.payload).toContain('"amount":1400.00')
    })
  )

  it.effect("an operator gives back what came: the payment fails, and the money goes where it came from", () =>
    Effect.gen(function* () {
      const { gained } = yield* watched
      stripe.will({ refund: accepts({ state: "completed" }) })
      const { arrives, payment_id } = yield* paysIn(stripe, "AT")
      yield* arrives("900.00")
      yield* giveBack(payment_id)
      expect(stripe.refunds.at(-1)?.money.toString()).toBe("900.00 KES")
      expect(yield* recordOf(payment_id)).toMatchObject({ status: "failed" })
      expect(yield* gained).toEqual({})
      expect(yield* itemsOf(payment_id)).toEqual([])
      const short = yield* paysIn(stripe, "PT")
      yield* short.arrives("900.00")
      yield* resolve(short.payment_id, "failed")
      expect(yield* recordOf(short.payment_id)).toMatchObject({ status: "failed" })
      expect(yield* gained).toEqual({})
    })
  )

  it.effect("a refund that bounces comes back to the provider, and to the organisation when a person says so", () =>
    Effect.gen(function* () {
      const { gained } = yield* watched
      stripe.will({ refund: accepts({ state: "completed" }) })
      const { arrives, payment_id } = yield* paysIn(stripe, "IE")
      yield* arrives("1500.00")
      const { acme } = yield* people
      expect((yield* act(payment_id, { action: "refund", amount: 500 }, acme.token("staff"))).status).toBe(200)
      expect(yield* gained).toEqual({ stripe: -1000, settlement: 1000 })
      const refund = (yield* attemptsOf(payment_id)).find((one) => one["leg"] === "refund")
      yield* callBack("stripe", { key: "IE bounced", reference: String(refund?.["attempt_id"]), state: "returned" })
      expect(yield* gained).toEqual({ stripe: -1500, settlement: 1000, suspense: 500 })
      const further = yield* act(payment_id, { action: "refund", amount: 100 }, acme.token("staff"))
      expect(further.status, "no refund starts while money waits for a person").toBe(409)
      yield* resolve(payment_id, "completed")
      expect(yield* gained).toEqual({ stripe: -1500, settlement: 1500 })
    })
  )

  it.effect("suspense from two providers goes back to each of them", () =>
    Effect.gen(function* () {
      const { gained } = yield* watched
      yield* serveCountry("ES", ["stripe", "adyen"])
      stripe.on("two", declines())
      adyen.on("two", declines())
      const { payment_id } = yield* initiate({ ...byCard(), country: "ES", description: "two" })
      for (const attempt of yield* attemptsOf(payment_id)) {
        const reference = String(attempt["attempt_id"])
        yield* callBack(String(attempt["provider"]), { key: `two ${reference}`, reference, state: "completed" })
      }
      expect(yield* gained).toEqual({ stripe: -1500, adyen: -1500, suspense: 3000 })
      expect(yield* itemsOf(payment_id)).toHaveLength(2)
      yield* resolve(payment_id, "failed")
      expect(yield* gained).toEqual({})
      expect(yield* itemsOf(payment_id)).toEqual([])
    })
  )

  it.effect("what is heard of one attempt leaves another's item alone", () =>
    Effect.gen(function* () {
      const { arrives, payment_id, reference } = yield* paysIn(stripe, "SE")
      yield* arrives("1500.00")
      stripe.will({ refund: isLost() })
      const { acme } = yield* people
      yield* act(payment_id, { action: "refund" }, acme.token("staff"))
      const refund = (yield* attemptsOf(payment_id)).find((one) => one["leg"] === "refund")
      const { known, apply } = yield* PaymentStore
      const found = Option.getOrThrow(yield* known(idFrom(refund?.["attempt_id"]), null))
      const { attempt_id } = found.attempt
      const stuck = yield* newItem(found.payment, attempt_id, { kind: "unknown_outcome" })
      yield* apply(yield* changeTo(found.payment, found.payment.status, { openItems: [stuck] }))
      yield* callBack("stripe", { key: "SE again", reference, state: "completed" })
      expect(yield* itemsOf(payment_id)).toMatchObject([{ kind: "unknown_outcome", attempt_id }])
      yield* resolve(payment_id, "failed")
      expect(yield* itemsOf(payment_id)).toEqual([])
    })
  )
})
