/** References that payers choose at some providers: they must not match a payout of ours, or a refund. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { Callbacks } from "../../../src/payments/callbacks/Callbacks.ts"
import { people } from "../../support/TestCredentials.ts"
import { post } from "../../support/Send.ts"
import { act } from "../support/ActionCalls.ts"
import { itemsOf } from "../support/OperatorActions.ts"
import { attemptsOf, callBack, initiate, jsonOf, recordOf } from "../support/PaymentCalls.ts"
import { paysIn, suspenseOf, threeProviders } from "../support/PayinBalances.ts"
import { onDatabasePaymentServer, serveCountry } from "../support/PaymentServer.ts"
import { byBank, kenyanBank } from "../support/Requests.ts"
import { accepts } from "../support/ScriptedProvider.ts"

onDatabasePaymentServer("callbacks about another kind", threeProviders, (it, { stripe }) => {
  const payout = (country: string, providerPaymentId: string | null = null) =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const beneficiary = yield* post("/v1/beneficiaries", { ...acme.key }, kenyanBank())
      const { data } = jsonOf(beneficiary) as { readonly data: { readonly beneficiary_id: string } }
      yield* serveCountry(country, ["stripe"], "bank_transfer", "outbound")
      stripe.on(`out of ${country}`, accepts({ providerPaymentId }))
      const { payment_id } = yield* initiate({
        ...byBank(),
        country,
        direction: "payout",
        beneficiary_id: data.beneficiary_id,
        bank_account: { account_number: "1100223344", bank_code: "01", bank_name: "KCB" },
        description: `out of ${country}`
      })
      return { payment_id, reference: String((yield* attemptsOf(payment_id))[0]?.["attempt_id"]) }
    })

  it.effect("a payment under the reference of a payout neither completes it nor brings it back", () =>
    Effect.gen(function* () {
      const { payment_id, reference } = yield* payout("FR")
      const paid = yield* callBack("stripe", { key: "paid", reference, state: "completed", about: "payin" })
      expect([paid.status, jsonOf(paid)]).toMatchObject([202, { message: "unknown payment" }])
      expect(yield* recordOf(payment_id)).toMatchObject({ status: "processing" })
      yield* callBack("stripe", { key: "sent", reference, state: "completed", about: "payout" })
      expect(yield* recordOf(payment_id)).toMatchObject({ status: "completed" })
      const taken = { amount: "500.00", currency: "KES" }
      yield* callBack("stripe", { key: "disputed", reference, state: "returned", taken, about: "payin" })
      expect(yield* suspenseOf(payment_id)).toEqual([])
      expect(yield* itemsOf(payment_id)).toEqual([])
    })
  )

  it.effect("nor by the id that its provider gives both, though the callback came before the payout", () =>
    Effect.gen(function* () {
      const { applyMatched } = yield* Callbacks
      const other = { reference: null, providerPaymentId: "4711", state: "completed" }
      expect((yield* callBack("stripe", { ...other, key: "of a stranger", about: "payin" })).status).toBe(202)
      const { payment_id } = yield* payout("NL", "4711")
      yield* applyMatched
      expect(yield* recordOf(payment_id)).toMatchObject({ status: "processing", provider_payment_id: "4711" })
      expect(
        (yield* callBack("stripe", { ...other, key: "early", about: "payout", providerPaymentId: "4712" })).status
      ).toBe(202)
      const early = yield* payout("BE", "4712")
      stripe.funds.reported(early.reference, "completed")
      yield* applyMatched
      expect(yield* recordOf(early.payment_id)).toMatchObject({ status: "completed" })
    })
  )

  it.effect("each gets the callbacks of its own kind under an id that its provider gives both", () =>
    Effect.gen(function* () {
      const word = { reference: null, providerPaymentId: "4713", state: "completed" }
      const payin = yield* paysIn(stripe, "IE", accepts({ providerPaymentId: "4713" }))
      const sent = yield* payout("AT", "4713")
      stripe.funds.reported(payin.reference, "completed")
      yield* callBack("stripe", { ...word, key: "both: in", about: "payin" })
      expect(yield* recordOf(payin.payment_id)).toMatchObject({ status: "completed" })
      expect(yield* recordOf(sent.payment_id)).toMatchObject({ status: "processing" })
      stripe.funds.reported(sent.reference, "completed")
      yield* callBack("stripe", { ...word, key: "both: out", about: "payout" })
      expect(yield* recordOf(sent.payment_id)).toMatchObject({ status: "completed" })
    })
  )

  it.effect("an early callback about one is kept, though the other is known by that id", () =>
    Effect.gen(function* () {
      const { applyMatched } = yield* Callbacks
      const sent = yield* payout("FI", "4714")
      const word = { key: "early: in", reference: null, providerPaymentId: "4714", state: "completed", about: "payin" }
      expect((yield* callBack("stripe", word)).status).toBe(202)
      const payin = yield* paysIn(stripe, "LU", accepts({ providerPaymentId: "4714" }))
      stripe.funds.reported(payin.reference, "completed")
      yield* applyMatched
      expect(yield* recordOf(payin.payment_id)).toMatchObject({ status: "completed" })
      expect(yield* recordOf(sent.payment_id)).toMatchObject({ status: "processing" })
    })
  )

  it.effect("nor does it end a refund", () =>
    Effect.gen(function* () {
      const { callsBack, payment_id } = yield* paysIn(stripe, "DE")
      yield* callsBack("yes", "completed")
      stripe.will({ refund: accepts() })
      yield* act(payment_id, { action: "refund", amount: 400 })
      const reference = String((yield* attemptsOf(payment_id))[1]?.["attempt_id"])
      for (const about of ["payin", "payout"]) {
        expect((yield* callBack("stripe", { key: about, reference, state: "completed", about })).status).toBe(202)
      }
      expect(yield* recordOf(payment_id)).toMatchObject({ refunds: [{ state: "open" }] })
      yield* callBack("stripe", { key: "gone", reference, state: "completed", about: "refund" })
      expect(yield* recordOf(payment_id)).toMatchObject({ refunds: [{ state: "completed" }] })
    })
  )
})
