import { describe, expect, it } from "@effect/vitest"
import { Effect, Option, Redacted } from "effect"
import type { Beneficiary } from "../../../src/payments/beneficiaries/Beneficiary.ts"
import { CountryCode } from "../../../src/domain/Country.ts"
import { CurrencyCode } from "../../../src/domain/Currency.ts"
import { Ids } from "../../../src/domain/Ids.ts"
import { Money } from "../../../src/domain/Money.ts"
import type { Payment, RampFacts } from "../../../src/payments/store/Payment.ts"
import { paymentOf, toRow } from "../../../src/payments/store/PaymentRow.ts"
import { type PaidLeg, buildOrder } from "../../../src/payments/route/BuildOrder.ts"
import { makePayment, shillings } from "../support/NewPayment.ts"
import { byBank, byPhone } from "../support/Requests.ts"
import { recipientInfo } from "../../../src/payments/initiate/PaymentPlan.ts"
import { idFrom } from "../../support/AnyId.ts"

const ID = idFrom("0199c2a5-0c11-7d20-8f10-3b2c1d0e9f88")
const KE = CountryCode.make("KE")
const at = new Date("2026-03-02T09:00:00Z")

const person: Beneficiary = {
  beneficiary_id: ID,
  beneficiary_of: ID,
  org_id: ID,
  account_type: "bank",
  beneficiary_type: "individual",
  country: KE,
  currency: CurrencyCode.make("KES"),
  fname: "Ada",
  lname: "Okafor",
  email: "ada@work.example",
  phone_number: null,
  bank_details: {},
  momo_details: {},
  loan_client_details: {},
  wallet_details: {},
  external_account_id: null,
  created_at: at,
  updated_at: at
}

const bank = { account_name: "Ada", account_number: "1100223344", bank_name: "KCB", bank_code: "01", country: KE }
const inBank: Beneficiary = { ...person, bank_details: bank }
const onPhone: Beneficiary = {
  ...person,
  account_type: "mobile_money",
  momo_details: { provider: "M-Pesa", phone_number: "+254712345678" }
}
const inWallet: Beneficiary = {
  ...person,
  account_type: "wallet",
  wallet_details: { address: "T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb", network: "TRON", email: null }
}
const atPayPal: Beneficiary = {
  ...person,
  account_type: "wallet",
  wallet_details: { address: null, network: null, email: "ada@paypal.example" }
}

const facts: RampFacts = {
  direction: "on_ramp",
  network: "POLYGON",
  wallet_address: "0x52908400098527886E0F7030069857D2E4169EE7",
  collection: "bank_transfer",
  settlement: "crypto",
  rate: "0.0077",
  client_rate: "0.0077",
  customer_type: "retail",
  business_id: null,
  business_name: null,
  collected: null
}

const tether = new Money({ currency: "USDT", minor: 11_550_000n })

const to = (beneficiary: Beneficiary): Partial<Payment> => ({
  direction: "outbound",
  beneficiary_id: ID,
  recipient_info: recipientInfo(beneficiary)
})

const { payer_details } = byPhone()
const payersBank = { payer_details: { ...payer_details, bank_details: byBank().bank_details } }
const payersPhone = { mobile_money_details: { provider: "M-Pesa", phone_number: "0712 345 678" } }
const ramped = { direction: "external", payment_method: "crypto", target: tether, ramp: facts } as const
const offRamp: RampFacts = { ...facts, direction: "off_ramp", wallet_address: null, collection: "crypto" }

const payer = { ...payer_details }
const recipient = { name: "Ada Okafor", email: "ada@work.example", phone: null }

