import { describe, expect, it } from "@effect/vitest"
import { BigDecimal, Either, Option, Redacted, Schema } from "effect"
import { InitiatePayment } from "../../../src/contract/api/PaymentsInitApi.ts"
import type { Beneficiary } from "../../../src/payments/beneficiaries/Beneficiary.ts"
import { CountryCode } from "../../../src/domain/Country.ts"
import { CurrencyCode } from "../../../src/domain/Currency.ts"
import type { LockedRate } from "../../../src/domain/LockedRate.ts"
import * as Rate from "../../../src/domain/Exchange.ts"
import { planPayment, type PlanContext } from "../../../src/payments/initiate/PaymentPlan.ts"
import { buildOrder } from "../../../src/payments/route/BuildOrder.ts"
import { byBank, byCard, byPhone, payoutByPhone } from "../support/Requests.ts"
import { idFrom } from "../../support/AnyId.ts"
import { codeAndFields } from "../../support/RefusedFields.ts"

const now = new Date("2026-03-02T09:00:00Z")

const ID = idFrom("0199c2a5-0c11-7d20-8f10-3b2c1d0e9f88")

const rate = (text: string) => Either.getOrThrow(Rate.fromDecimal(BigDecimal.unsafeFromString(text)))

const alone: PlanContext = {
  orgCountry: "KE",
  mode: "sandbox",
  now,
  targetBy: "caller",
  beneficiary: Option.none(),
  account: Option.none(),
  lock: Option.none(),
  values: Option.some({ live: rate("0.00774"), usdPerFrom: rate("0.00774"), usdPerTo: rate("1") }),
  limits: { rateLockMax: BigDecimal.make(100_000n, 0), rateGainMax: BigDecimal.make(1_000n, 0) }
}

const beneficiary: Beneficiary = {
  beneficiary_id: ID,
  beneficiary_of: ID,
  org_id: ID,
  account_type: "mobile_money",
  beneficiary_type: "individual",
  country: CountryCode.make("KE"),
  currency: CurrencyCode.make("KES"),
  fname: "Ada",
  lname: "Okafor",
  email: null,
  phone_number: null,
  bank_details: {},
  momo_details: { provider: "M-Pesa", phone_number: "+254712345678" },
  loan_client_details: {},
  wallet_details: {},
  external_account_id: null,
  created_at: now,
  updated_at: now
}

const inBank: Beneficiary = {
  ...beneficiary,
  account_type: "bank",
  momo_details: {},
  bank_details: {
    account_name: "Ada Okafor",
    account_number: "9988776655",
    bank_name: "KCB",
    bank_code: "01",
    country: CountryCode.make("KE")
  }
}

const lock = (about: Partial<LockedRate> = {}): Option.Option<LockedRate> =>
  Option.some({
    orgRateId: ID,
    amount: null,
    isUsed: false,
    from: CurrencyCode.make("KES"),
    to: CurrencyCode.make("USD"),
    rate: rate("0.00774"),
    expiresAt: new Date(now.getTime() + 1),
    readAt: now,
    ...about
  })

const decode = Schema.decodeUnknownSync(InitiatePayment)

const plan = (request: object, about: Partial<PlanContext> = {}) => planPayment(decode(request), { ...alone, ...about })

const unsent = { payment_id: ID, org_id: ID, ramp: null, expires_at: null }

/** With the order that its provider would get. */
const planned = (request: object, about: Partial<PlanContext> = {}) => {
  const { payment, ...rest } = Either.getOrThrow(plan(request, about))
  const unstored = { ...rest, checkoutUrl: "", organization: Option.none() }
  return { payment, order: buildOrder({ ...payment, ...unsent }, "payment", unstored) }
}

const refusal = (request: object, about: Partial<PlanContext> = {}) => {
  const result = plan(request, about)
  return Either.isLeft(result) ? `${result.left.code} ${result.left.message}` : "planned"
}

