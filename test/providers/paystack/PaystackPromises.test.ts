import { it } from "@effect/vitest"
import { describe } from "vitest"
import type { CountryCode } from "../../../src/domain/Country.ts"
import { paystackFake } from "../../../src/providers/paystack/Fake.ts"
import { paystack } from "../../../src/providers/paystack/Paystack.ts"
import type { PaymentOrder } from "../../../src/providers/port/Provider.ts"
import { promisesOf } from "../support/providerContract.ts"
import type { Sample, Samples } from "../support/Samples.ts"

const inCountry =
  (country: string, about: (basics: PaymentOrder) => Partial<PaymentOrder>) => (basics: PaymentOrder) => ({
    ...basics,
    ...about(basics),
    country: country as CountryCode
  })

const recipient = { name: "Kofi Mensah", email: null, phone: null, address: null, externalAccountId: null }

const mobileMoney = { network: "mtn", phoneNumber: "+233551234987" }

const byMobile: Sample = { currency: "GHS", order: inCountry("GH", () => ({ method: "mobile_money", mobileMoney })) }

const toMobile: Sample = {
  currency: "GHS",
  order: inCountry("GH", () => ({ method: "mobile_money", mobileMoney, recipient }))
}

const byTransfer: Sample = { currency: "NGN", order: inCountry("NG", () => ({ method: "bank_transfer" })) }

const bank = { accountName: "Ada Obi", accountNumber: "0123456789", bankCode: "058", bankName: null, country: "NG" }

const toBank: Sample = {
  currency: "NGN",
  order: inCountry("NG", () => ({ method: "bank_transfer", bank, recipient }))
}

const byCard: Sample = { currency: "ZAR", declines: "later", order: inCountry("ZA", () => ({ method: "card" })) }

/** Paystack calls back about no payin that failed; it is asked. */
const neverToldOf = "a callback about a payin that failed leads to it"

/** Only the customer's card is refused on the page; Paystack's own refusals come before there is one. */
const beforeThePage = "a payin is declined for the provider's own reasons"

const held = (name: string, samples: Samples, ...exceptions: ReadonlyArray<string>) =>
  describe(`what the port promises of Paystack: ${name}`, () => {
    for (const promise of promisesOf(paystack, paystackFake, samples)) {
      if (!exceptions.includes(promise.name)) it.live(promise.name, () => promise.check)
    }
  })

held("mobile money", { payin: byMobile, payout: toMobile, refund: true }, neverToldOf)

held("banks", { payin: byTransfer, payout: toBank }, neverToldOf)

held("cards, on its own page", { payin: byCard, refund: true }, neverToldOf, beforeThePage)
