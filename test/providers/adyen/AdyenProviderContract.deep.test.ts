/** Provider contract of Adyen's adapter where Adyen can be asked at all: links and payouts. */
import { describe } from "vitest"
import { CountryCode } from "../../../src/domain/Country.ts"
import { adyen } from "../../../src/providers/adyen/AdyenAdapter.ts"
import { adyenFake } from "../../fakes/AdyenFake.ts"
import { providerContract } from "../support/providerContract.ts"
import type { Sample } from "../support/Samples.ts"
import { payout } from "./AdyenTestOrders.ts"

const byLink: Omit<Sample, "currency"> = { order: (basics) => basics, declines: "later", namedBy: "callback" }

describe("by a link", () => {
  providerContract(adyen, adyenFake, { payin: { ...byLink, currency: "EUR" } })
})

describe("by a link, in a currency that Adyen counts in its own way", () => {
  providerContract(adyen, adyenFake, { payin: { ...byLink, currency: "ISK" } })
})

describe("to a bank account", () => {
  const { bank, recipient } = payout()
  providerContract(adyen, adyenFake, {
    payout: {
      currency: "EUR",
      order: (basics) => ({ ...basics, method: "bank_transfer", country: CountryCode.make("NL"), bank, recipient })
    }
  })
})
