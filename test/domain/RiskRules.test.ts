import { describe, expect, it } from "@effect/vitest"
import { BigDecimal, Option } from "effect"
import { CountryCode } from "../../src/domain/Country.ts"
import { CurrencyCode } from "../../src/domain/Currency.ts"
import { Rate } from "../../src/domain/Exchange.ts"
import { Money } from "../../src/domain/Money.ts"
import {
  describeWindow,
  evaluate,
  identitiesOf,
  isIpAddress,
  normalizeIp,
  normalizeName,
  type RatesTo,
  type RiskRule
} from "../../src/domain/RiskRules.ts"

const KES = CurrencyCode.make("KES")
const USD = CurrencyCode.make("USD")
const shillings = (minor: bigint) => new Money({ currency: KES, minor })
const dollars = (minor: bigint) => new Money({ currency: USD, minor })
const noRates: RatesTo = () => Option.none()
const rates: RatesTo = (from, to) =>
  from === USD && to === KES ? Option.some(Rate.make(BigDecimal.unsafeFromString("129.355"))) : Option.none()

const rule = (about: Partial<RiskRule>): RiskRule => ({
  name: "test",
  ofPlatform: false,
  kind: "velocity",
  subject: "phone",
  direction: null,
  max_count: null,
  max_amount: null,
  window_seconds: 3600,
  action: "refuse",
  is_active: true,
  ...about
})

const none = { count: 0, sums: [] }

const blank = {
  country: CountryCode.make("KE"),
  direction: "inbound" as const,
  payer_details: {},
  mobile_money_details: {},
  card_details: {},
  bank_account: {},
  recipient_info: {},
  ramp: null
}

describe("A risk rule", () => {
  it("lets as many payments through as it says, and no more", () => {
    const two = rule({ max_count: 2 })
    const after = (count: number) => evaluate(two, "phone", shillings(100n), { count, sums: [] }, undefined, noRates)
    expect(after(1)).toBeUndefined()
    expect(after(2)).toEqual({
      action: "refuse",
      rule: "test",
      ofPlatform: false,
      reason: 'the rule "test": more than 2 payments of this phone number within 1 hour.'
    })
  })

  it("adds amounts up to the last minor unit", () => {
    const limit = rule({ max_amount: shillings(10_000n) })
    const with1 = (minor: bigint) =>
      evaluate(limit, "phone", shillings(minor), { count: 1, sums: [shillings(4_000n)] }, undefined, noRates)
    expect(with1(6_000n)).toBeUndefined()
    expect(with1(6_001n)?.reason).toContain("more than 100.00 KES")
  })

  it("converts at the base rate, rounded against the payer", () => {
    // 1 cent is 1.29355 shillings, which is 1.30 when rounded up.
    const exact = rule({ max_amount: shillings(130n) })
    expect(evaluate(exact, "phone", dollars(1n), none, undefined, rates)).toBeUndefined()
    const less = rule({ max_amount: shillings(129n) })
    expect(evaluate(less, "phone", dollars(1n), none, undefined, rates)?.action).toBe("refuse")
  })

  it("holds what it cannot compare, unless it only alerts", () => {
    const of = (action: RiskRule["action"]) =>
      evaluate(rule({ max_amount: shillings(1n), action }), "phone", dollars(1n), none, undefined, noRates)?.action
    expect([of("refuse"), of("hold"), of("alert")]).toEqual(["hold", "hold", "alert"])
  })

  it("takes payments together that reach the review threshold, but none alone", () => {
    const limit = { threshold: BigDecimal.unsafeFromString("1000"), currency: "KES" }
    const watch = rule({ kind: "structuring", action: "hold", subject: "payer" })
    const after = (count: number, before: bigint, minor: bigint) =>
      evaluate(watch, "phone", shillings(minor), { count, sums: [shillings(before)] }, limit, noRates)
    expect(after(0, 0n, 100_000n)).toBeUndefined()
    expect(after(1, 50_000n, 49_999n)).toBeUndefined()
    expect(after(1, 50_000n, 50_000n)?.reason).toContain("2 payments of this phone number within 1 hour reach")
    expect(evaluate(watch, "phone", shillings(1n), { count: 9, sums: [shillings(1n)] }, undefined, noRates)).toBe(
      undefined
    )
  })

  it("says its window in the largest whole unit", () => {
    expect([60, 90, 3600, 86_400, 2_592_000].map(describeWindow)).toEqual([
      "1 minute",
      "90 seconds",
      "1 hour",
      "1 day",
      "30 days"
    ])
  })
})

