/** words that come twice, late, or not at all. Each test states what should be so. */
import { expect } from "@effect/vitest"
import { Effect, Option } from "effect"
import { PaymentStore } from "../../../src/payments/store/PaymentStore.ts"
import { people } from "../../support/Credentials.ts"
import { act, actable } from "../support/Acting.ts"
import { attemptsOf, callBack, eventually, recordOf, untilStatus } from "../support/Calls.ts"
import { movableClock } from "../support/PaymentServices.ts"
import { onDatabasePaymentServer } from "../support/PaymentServer.ts"
import { accepts, declines } from "../support/ScriptedProvider.ts"
import { giveBack, resolve } from "../support/ByHand.ts"
import { paidRamp } from "../support/PaidRamp.ts"
import { at, honouring, paysIn, suspenseOf } from "../support/InTheBooks.ts"

const make = () => {
  const stripe = honouring("stripe")
  const adyen = honouring("adyen")
  const circle = actable("circle")
  const manual = honouring("manual")
  const clock = movableClock()
  return { stripe, adyen, circle, manual, clock, providers: [stripe, adyen, circle, manual] }
}

onDatabasePaymentServer("clawbacks and the manual rail", make, (it, { circle, manual, stripe }) => {
  it.effect("a payin that is taken back with its surplus leaves the provider with nothing", () =>
    Effect.gen(function* () {
      const before = yield* at("stripe")
      const { hears } = yield* paysIn(stripe, "FR")
      yield* hears("yes", "completed", "1600.00")
      yield* hears("back", "returned")
      expect((yield* at("stripe")) - before, "what the books say the provider still has, negated").toBe(0)
    })
  )

  it.effect("what was refunded before is not taken back once more, though the report repeats what had arrived", () =>
    Effect.gen(function* () {
      const before = yield* at("stripe")
      const { hears, payment_id } = yield* paysIn(stripe, "DE")
      yield* hears("yes", "completed", "1500.00")
      stripe.will({ refund: accepts({ state: "completed" }) })
      const { acme } = yield* people
      yield* act(payment_id, { action: "refund", amount: 500 }, acme.token("staff"))
      yield* hears("back", "returned", "1500.00")
      expect((yield* at("stripe")) - before).toBe(0)
    })
  )

  it.effect("a collection whose money went back through us is not taken back a second time", () =>
    Effect.gen(function* () {
      const before = yield* at("stripe")
      circle.otherwise(() => Effect.succeed(declines("sanctioned address")))
      const { payment_id, reference } = yield* paidRamp(stripe, "FI", "13000.00")
      yield* untilStatus(payment_id, "failed")
      stripe.will({ refund: accepts({ state: "completed" }) })
      yield* giveBack(payment_id)
      expect((yield* at("stripe")) - before).toBe(0)
      yield* callBack("stripe", { key: "FI back", reference, state: "returned" })
      expect((yield* at("stripe")) - before).toBe(0)
      expect(yield* suspenseOf(payment_id)).toEqual([])
    })
  )

  it.effect("the second of two refunds on the manual rail can be settled", () =>
    Effect.gen(function* () {
      const { payment_id } = yield* paysIn(manual, "BE")
      yield* resolve(payment_id, "completed")
      manual.will({ refund: accepts() })
      const { acme } = yield* people
      for (const amount of [500, 600]) {
        expect((yield* act(payment_id, { action: "refund", amount }, acme.token("staff"))).status).toBe(200)
        yield* resolve(payment_id, "completed")
      }
      const store = yield* PaymentStore
      const { refunds } = Option.getOrThrow(yield* store.find(Option.none(), payment_id))
      expect(refunds.map(({ state }) => state)).toEqual(["completed", "completed"])
    })
  )

  it.effect("a verdict on new money leaves a finished return on the manual rail alone", () =>
    Effect.gen(function* () {
      const before = yield* at("manual")
      const { hears, payment_id } = yield* paysIn(manual, "NL")
      yield* hears("no", "failed")
      yield* hears("yes", "completed", "900.00")
      manual.will({ refund: accepts({ state: "completed" }) })
      yield* giveBack(payment_id)
      expect((yield* at("manual")) - before).toBe(0)
      yield* hears("more", "completed", "1000.00")
      yield* resolve(payment_id, "failed")
      expect(yield* suspenseOf(payment_id), "the 100 are settled, and the 900 stay where they went").toEqual([])
      expect((yield* at("manual")) - before).toBe(0)
    })
  )

  it.effect("what comes after a smaller sum was accepted is booked, though the provider names no amount", () =>
    Effect.gen(function* () {
      const before = yield* at("stripe")
      const { hears, payment_id } = yield* paysIn(stripe, "AT")
      yield* hears("part", "completed", "1400.00")
      yield* resolve(payment_id, "completed")
      yield* hears("all", "completed")
      expect((yield* at("stripe")) - before, "it was asked for 1500, and says that it has what it was asked for").toBe(
        -1500
      )
    })
  )

  it.effect("an unproved hint under the id of an event does not keep the proved event out", () =>
    Effect.gen(function* () {
      const { payment_id, reference } = yield* paysIn(stripe, "PT")
      yield* callBack("stripe", { key: "evt_1", reference, state: null })
      yield* callBack("stripe", { key: "evt_1", reference, state: "completed" })
      expect(yield* recordOf(payment_id)).toMatchObject({ status: "completed" })
    })
  )

  it.effect(
    "an early callback is applied to one attempt, though its provider gives a refund the id of the payment",
    () =>
      Effect.gen(function* () {
        const { hears, payment_id } = yield* paysIn(stripe, "IE")
        yield* hears("yes", "completed")
        stripe.will({ refund: accepts({ state: "processing", providerPaymentId: "pi_27" }) })
        const early = { key: "early 27", reference: null, providerPaymentId: "pi_27", state: "returned" }
        expect((yield* callBack("stripe", early)).status, "it is kept").toBe(202)
        const { acme } = yield* people
        yield* act(payment_id, { action: "refund", amount: 500 }, acme.token("staff"))
        yield* callBack("stripe", {
          key: "late 27",
          reference: String((yield* attemptsOf(payment_id))[0]?.["attempt_id"]),
          providerPaymentId: "pi_27",
          state: "completed"
        })
        const store = yield* PaymentStore
        const changed = Effect.map(store.find(Option.none(), payment_id), (found) => {
          const { refunds, status } = Option.getOrThrow(found)
          return [status !== "completed", refunds[0]?.state === "failed"].filter(Boolean)
        })
        yield* eventually(changed, (all) => all.length > 0)
        yield* Effect.sleep("3 seconds")
        expect(yield* changed, "attempts that one callback was applied to").toHaveLength(1)
      })
  )
})
