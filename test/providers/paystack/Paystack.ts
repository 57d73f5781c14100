/** What the tests of Paystack share: an order of every kind that it serves, and an account at its fake. */
import { Duration, Effect } from "effect"
import { startFake } from "../../../src/providers/fakes/FakeServer.ts"
import { paystackFake } from "../../../src/providers/paystack/Fake.ts"
import { paystack } from "../../../src/providers/paystack/Paystack.ts"
import type { PaymentOrder } from "../../../src/providers/port/Provider.ts"
import { accountOf, amount, orderOf, overHttp, type Recorded } from "../judge/Orders.ts"
import { newMailbox } from "../support/Mailbox.ts"

type About = Partial<Omit<PaymentOrder, "country">>

const recipient = { name: "Kofi Mensah", email: null, phone: null, address: null, externalAccountId: null }

export const byCard = (about: About = {}) => orderOf({ method: "card", ...about })

export const byTransfer = (about: About = {}) => orderOf({ method: "bank_transfer", ...about })

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

export const connectedTo = (recorded: Recorded, secretKey = "sk_test_corridor_fake") =>
  paystack.connect(accountOf(paystack, recorded, { secret_key: secretKey }))

export const atFake = Effect.gen(function* () {
  const { callbacks, url } = yield* newMailbox
  const fake = yield* startFake(paystackFake, { callbackUrl: url, pace: Duration.millis(2), late: Duration.millis(5) })
  const recorded = overHttp(fake.url)
  return { fake, recorded, callbacks, provider: connectedTo(recorded) }
})