const cases: ReadonlyArray<readonly [name: string, leg: PaidLeg, payment: Partial<Payment>, wanted: object]> = [
  [
    "a payin by bank transfer",
    "payment",
    { payment_method: "bank_transfer", ...payersBank },
    { flow: "inbound", payer, bank: { accountNumber: "1100223344", bankCode: "68", country: "KE" }, recipient: null }
  ],
  [
    "a payin by mobile money",
    "payment",
    { payment_method: "mobile_money", payer_details, ...payersPhone },
    { flow: "inbound", payer, mobileMoney: { network: "mpesa", phoneNumber: "+254712345678" }, bank: null }
  ],
  [
    "a payin that was taken on before names that look like a card's number were refused",
    "payment",
    {
      payment_method: "mobile_money",
      payer_details: { ...payer_details, name: "Ada 4111 1111 1111 1111" },
      ...payersPhone
    },
    { payer: { ...payer, name: "Ada 4111 1111 1111 1111" } }
  ],
  [
    "a payin for a beneficiary",
    "payment",
    { payment_method: "mobile_money", payer_details, ...payersPhone, ...to(inBank), direction: "inbound" },
    { mobileMoney: { network: "mpesa" }, bank: null, recipient }
  ],
  [
    "a payout to a bank",
    "payment",
    { payment_method: "bank_transfer", ...payersBank, ...to(inBank) },
    { flow: "outbound", bank: { accountNumber: "1100223344", bankCode: "01" }, recipient }
  ],
  [
    "a payout to a phone",
    "payment",
    { payment_method: "mobile_money", ...to(onPhone) },
    {
      mobileMoney: { network: "mpesa", phoneNumber: "+254712345678" },
      recipient: { ...recipient, phone: "+254712345678" }
    }
  ],
  [
    "a payout to a wallet",
    "payment",
    { payment_method: "wallet", ...to(inWallet) },
    { walletAddress: { address: inWallet.wallet_details.address, network: "TRON" }, bank: null, mobileMoney: null }
  ],
  [
    "a payout to PayPal",
    "payment",
    { payment_method: "wallet", ...to(atPayPal) },
    { walletAddress: null, recipient: { ...recipient, email: "ada@paypal.example" } }
  ],
  [
    "an on-ramp's collection",
    "collection",
    { ...ramped, payer_details: { bank_details: { ...bank, account_name: null } } },
    { flow: "inbound", method: "bank_transfer", money: shillings(150_000n), bank: { accountNumber: "1100223344" } }
  ],
  [
    "an on-ramp's settlement",
    "settlement",
    ramped,
    {
      flow: "outbound",
      method: "crypto",
      money: tether,
      walletAddress: { address: facts.wallet_address, network: "POLYGON" },
      recipient: null
    }
  ],
  [
    "an off-ramp's collection",
    "collection",
    { ...ramped, ...to(inBank), direction: "external", ramp: { ...offRamp, settlement: "bank_transfer" } },
    { flow: "inbound", method: "crypto", walletAddress: { address: "", network: "POLYGON" }, recipient: null }
  ],
  [
    "an off-ramp's settlement",
    "settlement",
    { ...ramped, ...to(onPhone), direction: "external", ramp: { ...offRamp, settlement: "mobile_money" } },
    { flow: "outbound", method: "mobile_money", mobileMoney: { network: "mpesa" }, walletAddress: null }
  ]
]

const stored = (payment: Payment): Payment => {
  const row = JSON.parse(JSON.stringify(toRow(payment))) as ReturnType<typeof toRow>
  const { created_at, updated_at } = payment
  return paymentOf({ ...row, metadata: JSON.stringify(row.metadata), created_at, updated_at })
}

const organization = Option.some({ name: "Acme", country: "GB" })

describe("providerOrder", () => {
  it.effect.each(cases)("of %s is the same from what was stored", ([, leg, about, wanted]) =>
    Effect.gen(function* () {
      const payment = yield* makePayment({ org_id: ID, user_id: ID }, about)
      const unstored = { checkoutUrl: "https://corridor.example/checkout", organization }
      const order = buildOrder(payment, leg, unstored)
      expect(order).toMatchObject({ ...wanted, paymentId: payment.payment_id, orgId: ID, country: "KE" })
      expect(buildOrder(stored(payment), leg, unstored)).toEqual(order)
      expect(order.sender).toEqual(order.flow === "outbound" ? { name: "Acme", country: "GB" } : null)
    }).pipe(Effect.provide(Ids.layer))
  )

  it.effect("carries a card only as long as the request that brought it", () =>
    Effect.gen(function* () {
      const payment = yield* makePayment({ org_id: ID, user_id: ID })
      const card = Redacted.make({
        number: "4242424242424242",
        expiryMonth: "1",
        expiryYear: "30",
        cvv: null,
        holder: null
      })
      expect(buildOrder(payment, "payment", { card, checkoutUrl: "", organization }).card).toBe(card)
      expect(buildOrder(payment, "payment", { checkoutUrl: "", organization })).toMatchObject({
        card: null,
        browser: null
      })
    }).pipe(Effect.provide(Ids.layer))
  )
})