/** Code and fields of a refusal. */
const refused = (...given: Parameters<typeof refusal>) => codeAndFields(refusal(...given))

const without = (request: object, ...fields: ReadonlyArray<string>) =>
  Object.fromEntries(Object.entries(request).filter(([name]) => !fields.includes(name)))

const to = (one: Beneficiary): Partial<PlanContext> => ({ beneficiary: Option.some(one) })

const payoutToBank = { ...byBank(), direction: "payout", beneficiary_id: ID }

describe("planPayment: the fields that depend on others", () => {
  it.each([
    ["payer_details", byPhone(), {}],
    ["payer_details", byCard(), {}],
    ["mobile_money_details", byPhone(), {}],
    ["card_details", byCard(), {}],
    ["bank_details", byBank(), {}],
    ["bank_account", byBank(), {}],
    ["beneficiary_id", payoutByPhone(ID), to(beneficiary)],
    ["mobile_money_details", payoutByPhone(ID), to(beneficiary)],
    ["bank_details", payoutToBank, to(inBank)],
    ["bank_account", payoutToBank, to(inBank)]
  ] as const)("needs %s, and only then refuses", (field, request, about) => {
    expect(refusal(request, about)).toBe("planned")
    expect(refusal(without(request, field), about)).toMatch(new RegExp(`^VALIDATION_ERROR ${field}: is needed for`))
    expect(refusal({ ...request, [field]: null }, about)).toMatch(
      new RegExp(`^VALIDATION_ERROR ${field}: is needed for`)
    )
  })

  it("needs no card where the payer enters it on the provider's page, and keeps none", () => {
    const hosted = { ...byCard(), card_entry: "hosted" }
    for (const request of [without(hosted, "card_details"), hosted]) {
      const { order, payment } = planned(request)
      expect([order.card, payment.card_details]).toEqual([null, {}])
    }
    for (const other of [byPhone(), byBank()]) {
      expect(refused({ ...other, card_entry: "hosted" })).toBe("VALIDATION_ERROR card_entry")
    }
    expect(() => refusal({ ...byCard(), card_entry: "here" })).toThrow(/card_entry/)
  })

  it("needs no payer for a payout, and no beneficiary for a payin", () => {
    expect(refusal(payoutByPhone(ID), to(beneficiary))).toBe("planned")
    expect(refusal(byPhone())).toBe("planned")
  })

  it("names every missing field at once", () => {
    const message = refusal(without(byBank(), "payer_details", "bank_details", "bank_account"))
    for (const field of ["payer_details", "bank_details", "bank_account"])
      expect(message).toContain(`${field}: is needed`)
  })
})

describe("planPayment: amounts", () => {
  const money = (amount: number, currency: string, target_amount = amount) => ({
    ...byCard(),
    amount,
    target_amount,
    currency,
    target_currency: currency
  })

  it.each([
    [0.01, "KES", "0.01"],
    [1500, "KES", "1500.00"],
    [1.234, "KWD", "1.234"],
    [7, "KWD", "7.000"],
    [1500, "JPY", "1500"],
    [1500, "UGX", "1500"],
    [9_999_999_999_999.99, "KES", "9999999999999.99"]
  ])("takes %d %s exactly", (amount, currency, text) => {
    const { order, payment } = planned(money(amount, currency))
    expect(payment.amount.toString()).toBe(`${text} ${currency}`)
    expect(payment.target.toString()).toBe(`${text} ${currency}`)
    expect(order.money).toEqual(payment.amount)
  })

  it.each([
    [0.001, "KES", "amount: has more than 2 fraction digits, which KES does not allow"],
    [1.2345, "KWD", "amount: has more than 3 fraction digits, which KWD does not allow"],
    [1500.5, "JPY", "amount: has a fraction, but JPY has no minor unit"],
    [0.1, "UGX", "amount: has a fraction, but UGX has no minor unit"]
  ])("refuses %d %s", (amount, currency, message) => {
    expect(refusal(money(amount, currency))).toBe(`VALIDATION_ERROR ${message}.`)
  })

  it("refuses a target that differs in the same currency, or is too fine for its own", () => {
    expect(refused(money(1500, "KES", 1500.01))).toBe("VALIDATION_ERROR target_amount")
    expect(refusal(money(1500, "KES", 1500.001))).toMatch(/^VALIDATION_ERROR target_amount: has more than 2/)
  })
})

