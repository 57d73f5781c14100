/** An order of every kind that Paystack serves, and an account at its fake. */
import { paystackFake } from "../../fakes/PaystackFake.ts"
import { paystack } from "../../../src/providers/paystack/PaystackAdapter.ts"
import { againstFake } from "../support/AgainstFake.ts"
import { connected } from "../support/ConnectedAdapter.ts"
import { type About, amount, orderOf, recipientNamed } from "../support/TestOrders.ts"
import type { Scripted } from "../support/ScriptedReplies.ts"

const recipient = recipientNamed("Kofi Mensah")

const nigerian = { country: "NG", money: amount("250.00", "NGN") }

export const byCard = (about: About = {}) => orderOf({ ...nigerian, ...about })

export const byTransfer = (about: About = {}) => orderOf({ ...nigerian, method: "bank_transfer", ...about })

export const byMobile = (network: string, about: About = {}) =>
  orderOf({
    method: "mobile_money",
    country: "GH",
    money: amount("25.00", "GHS"),
    mobileMoney: { network, phoneNumber: "+233551234987" },
    ...about
  })

export const byMpesa = (about: About = {}) =>
  orderOf({
    method: "mobile_money",
    country: "KE",
    money: amount("1500.00", "KES"),
    mobileMoney: { network: "mpesa", phoneNumber: "+254710000000" },
    ...about
  })

const bankIn = (country: string, bankCode: string) => ({
  accountName: "Kofi Mensah",
  accountNumber: "0123456789",
  bankCode,
  bankName: null,
  country
})

const banks = { NG: ["NGN", "058"], GH: ["GHS", "030100"], ZA: ["ZAR", "632005"] } as const

export const toBank = (country: keyof typeof banks = "NG", about: About = {}) =>
  orderOf({
    flow: "outbound",
    method: "bank_transfer",
    country,
    money: amount("900.00", banks[country][0]),
    payer: null,
    bank: bankIn(country, banks[country][1]),
    recipient,
    ...about
  })

export const toMobile = (network: string, about: About = {}) =>
  byMobile(network, { flow: "outbound", payer: null, recipient, ...about })

export const toMpesa = (about: About = {}) => byMpesa({ flow: "outbound", payer: null, recipient, ...about })

export const connectedTo = ({ http }: Pick<Scripted, "http">, secretKey = "sk_test_corridor_fake") =>
  connected(paystack, http, { secret_key: secretKey })

export const atFake = againstFake(paystack, paystackFake)
