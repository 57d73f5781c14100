/** A provider that issues nothing without a phone number: the request is refused at once, not by the provider later. */
import { expect } from "@effect/vitest"
import { Effect } from "effect"
import { Issued } from "../../../src/providers/port/AccountIssuer.ts"
import type { Provider } from "../../../src/providers/port/Provider.ts"
import { actable } from "../../payments/support/ActionCalls.ts"
import { onPaymentServer } from "../../payments/support/PaymentServer.ts"
import { people } from "../../support/TestCredentials.ts"
import { refusedFields } from "../../support/RefusedFields.ts"
import { post } from "../../support/Send.ts"

const { funds: _funds, ...provider } = actable("paystack")

const paystack: Provider = {
  ...provider,
  accounts: {
    currencies: ["NGN"],
    needsPhone: true,
    issue: () => Effect.succeed(new Issued({ providerReference: "CUS_1", details: { account_number: "9807062474" } }))
  }
}

onPaymentServer("Bank details by a provider that needs a phone number", "memory", { providers: [paystack] }, (it) => {
  it.effect("are 400 without holder.phone", () =>
    Effect.gen(function* () {
      const { acme } = yield* people
      const account = { org_id: acme.org_id, user_id: acme.userId("staff"), currency: "NGN" }
      const asked = (holder: object) =>
        post(
          "/v1/virtual-accounts/internal/bank",
          { ...acme.key },
          { ...account, payment_rail: "bank_transfer", holder }
        )
      const refused = yield* asked({ name: "Ada Obi" })
      expect(refusedFields(refused)).toEqual([400, "holder.phone"])
      expect((yield* asked({ name: "Ada Obi", phone: "+2348012345678" })).status).toBe(201)
    })
  )
})