describe("planPayment: the locked rate", () => {
  const abroad = { ...byPhone(), target_currency: "USD", target_amount: 11.61, org_rate_id: ID }

  it("takes amount times rate, half-even", () => {
    const { payment } = planned(abroad, { lock: lock() })
    expect(payment.target.toString()).toBe("11.61 USD")
    expect(payment.org_rate_id).toBe(ID)
    const half = { ...abroad, amount: 1250, target_amount: 9.67 }
    expect(refusal({ ...half, amount: 1250, target_amount: 9.68 }, { lock: lock() })).toBe("planned")
    expect(refusal(half, { lock: lock() })).toMatch(/^RATE_MISMATCH target_amount: .*\b9\.68\b/)
  })

  it("refuses a target whose rounding is worth more than half a percent of it", () => {
    // 1.29 KES are worth 0.0099846 USD, 1.30 KES 0.010062, 1.28 KES 0.0099072.
    const tiny = { ...abroad, amount: 1.29, target_amount: 0.01 }
    expect(refusal(tiny, { lock: lock() })).toBe("planned")
    for (const amount of [1.3, 1.28]) {
      expect(refused({ ...tiny, amount }, { lock: lock() })).toBe("VALIDATION_ERROR target_amount")
    }
    expect(refusal({ ...tiny, amount: 0.1 }, { lock: lock() })).toMatch(/^RATE_MISMATCH target_amount: 0\.10 KES /)
  })

  it("takes what the service gives where the service worked it out, and nothing else", () => {
    // 1251.90 KES are worth 9.689706 USD.
    const request = { ...abroad, amount: 1251.9, target_amount: 9.68 }
    expect(refusal(request, { lock: lock(), targetBy: "service" })).toBe("planned")
    for (const target_amount of [9.67, 9.69]) {
      expect(refusal({ ...request, target_amount }, { lock: lock(), targetBy: "service" })).toMatch(
        /^RATE_MISMATCH target_amount/
      )
    }
    expect(refusal(request, { lock: lock() })).toMatch(/^RATE_MISMATCH target_amount: .*\b9\.69\b/)
  })

  it("needs org_rate_id when the currencies differ", () => {
    expect(refused(without(abroad, "org_rate_id"), { lock: lock() })).toBe("VALIDATION_ERROR org_rate_id")
  })

  it.each([
    ["another amount", lock(), { target_amount: 11.62 }, /^RATE_MISMATCH target_amount: must be 11\.61/],
    ["a rate that is unknown or another's", Option.none(), {}, /^RATE_MISMATCH org_rate_id: is not a rate/],
    ["a rate that has expired", lock({ expiresAt: now }), {}, /^RATE_MISMATCH org_rate_id: expired at 2026-03-02/],
    [
      "a rate to another currency",
      lock({ to: CurrencyCode.make("GBP") }),
      {},
      /^RATE_MISMATCH org_rate_id: is locked for KES to GBP, not for KES to USD/
    ],
    [
      "a rate the other way round",
      lock({ from: CurrencyCode.make("USD"), to: CurrencyCode.make("KES") }),
      {},
      /^RATE_MISMATCH org_rate_id: is locked for USD to KES/
    ]
  ] as const)("refuses %s", (_, locked, change, message) => {
    expect(refusal({ ...abroad, ...change }, { lock: locked })).toMatch(message)
  })

  it("collects the source of a payin and pays the target of a payout", () => {
    expect(planned(abroad, { lock: lock() }).order.money.toString()).toBe("1500.00 KES")
    const out = { ...payoutToBank, target_currency: "USD", target_amount: 11.61, org_rate_id: ID }
    const inDollars = to({ ...inBank, currency: CurrencyCode.make("USD") })
    expect(planned(out, { lock: lock(), ...inDollars }).order.money.toString()).toBe("11.61 USD")
  })

  it("keeps no rate for one currency", () => {
    expect(planned({ ...byPhone(), org_rate_id: ID }).payment.org_rate_id).toBeNull()
  })

  it("reports missing fields before it reports the rate", () => {
    expect(refusal(without(abroad, "payer_details"))).toMatch(/^VALIDATION_ERROR payer_details/)
  })
})

