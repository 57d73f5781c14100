import { it } from "@effect/vitest"
import { describe } from "vitest"
import { CountryCode } from "../../../src/domain/Country.ts"
import { flutterwaveFake } from "../../fakes/FlutterwaveFake.ts"
import { flutterwave } from "../../../src/providers/flutterwave/FlutterwaveAdapter.ts"
import { promisesOf, providerContract } from "../support/providerContract.ts"
import type { Sample } from "../support/Samples.ts"
import { orderFor } from "./FlutterwaveTestOrders.ts"

const { bank, recipient } = orderFor("bank_transfer", "outbound", "NG")

const byBank: Sample = {
  currency: "NGN",
  order: (basics) => ({ ...basics, method: "bank_transfer", country: CountryCode.make("NG"), bank, recipient })
}

const byPhone: Sample = {
  currency: "UGX",
  order: (basics) => ({
    ...basics,
    method: "mobile_money",
    country: CountryCode.make("UG"),
    mobileMoney: { network: "mtn", phoneNumber: "+256772123456" },
    recipient
  })
}

describe("by bank", () => {
  providerContract(flutterwave, flutterwaveFake, { payin: byBank, payout: byBank, refund: true })
})

describe("by a number whose holder is sent to a page first", () => {
  providerContract(flutterwave, flutterwaveFake, { payin: byPhone, payout: byPhone, refund: true })
})

describe("by card on its page", () => {
  // The page takes another card after one that was refused, so that a refusal ends nothing while it is open.
  const notTheEnd = new Set([
    "a payin is declined for the instrument",
    "a payin is declined for the provider's own reasons",
    "a payin that fails later is reported as failed"
  ])
  const byCard: Sample = {
    currency: "NGN",
    order: (basics) => ({ ...basics, country: CountryCode.make("NG") })
  }
  for (const { check, name } of promisesOf(flutterwave, flutterwaveFake, { payin: byCard, refund: true })) {
    if (!notTheEnd.has(name)) it.live(name, () => check)
  }
})
