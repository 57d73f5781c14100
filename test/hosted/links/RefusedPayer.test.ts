import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { people } from "../../support/TestCredentials.ts"
import { post } from "../../support/Send.ts"
import { onPaymentServer } from "../../payments/support/PaymentServer.ts"
import { visit } from "../pages/PageVisits.ts"
import { acmeLink, byPhone, leadsTo, payAt } from "../pages/link/LinkPageFixtures.ts"

onPaymentServer("A payer whom a rule refuses", "memory", {}, (it) => {
  it.effect("sees that the payment was not completed, and nothing of the rule", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const entry = { list: "block", subject: "phone", value: "+254712345678", note: "chargebacks" }
      expect((yield* post(`/v1/organizations/${acme.org_id}/lists`, { ...acme.key }, entry)).status).toBe(201)
      const { link, payments } = yield* acmeLink()
      const page = yield* visit(leadsTo(yield* payAt(link, byPhone())))
      expect(page.text).toContain("Payment not completed")
      expect(page.text).not.toMatch(/refused|rejected|block list|the rule|chargeback/i)
      // The organisation sees why, and the link can be paid by another phone.
      expect(yield* payments).toMatchObject([
        { status: "rejected", failure: { message: expect.stringMatching(/block list.*\bphone\b/) } }
      ])
      expect((yield* visit(leadsTo(yield* payAt(link, byPhone("+254722000000"))))).text).not.toContain("not completed")
    })
  )
})