describe("planPayment: the beneficiary", () => {
  it("refuses one that is not the organisation's, for a payin too", () => {
    const message = "VALIDATION_ERROR beneficiary_id: is not a beneficiary of this organisation."
    expect(refusal(payoutByPhone(ID))).toBe(message)
    expect(refusal({ ...byPhone(), beneficiary_id: ID })).toBe(message)
  })

  it("refuses an account of the wrong type", () => {
    expect(refusal(payoutByPhone(ID), to(inBank))).toMatch(
      /^VALIDATION_ERROR beneficiary_id: .*\bbank\b.*\bmobile_money\b/
    )
    expect(refusal(payoutToBank, to(beneficiary))).toMatch(
      /^VALIDATION_ERROR beneficiary_id: .*\bmobile_money\b.*\bbank_transfer\b/
    )
  })

  it("refuses destination details that name another account", () => {
    expect(refused(payoutByPhone(ID, "+254712345679"), to(beneficiary))).toBe("VALIDATION_ERROR mobile_money_details")
    const elsewhere = { ...payoutToBank, bank_account: { account_number: "1", bank_code: "01", bank_name: "KCB" } }
    expect(refused(elsewhere, to(inBank))).toBe("VALIDATION_ERROR bank_account")
  })

  it("refuses details of another kind than its account, whatever they name", () => {
    const momo = { mobile_money_details: { provider: "mpesa", phone_number: "+254712345678" } }
    expect(refused({ ...payoutToBank, ...momo }, to(inBank))).toBe("VALIDATION_ERROR mobile_money_details")
    expect(refused({ ...payoutByPhone(ID), bank_account: payoutToBank.bank_account }, to(beneficiary))).toBe(
      "VALIDATION_ERROR bank_account"
    )
    expect(refused({ ...payoutByPhone(ID), card_details: byCard().card_details }, to(beneficiary))).toBe(
      "VALIDATION_ERROR card_details"
    )
  })

  it("is never a card: a card payout has nowhere to go", () => {
    const byCardOut = { ...byCard(), direction: "payout", beneficiary_id: ID }
    for (const one of [beneficiary, inBank]) {
      expect(refused(byCardOut, to(one))).toBe("VALIDATION_ERROR payment_method")
    }
    expect(refused(without(byCardOut, "card_details"), to(inBank))).toBe("VALIDATION_ERROR payment_method")
  })

  it("is paid in its own currency only", () => {
    const out = { ...payoutToBank, target_currency: "USD", target_amount: 11.61, org_rate_id: ID }
    expect(refusal(out, { lock: lock(), ...to(inBank) })).toMatch(/^VALIDATION_ERROR target_currency: .*\bKES\b/)
    const inDollars = to({ ...inBank, currency: CurrencyCode.make("USD") })
    expect(refusal(out, { lock: lock(), ...inDollars })).toBe("planned")
    expect(refusal(payoutToBank, inDollars)).toMatch(/^VALIDATION_ERROR target_currency: .*\bUSD\b/)
    expect(refusal({ ...byPhone(), beneficiary_id: ID }, inDollars), "of a payin it says nothing").toBe("planned")
  })

  it("takes the same account written in another way", () => {
    expect(refusal(payoutByPhone(ID, "0712 345-678"), to(beneficiary))).toBe("planned")
    const spaced = { ...payoutToBank, bank_account: { account_number: "9988-776-655", bank_name: "kcb" } }
    expect(refusal(spaced, to(inBank))).toBe("planned")
  })

  it("is where a payout goes, and stays on record as it was", () => {
    const { order, payment } = planned(payoutByPhone(ID), to(beneficiary))
    expect(order).toMatchObject({
      flow: "outbound",
      mobileMoney: { network: "mpesa", phoneNumber: "+254712345678" },
      bank: null,
      recipient: { name: "Ada Okafor", email: null, phone: "+254712345678" }
    })
    expect(payment.beneficiary_id).toBe(ID)
    expect(payment.recipient_info).toMatchObject({
      beneficiary_id: ID,
      fname: "Ada",
      momo_details: beneficiary.momo_details
    })
    expect(payment.recipient_info).not.toHaveProperty("org_id")
    const bank = planned(payoutToBank, to(inBank))
    expect(bank.order).toMatchObject({ bank: { accountNumber: "9988776655", bankCode: "01" }, mobileMoney: null })
  })

  it("of a payin does not take the payer's place", () => {
    const { order } = planned({ ...byPhone("+254700000009"), beneficiary_id: ID }, to(beneficiary))
    expect(order.mobileMoney?.phoneNumber).toBe("+254700000009")
  })
})

