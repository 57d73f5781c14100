/**
 * Payins at the built-in simulators, and cards that were to be entered at the hosted checkout: each expires, over HTTP.
 */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { RateStore } from "../../../src/money/rates/RateStore.ts"
import { atCheckout, submit, typedCard, visit, withoutCard } from "../../hosted/pages/PageVisits.ts"
import { eventually, get, initiate, type Json, jsonOf, queueOf, recordOf } from "../support/PaymentCalls.ts"
import { onDatabasePaymentServer } from "../support/PaymentServer.ts"
import { movableClock, timePasses } from "../support/PaymentServices.ts"
import { byPhone } from "../support/Requests.ts"

const make = () => ({ clock: movableClock(), variables: { REVIEW_RATE_TTL: "2 hours" } })

/** One story, since the tokens of reviewers last for half a day of the clock that all of it shares. */
onDatabasePaymentServer("payins that wait for their customer", make, (it, { clock }) => {
  it.effect("end after a day: at the hosted checkout, at a one-time password, and where a card is to be given", () =>
    Effect.gen(function* () {
      yield* Effect.flatMap(RateStore, (rates) =>
        rates.set([{ from_currency: "KES", to_currency: "USD", rate: "0.0078" }])
      )
      const lookUp = "/organizations/admin/exchange-rate?fromCurrency=KES&toCurrency=USD&amount=2000"
      const { org_rate_id, target_amount } = jsonOf(yield* get(lookUp))["data"] as Json
      const priced = { amount: 2000, target_amount, target_currency: "USD", org_rate_id }
      const itemsOf = (paymentId: string) =>
        Effect.map(queueOf(), (all) => all.filter((item) => item["payment_id"] === paymentId))

      const given = yield* withoutCard()
      yield* submit(given.path, typedCard())
      yield* eventually(recordOf(given.payment_id), ({ status }) => status === "completed")
      const card = yield* withoutCard()
      const repriced = yield* withoutCard(priced)
      const redirected = yield* atCheckout()
      const asked = yield* initiate(byPhone("+254712340002"))
      expect(asked.response["next_action"]).toBe("collect_otp")

      yield* timePasses(clock, "121 minutes")
      expect((yield* submit(repriced.path, typedCard())).status, "its rate has run out").toBe(503)
      expect(yield* itemsOf(repriced.payment_id)).toMatchObject([{ kind: "review" }])
      expect((yield* visit(card.path)).text).toContain('name="number"')
      const waiting = [card, repriced, redirected, asked].map(({ payment_id }) => payment_id)
      for (const id of waiting) expect(yield* recordOf(id)).toMatchObject({ status: "pending" })

      yield* timePasses(clock, "22 hours")
      for (const id of waiting) {
        const record = yield* eventually(recordOf(id), ({ status }) => status === "failed")
        expect(record).toMatchObject({ failure: { code: "EXPIRED" } })
        expect(yield* itemsOf(id)).toEqual([])
      }
      for (const { path } of [card, redirected]) {
        expect((yield* visit(path)).text).toContain("Payment not completed")
      }
      expect((yield* submit(card.path, typedCard())).status).toBe(303)
      expect(yield* recordOf(card.payment_id)).toMatchObject({ status: "failed", provider: null })
      expect(yield* recordOf(given.payment_id)).toMatchObject({ status: "completed", failure: null })
    })
  )
})