describe("The identities of a payment", () => {
  it("are the same however they are written", () => {
    const written = identitiesOf(
      {
        ...blank,
        payer_details: { name: "Wanjiru  Kamau", email: " Wanjiru@Example.com", phone: "0712 345 678" },
        mobile_money_details: { phone_number: "+254712345678" }
      },
      { card: null, ip: "::ffff:192.0.2.7" }
    )
    expect(written).toMatchObject({
      phone: ["+254712345678"],
      email: ["wanjiru@example.com"],
      ip_address: ["192.0.2.7"],
      name: ["Wanjiru Kamau"],
      beneficiary: []
    })
  })

  it("know a beneficiary by the account that is paid", () => {
    const paid = (recipient_info: object) =>
      identitiesOf({ ...blank, direction: "outbound", recipient_info: { ...recipient_info } }, { card: null, ip: null })
    const bank = (account_number: string) => ({
      beneficiary_id: account_number,
      bank_details: { account_number, bank_code: "01", country: "KE" }
    })
    expect(paid(bank("11-00 223344")).beneficiary).toEqual(paid(bank("1100223344")).beneficiary)
    expect(paid({ momo_details: { phone_number: "0712345678" } }).beneficiary).toEqual(["mobile_money +254712345678"])
    expect(paid({ wallet_address: "0x52908400098527886E0F7030069857D2E4169EE7" })).toMatchObject({
      beneficiary: ["wallet 0x52908400098527886e0f7030069857d2e4169ee7"],
      wallet_address: ["0x52908400098527886e0f7030069857d2e4169ee7"]
    })
  })

  it("know an IBAN whatever bank code comes with it, and a UK account by its IBAN too", () => {
    const paid = (bank_details: object) =>
      identitiesOf({ ...blank, direction: "outbound", recipient_info: { bank_details } }, { card: null, ip: null })
        .beneficiary
    const german = { account_number: "DE89370400440532013000", country: "DE" }
    expect(paid(german)).toHaveLength(1)
    for (const bank_code of ["X1", "COBADEFF", null]) expect(paid({ ...german, bank_code })).toEqual(paid(german))
    expect(paid({ ...german, account_number: "de89 3704 0044 0532 0130 00" })).toEqual(paid(german))
    const british = paid({ account_number: "98765432", bank_code: "123456", country: "GB" })
    for (const account_number of ["GB82WEST12345698765432", "GB82 WEST 1234 5698 7654 32"]) {
      expect(paid({ account_number, country: "GB" })).toEqual(british)
      expect(paid({ account_number, bank_code: "12-34-56", country: "JE" })).toEqual(british)
    }
    for (const country of ["GB", "JE"]) {
      expect(paid({ account_number: "98765432", bank_code: "12-34-56", country })).toEqual(british)
    }
    expect(paid({ account_number: "98765432", bank_code: "123457", country: "GB" })).not.toEqual(british)
  })

  it("have no characters that are not seen, and no other forms of letters", () => {
    const of = (name: string, email: string) =>
      identitiesOf({ ...blank, payer_details: { name, email } }, { card: null, ip: null })
    const hidden = ["\u200b", "\u00ad", "\u2060", "\u202e", "\u034f", "\ufe0f", "\u3164", "\u{e0041}"]
    for (const one of hidden) {
      const found = of(`Mal${one}lory ${one} Bad`, `mal${one}lory@example.com`)
      expect(found).toMatchObject({ name: ["Mallory Bad"], email: ["mallory@example.com"] })
      expect(normalizeName(`Mal${one}lory Bad`)).toBe("mallory bad")
    }
    expect(of("Ｍａｌｌｏｒｙ　Ｂａｄ", "ｍallory@example.com")).toMatchObject({
      name: ["Mallory Bad"],
      email: ["mallory@example.com"]
    })
    // An accent stays one, also if something unseen stands before it.
    expect(normalizeName("Jose\u034f\u0301")).toBe("josé")
  })

  it("have an IP address in one form", () => {
    const forms = {
      "2001:0DB8:0:0:0:0:0:9": "2001:db8::9",
      "2001:db8::9": "2001:db8::9",
      "::ffff:cb00:7109": "203.0.113.9",
      "::FFFF:203.0.113.9": "203.0.113.9",
      " 203.0.113.9 ": "203.0.113.9"
    }
    for (const [written, one] of Object.entries(forms)) expect(normalizeIp(written)).toBe(one)
    expect([isIpAddress("203.0.113.007"), isIpAddress("203.0.113"), isIpAddress("localhost")]).not.toContain(true)
    expect([isIpAddress("203.0.113.7"), isIpAddress("2001:DB8::9")]).not.toContain(false)
  })
})