describe("planPayment: the country", () => {
  const nowhere = (request: object) => without(request, "country")
  const fromUganda = { ...byBank(), payer_details: { ...byBank().payer_details, phone: "+256712345678" } }

  it("is the one that was sent, whatever else says", () => {
    expect(planned({ ...fromUganda, country: "GB" }).payment.country).toBe("GB")
  })

  it("comes from the bank account, then the phone number, then the organisation", () => {
    const bank = { ...fromUganda, bank_details: { ...fromUganda.bank_details, country: "GH" } }
    expect(planned(nowhere(bank), { orgCountry: "NG" }).payment.country).toBe("GH")
    const phone = { ...fromUganda, bank_details: without(fromUganda.bank_details, "country") }
    expect(planned(nowhere(phone), { orgCountry: "NG" }).payment.country).toBe("UG")
    const local = { ...phone, payer_details: { ...phone.payer_details, phone: "0712345678" } }
    expect(planned(nowhere(local), { orgCountry: "NG" }).payment.country).toBe("NG")
  })

  it("of mobile money comes from its own number before the payer's", () => {
    const request = {
      ...byPhone("+256712345678"),
      ...{ currency: "UGX", target_currency: "UGX" },
      mobile_money_details: { provider: "mtn", phone_number: "+256712345678" }
    }
    expect(planned(nowhere(request), { orgCountry: "NG" }).payment.country).toBe("UG")
  })

  it("of a payout comes from the beneficiary", () => {
    const ghana = { ...inBank, bank_details: { ...inBank.bank_details, country: CountryCode.make("GH") } }
    expect(planned(nowhere(payoutToBank), { ...to(ghana), orgCountry: "NG" }).payment.country).toBe("GH")
    expect(planned(nowhere(payoutByPhone(ID)), { ...to(beneficiary), orgCountry: "NG" }).payment.country).toBe("KE")
  })
})

describe("planPayment: the mobile network", () => {
  const on = (provider: string, country = "KE") => ({
    ...byPhone(),
    country,
    mobile_money_details: { provider, phone_number: "+254712345678" }
  })

  it.each(["mpesa", "MPESA", "M-Pesa", "m-pesa"])("takes %j, and keeps it as it was sent", (provider) => {
    const { order, payment } = planned(on(provider))
    expect(order.mobileMoney).toEqual({ network: "mpesa", phoneNumber: "+254712345678" })
    expect(payment.mobile_money_details).toMatchObject({ provider })
  })

  it("refuses a name with spaces around it: text is kept as sent, or refused", () => {
    expect(refusal(on(" mpesa "))).toMatch(/^VALIDATION_ERROR mobile_money_details\.provider: /)
  })

  it("refuses a network of another country, and names the right ones", () => {
    expect(refusal(on("mtn"))).toMatch(/^VALIDATION_ERROR mobile_money_details\.provider: .*\bM-Pesa, Airtel Money\b/)
    expect(refused(on("mpesa", "GB"))).toBe("VALIDATION_ERROR mobile_money_details.provider")
  })
})

