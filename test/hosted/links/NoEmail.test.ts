/** A payment link's payment without an e-mail address goes only to providers that take it so. */
import { expect } from "@effect/vitest"
import { Effect, Either } from "effect"
import { attemptsOf } from "../../payments/support/PaymentCalls.ts"
import { onPaymentServer, serveCountry } from "../../payments/support/PaymentServer.ts"
import { accepts, declines, scripted } from "../../payments/support/ScriptedProvider.ts"
import { acmeLink, byPhone, leadsTo, payAt } from "../pages/link/LinkPageFixtures.ts"

const [pawapay, paystack, mpesa] = [
  scripted("pawapay", {
    supports: ({ network }) => (network === "airtel" ? Either.left("does not reach airtel") : Either.void)
  }),
  scripted("paystack", { needsPayerEmail: true }),
  scripted("mpesa")
]

onPaymentServer("A payment without an e-mail address", "memory", { providers: [pawapay, paystack, mpesa] }, (it) => {
  it.effect("is not offered to a provider that needs one, also after a decline", () =>
    Effect.gen(function* () {
      yield* serveCountry("RW", ["pawapay", "paystack", "mpesa"], "mobile_money")
      pawapay.otherwise(declines("not this number"))
      paystack.otherwise(accepts())
      mpesa.otherwise(accepts())
      const attemptsWith = (fields: { readonly email: string }) =>
        Effect.gen(function* () {
          const { link, payments } = yield* acmeLink({
            amount: 1500,
            currency: "RWF",
            country: "RW",
            amount_type: "fixed"
          })
          leadsTo(yield* payAt(link, { ...byPhone("+250788123456"), network: "mtn", ...fields }))
          const [payment] = yield* payments
          const attempts = yield* attemptsOf(String(payment!["payment_id"]))
          return attempts.map(({ outcome, provider }) => `${String(provider)} ${String(outcome)}`)
        })
      expect(yield* attemptsWith({ email: "" })).toEqual(["pawapay declined", "mpesa accepted"])
      expect(paystack.orders).toEqual([])
      expect(yield* attemptsWith({ email: "wanjiru@example.com" })).toEqual(["pawapay declined", "paystack accepted"])
    })
  )

  it.effect("is asked for its address where only one that needs it reaches the payer's network", () =>
    Effect.gen(function* () {
      yield* serveCountry("ZM", ["pawapay", "paystack"], "mobile_money")
      paystack.otherwise(accepts())
      const { link, payments } = yield* acmeLink({
        amount: 1500,
        currency: "ZMW",
        country: "ZM",
        amount_type: "fixed"
      })
      const form = { ...byPhone("+260971234567"), network: "airtel" }
      const asked = yield* payAt(link, { ...form, email: "" })
      expect(asked.status).toBe(400)
      expect(asked.text).toMatch(/<input id="email"[^>]* required/)
      expect(yield* payments).toEqual([])
      leadsTo(yield* payAt(link, { ...form, email: "wanjiru@example.com" }))
    })
  )
})
