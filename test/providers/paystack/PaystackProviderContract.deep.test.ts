import { describe } from "vitest"
import type { CountryCode } from "../../../src/domain/Country.ts"
import { paystackFake } from "../../fakes/PaystackFake.ts"
import { paystack } from "../../../src/providers/paystack/PaystackAdapter.ts"
import type { PaymentOrder } from "../../../src/providers/port/Provider.ts"
import { providerContract } from "../support/providerContract.ts"
import type { Sample } from "../support/Samples.ts"
import { recipientNamed } from "../support/TestOrders.ts"

const inCountry =
  (country: string, about: (basics: PaymentOrder) => Partial<PaymentOrder>) => (basics: PaymentOrder) => ({
    ...basics,
    ...about(basics),
    country: country as CountryCode
  })

const recipient = recipientNamed("Kofi Mensah")

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

describe("mobile money", () =>
  providerContract(paystack, paystackFake, { payin: byMobile, payout: toMobile, refund: true }))

describe("banks", () => providerContract(paystack, paystackFake, { payin: byTransfer, payout: toBank }))

describe("cards, on its own page", () => providerContract(paystack, paystackFake, { payin: byCard, refund: true }))