describe("planPayment: who pays", () => {
  const calls = (phone: string) => ({ ...byCard(), payer_details: { ...byCard().payer_details, phone } })

  it("has a phone number that is one, of any country, in any form", () => {
    for (const phone of ["0712 345 678", "+254 712-345-678", "+44 20 7946 0018", "+254700000009"]) {
      expect(refusal(calls(phone)), phone).toBe("planned")
    }
    for (const phone of ["1", "call me", "+2547123456789012", "+999712345678"]) {
      expect(refused(calls(phone)), phone).toBe("VALIDATION_ERROR payer_details.phone")
    }
  })

  it("has a mobile money number of the network's own country", () => {
    expect(refused(byPhone("+256712345678"))).toBe("VALIDATION_ERROR mobile_money_details.phone_number")
    expect(refused(byPhone("123456"))).toBe("VALIDATION_ERROR mobile_money_details.phone_number")
    expect(refusal(byPhone("0712345678"))).toBe("planned")
  })

  it("pays the currency that the network moves, on the provider's side", () => {
    const dollars = { currency: "USD", target_currency: "USD" }
    expect(refused({ ...byPhone(), ...dollars })).toBe("VALIDATION_ERROR currency")
    const abroad = { ...byPhone(), target_currency: "USD", target_amount: 11.61, org_rate_id: ID }
    expect(refusal(abroad, { lock: lock() })).toBe("planned")
    const old = to({ ...beneficiary, currency: CurrencyCode.make("USD") })
    expect(refused({ ...payoutByPhone(ID), ...dollars }, old)).toBe("VALIDATION_ERROR target_currency")
  })

  // One that no network is known to have: what looks like a card's is refused before, card or not.
  const NUMBER = "9999999999999995"
  const { card_details, payer_details } = byCard(NUMBER)

  it.each([
    ["card_details.card_holder_name", { card_details: { ...card_details, card_holder_name: NUMBER } }],
    ["client_reference", { client_reference: `order-${NUMBER}` }],
    ["description", { description: "paid with 9999 9999 9999 9995" }],
    ["payer_details", { payer_details: { ...payer_details, name: NUMBER } }],
    ["return_url", { return_url: `https://shop.example/?card=${NUMBER}` }],
    ["metadata", { metadata: { note: { cards: [NUMBER] } } }],
    ["metadata", { metadata: { [NUMBER]: true } }]
  ])("does not keep a card's number that stands in %s as well", (field, about) => {
    const message = `VALIDATION_ERROR ${field}: holds the number of the card; leave it out.`
    expect(refusal({ ...byCard(NUMBER), ...about })).toBe(message)
    expect(refusal({ ...byPhone(), card_details, ...about })).toBe(message)
  })

  it("keeps other digits that stand beside a card", () => {
    expect(refusal({ ...byCard(NUMBER), client_reference: "424242424242424", metadata: { n: 5555 } })).toBe("planned")
  })

  it("hands on the browser in which a card was entered, and keeps nothing of it", () => {
    const browser = {
      ip_address: "203.0.113.7",
      user_agent: "Mozilla/5.0",
      accept_header: "text/html",
      language: "en-GB",
      color_depth: 24,
      screen_height: 900,
      screen_width: 1440,
      time_zone_offset: -180
    }
    const { order, payment } = planned({ ...byCard(), card_details: { ...byCard().card_details, browser } })
    expect(order.browser).toEqual({
      ip: "203.0.113.7",
      userAgent: "Mozilla/5.0",
      acceptHeader: "text/html",
      language: "en-GB",
      screen: { width: 1440, height: 900, colorDepth: 24, timeZoneOffset: -180, javaEnabled: false }
    })
    expect(JSON.stringify(payment.card_details)).not.toContain("Mozilla")
    expect(planned(byCard()).order.browser).toBeNull()
    const odd = { ...byCard().card_details, browser: { ...browser, ip_address: "203.0.113.007" } }
    expect(refused({ ...byCard(), card_details: odd })).toBe("VALIDATION_ERROR card_details.browser.ip_address")
  })

  it("has a card until its month is over everywhere", () => {
    const good = (expiry_month: string, expiry_year: string) => ({
      ...byCard(),
      card_details: { ...byCard().card_details, expiry_month, expiry_year }
    })
    const at = (moment: string) => ({ now: new Date(moment) })
    expect(refusal(good("2", "26"), at("2026-02-28T23:59:59Z"))).toBe("planned")
    expect(refusal(good("02", "2026"), at("2026-03-01T23:59:59Z"))).toBe("planned")
    expect(refused(good("02", "2026"), at("2026-03-02T00:00:00Z"))).toBe("VALIDATION_ERROR card_details.expiry_year")
    expect(refused(good("12", "25"))).toBe("VALIDATION_ERROR card_details.expiry_year")
    expect(refusal({ ...byPhone(), card_details: good("12", "25").card_details }), "not the one that pays").toBe(
      "planned"
    )
  })
})

