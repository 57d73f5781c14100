import { it } from "@effect/vitest"
import { describe } from "vitest"
import type { CountryCode } from "../../../src/domain/Country.ts"
import { paypalFake } from "../../../src/providers/paypal/Fake.ts"
import { paypal } from "../../../src/providers/paypal/Paypal.ts"
import { promisesOf } from "../support/providerContract.ts"
import type { Sample, Samples } from "../support/Samples.ts"

const byCard: Sample = {
  currency: "USD",
  declines: "later",
  order: (basics) => ({ ...basics, method: "card", country: "GB" as CountryCode })
}

const toWallet: Sample = {
  currency: "USD",
  order: (basics) => ({
    ...basics,
    method: "wallet",
    country: "US" as CountryCode,
    recipient: { name: "Ada Obi", email: "ada@example.com", phone: null, address: null, externalAccountId: null }
  })
}

/** Only the payer's means are refused at the capture; PayPal's own refusals come with the order. */
const beforeThePage = "a payin is declined for the provider's own reasons"

const held = (name: string, samples: Samples) =>
  describe(`what the port promises of PayPal: ${name}`, () => {
    for (const promise of promisesOf(paypal, paypalFake, samples)) {
      if (promise.name !== beforeThePage) it.live(promise.name, () => promise.check)
    }
  })

held("US dollars", { payin: byCard, payout: toWallet })

held("yen, which have no hundredths", {
  payin: { ...byCard, currency: "JPY" },
  payout: { ...toWallet, currency: "JPY" }
})
