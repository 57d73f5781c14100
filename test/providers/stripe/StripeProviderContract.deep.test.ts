/** Provider contract of Stripe's adapter, for each of the ways in which it takes money. */
import { describe } from "vitest"
import { CountryCode } from "../../../src/domain/Country.ts"
import { stripeFake } from "../../fakes/StripeFake.ts"
import { stripe } from "../../../src/providers/stripe/StripeAdapter.ts"
import { providerContract } from "../support/providerContract.ts"
import { cardNumbered } from "../support/TestOrders.ts"

describe("on Stripe's page", () => {
  providerContract(stripe, stripeFake, {
    payin: { currency: "KES", order: (basics) => basics, declines: "later" },
    refund: true
  })
})

describe("with a test card", () => {
  providerContract(stripe, stripeFake, {
    payin: { currency: "KES", order: (basics) => ({ ...basics, card: cardNumbered("4242424242424242") }) },
    refund: true,
    rawCards: true
  })
})

describe("with the number of a card, in a currency that Stripe counts in its own way", () => {
  providerContract(stripe, stripeFake, {
    payin: { currency: "UGX", order: (basics) => ({ ...basics, card: cardNumbered("4111111111111111") }) },
    refund: true,
    rawCards: true
  })
})

describe("by bank transfer", () => {
  providerContract(stripe, stripeFake, {
    payin: {
      currency: "EUR",
      order: (basics) => ({ ...basics, method: "bank_transfer", country: CountryCode.make("DE") })
    },
    refund: true
  })
})