describe("planPayment: the rest", () => {
  it("checks return_url by the mode", () => {
    const local = { ...byCard(), return_url: "http://localhost:8080/back" }
    expect(planned(local).payment.return_url).toBe("http://localhost:8080/back")
    expect(refused(local, { mode: "live" })).toBe("VALIDATION_ERROR return_url")
    expect(refused({ ...byCard(), return_url: "https://a:b@shop.example" })).toBe("VALIDATION_ERROR return_url")
    expect(planned(byCard()).payment.return_url).toBeNull()
  })

  it("masks the card on record and hands the whole of it only to the provider, redacted", () => {
    const { order, payment } = planned(byCard("4242424242424242"))
    expect(payment.card_details).toEqual({
      bin: "424242",
      last4: "4242",
      brand: "visa",
      expiry_month: "12",
      expiry_year: "2030",
      card_holder_name: "W Kamau"
    })
    expect(Redacted.value(order.card!)).toMatchObject({ number: "4242424242424242", cvv: "123" })
    const texts = [
      { ...payment, amount: null, target: null },
      { ...order, money: null }
    ].map((part) => JSON.stringify(part))
    for (const text of texts) {
      expect(text).not.toContain("4242424242424242")
      expect(text).not.toContain("cvv")
      expect(text).not.toContain('"123"')
    }
  })

  it("keeps no more of a card that comes with another method", () => {
    const { order, payment } = planned({ ...byPhone(), card_details: byCard("5555555555554444").card_details })
    expect(order.card).toBeNull()
    expect(JSON.stringify(payment.card_details)).not.toContain("5555555555554444")
  })

  it("fills what was left out with null and {}", () => {
    const { payment } = planned(byPhone())
    expect(payment).toMatchObject({
      direction: "inbound",
      client_reference: null,
      description: null,
      beneficiary_id: null,
      bank_account: {},
      card_details: {},
      recipient_info: {},
      metadata: {}
    })
    expect(planned({ ...byPhone(), metadata: { a: [1] }, client_reference: "r" }).payment).toMatchObject({
      metadata: { a: [1] },
      client_reference: "r"
    })
  })

  it("keeps the payer's source account with the payer", () => {
    expect(planned(byBank()).payment.payer_details).toMatchObject({
      name: "Wanjiru Kamau",
      bank_details: { account_number: "1100223344" }
    })
  })
})
