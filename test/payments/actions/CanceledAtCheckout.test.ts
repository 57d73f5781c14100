/** a customer who gives up at the hosted checkout leaves nothing for a reviewer. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { RateStore } from "../../../src/money/rates/RateStore.ts"
import { checkoutOf, submit, typedCard } from "../../hosted/pages/PageVisits.ts"
import { people } from "../../support/TestCredentials.ts"
import { get, initiate, type Json, jsonOf, queueOf, recordOf } from "../support/PaymentCalls.ts"
import { onDatabasePaymentServer } from "../support/PaymentServer.ts"
import { movableClock, timePasses } from "../support/PaymentServices.ts"
import { byCard } from "../support/Requests.ts"
import { act, setThreshold } from "../support/ActionCalls.ts"

const make = () => ({ clock: movableClock(), variables: { REVIEW_RATE_TTL: "2 hours" } })

onDatabasePaymentServer("given up at the checkout", make, (it, { clock }) => {
  it.effect("leaves no review item behind", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      yield* Effect.flatMap(RateStore, (rates) =>
        rates.set([{ from_currency: "KES", to_currency: "USD", rate: "0.0078" }])
      )
      const path = "/organizations/admin/exchange-rate?fromCurrency=KES&toCurrency=USD&amount=2000"
      const { org_rate_id, target_amount } = jsonOf(yield* get(path))["data"] as Json
      yield* setThreshold(acme.org_id, "1000")
      const { payment_id } = yield* initiate({
        ...byCard(),
        amount: 2000,
        target_amount,
        target_currency: "USD",
        org_rate_id
      })
      yield* setThreshold(acme.org_id, null)
      yield* act(payment_id, { action: "review" }, acme.token("staff"))
      yield* timePasses(clock, "121 minutes")
      const page = yield* checkoutOf(payment_id)
      expect((yield* submit(page, typedCard())).status).toBe(503)
      const items = Effect.map(queueOf(), (all) => all.filter((item) => item["payment_id"] === payment_id))
      expect(yield* items).toMatchObject([{ kind: "review" }])
      yield* submit(page, { action: "cancel" })
      expect(yield* recordOf(payment_id)).toMatchObject({ status: "canceled" })
      expect(yield* items, "a canceled payment cannot be reviewed").toEqual([])
    })
  )
})
