import { describe } from "vitest"
import type { CountryCode } from "../../../src/domain/Country.ts"
import { paypalFake } from "../../fakes/PaypalFake.ts"
import { paypal } from "../../../src/providers/paypal/PaypalAdapter.ts"
import { providerContract } from "../support/providerContract.ts"
import type { Sample } from "../support/Samples.ts"
import { recipientNamed } from "../support/TestOrders.ts"

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
    recipient: recipientNamed("Ada Obi", { email: "ada@example.com" })
  })
}

describe("US dollars", () => providerContract(paypal, paypalFake, { payin: byCard, payout: toWallet }))

describe("yen, which have no hundredths", () =>
  providerContract(paypal, paypalFake, {
    payin: { ...byCard, currency: "JPY" },
    payout: { ...toWallet, currency: "JPY" }
  }))
