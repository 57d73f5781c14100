import { BigDecimal, Either, Option, Schema } from "effect"
import { describe, expect, it } from "vitest"
import {
  offRampAnswer,
  offRampRequest,
  onRampAnswer,
  onRampRequest,
  InitiateRamp,
  RampResult
} from "../../../src/contract/api/RampsApi.ts"
import type { Beneficiary } from "../../../src/payments/beneficiaries/Beneficiary.ts"
import { CountryCode } from "../../../src/domain/Country.ts"
import { CurrencyCode } from "../../../src/domain/Currency.ts"
import { inexact, stringifyWire } from "../../../src/domain/Decimal.ts"
import { Rate } from "../../../src/domain/Exchange.ts"
import { describeRamp, directionOf, planRamp, type RampPlanContext } from "../../../src/payments/ramps/RampPlan.ts"
import { idFrom } from "../../support/AnyId.ts"
import { codeAndFields } from "../../support/RefusedFields.ts"

const made = new Date("2026-03-02T09:00:00Z")
const ID = idFrom(offRampRequest.beneficiary_id)

const rate = (text: string) => Rate.make(BigDecimal.unsafeFromString(text))
const live = { on_ramp: rate("0.00773096250483"), off_ramp: rate("128.7") }

const inBank: Beneficiary = {
  beneficiary_id: ID,
  beneficiary_of: ID,
  org_id: ID,
  account_type: "bank",
  beneficiary_type: "individual",
  country: CountryCode.make("KE"),
  currency: CurrencyCode.make("KES"),
  fname: "Ada",
  lname: "Okafor",
  email: null,
  phone_number: null,
  bank_details: {
    account_name: "Ada Okafor",
    account_number: "9988776655",
    bank_name: "KCB",
    bank_code: "01",
    country: CountryCode.make("KE")
  },
  momo_details: {},
  loan_client_details: {},
  wallet_details: {},
  external_account_id: null,
  created_at: made,
  updated_at: made
}

const onPhone: Beneficiary = {
  ...inBank,
  account_type: "mobile_money",
  bank_details: {},
  momo_details: { provider: "M-Pesa", phone_number: "+254712345678" }
}

const decode = Schema.decodeUnknownSync(InitiateRamp, { errors: "all" })

const without = (request: object, ...fields: ReadonlyArray<string>): object =>
  Object.fromEntries(Object.entries(request).filter(([field]) => !fields.includes(field)))

const plan = (request: object, about: Partial<RampPlanContext> = {}) =>
  planRamp(decode(request), { liveRate: (direction) => live[direction], beneficiary: Option.none(), ...about })

const planned = (request: object, about: Partial<RampPlanContext> = {}) => Either.getOrThrow(plan(request, about))

const refusal = (request: object, about: Partial<RampPlanContext> = {}): string =>
  Either.match(plan(request, about), {
    onLeft: ({ code, message }) => `${code} ${message}`,
    onRight: () => "planned"
  })

/** Code and fields of a refusal. */
const refused = (...given: Parameters<typeof refusal>) => codeAndFields(refusal(...given))

const to = (beneficiary: Beneficiary): Partial<RampPlanContext> => ({ beneficiary: Option.some(beneficiary) })

const phone = { provider: "mpesa", phone_number: "+254712345678" }
const byPhone = { ...without(onRampRequest, "bank_details"), mobile_money_details: phone }

describe("the payer of an on-ramp", () => {
  const payer_details = { name: "Wanjiru Kamau", email: "wanjiru@example.com", phone: "0712345678" }

  it("is kept beside the paying account, with a phone number of the country", () => {
    expect(describeRamp(planned({ ...onRampRequest, payer_details })).payer_details).toMatchObject({
      ...payer_details,
      bank_details: { account_number: "1100223344" }
    })
    expect(describeRamp(planned({ ...byPhone, payer_details })).payer_details).toEqual(payer_details)
    const abroad = { ...payer_details, phone: "not a number" }
    expect(refusal({ ...onRampRequest, payer_details: abroad })).toMatch(/^VALIDATION_ERROR payer_details\.phone: /)
  })

  it("is not asked for, and does not exist in an off-ramp", () => {
    expect(describeRamp(planned(byPhone)).payer_details).toEqual({})
    expect(describeRamp(planned({ ...offRampRequest, payer_details }, to(inBank))).payer_details).toEqual({})
  })
})

describe("the contract", () => {
  it("shows requests that plan to the amounts of the answers", () => {
    const on = planned(onRampRequest)
    expect(Number(on.crypto.toNumericText())).toBe(onRampAnswer.response.crypto_amount)
    const off = planned(offRampRequest, to(inBank))
    expect(Number(off.crypto.toNumericText())).toBe(offRampAnswer.response.crypto_amount)
  })

  it.each([onRampAnswer, offRampAnswer])("shows answers of its own form", (answer) => {
    const schema = Schema.encodeSync(RampResult)
    const text = stringifyWire(schema(Schema.decodeUnknownSync(RampResult)(answer)))
    expect(JSON.parse(text)).toEqual(answer)
    expect(text).toMatch(/"fiat_amount":\d+\.\d+,/)
  })

  it("takes a rate of any length, and amounts of 15 digits", () => {
    // The request parser marks what a double cannot hold exactly.
    const long = inexact("0.0077309625048312")
    expect(refusal({ ...onRampRequest, client_rate: long })).toBe("planned")
    expect(() => decode({ ...onRampRequest, fiat_amount: long })).toThrow(/more than 15 significant digits/)
  })

  it.each(["fiat_currency", "fiat_amount", "client_rate", "crypto_currency", "crypto_network", "country"])(
    "needs %s",
    (field) => {
      expect(() => decode(without(onRampRequest, field))).toThrow(field)
    }
  )

  it.each([
    ["fiat_currency", "kes"],
    ["fiat_currency", "USDT"],
    ["crypto_currency", "usdt"],
    ["crypto_currency", "KES"],
    ["crypto_network", "Tron"],
    ["country", "ke"],
    ["direction", "payin"],
    ["customer_type", "business"],
    ["client_rate", 0],
    ["client_rate", -1],
    ["client_rate", "0.0077"],
    ["client_rate", Number.POSITIVE_INFINITY],
    ["fiat_amount", "100"],
    ["fiat_amount", 0]
  ])("refuses %s %j", (field, value) => {
    expect(() => decode({ ...onRampRequest, [field]: value })).toThrow(field)
  })
})

describe("directionOf", () => {
  const bare = without(onRampRequest, "wallet_address", "bank_details")
  const directed = (request: object) => Either.getOrElse(directionOf(decode(request)), ({ message }) => message)
  const wallet = { wallet_address: onRampRequest.wallet_address }
  const bank = { account_number: "9988776655" }

  it.each([
    ["a wallet", wallet, "on_ramp"],
    ["a wallet and a beneficiary", { ...wallet, beneficiary_id: ID }, "on_ramp"],
    ["a wallet and bank details", { ...wallet, bank_details: bank }, "on_ramp"],
    ["a beneficiary", { beneficiary_id: ID }, "off_ramp"],
    ["a beneficiary and a null wallet", { beneficiary_id: ID, wallet_address: null }, "off_ramp"],
    ["a destination", { destination: { accountNumber: "1" } }, "off_ramp"],
    ["bank details", { bank_details: bank }, "off_ramp"],
    ["mobile money details", { mobile_money_details: phone }, "off_ramp"],
    ["both, and says off-ramp", { ...wallet, beneficiary_id: ID, direction: "off_ramp" }, "off_ramp"],
    ["both, and says on-ramp", { ...wallet, beneficiary_id: ID, direction: "on_ramp" }, "on_ramp"],
    ["its direction alone", { direction: "off_ramp" }, "off_ramp"]
  ])("of a request with %s", (_, fields, direction) => {
    expect(directed({ ...bare, ...fields })).toBe(direction)
  })

  it("cannot be planned without any of them", () => {
    const message = "wallet_address: is needed for an on-ramp, beneficiary_id for an off-ramp; send one of them."
    expect(directed(bare)).toBe(message)
    expect(refusal(bare)).toBe(`VALIDATION_ERROR ${message}`)
  })
})

describe("an on-ramp", () => {
  it("is paid by bank transfer and settles to the wallet", () => {
    expect(planned({ ...onRampRequest, client_rate: 0.0077 })).toMatchObject({
      direction: "on_ramp",
      fiat: { currency: "KES", minor: 1_300_000n },
      crypto: { currency: "USDT", minor: 100_502_512n },
      rate: live.on_ramp,
      clientRate: BigDecimal.make(77n, 4),
      asset: "USDT",
      network: "TRON",
      country: "KE",
      walletAddress: onRampRequest.wallet_address,
      collection: {
        method: "bank_transfer",
        bank: { accountName: null, accountNumber: "1100223344", bankCode: "01", bankName: "KCB", country: "KE" },
        mobileMoney: null
      },
      beneficiary: null,
      customer: { type: "retail", business_id: null, business_name: null },
      client_reference: "ramp-2044",
      metadata: {}
    })
  })

  it("is paid by mobile money, from a network of the country", () => {
    const { collection } = planned({ ...byPhone, mobile_money_details: { ...phone, provider: "M-PESA" } })
    const mobileMoney = { network: "mpesa", phoneNumber: "+254712345678" }
    expect(collection).toEqual({ method: "mobile_money", bank: null, mobileMoney })
    expect(refusal({ ...byPhone, mobile_money_details: { ...phone, provider: "mtn" } })).toMatch(
      /^VALIDATION_ERROR mobile_money_details\.provider: .*\bM-Pesa, Airtel Money\b/
    )
    expect(refused({ ...byPhone, country: "GB" })).toBe("VALIDATION_ERROR mobile_money_details.provider")
    expect(refused({ ...byPhone, mobile_money_details: { ...phone, phone_number: "+256712345678" } })).toBe(
      "VALIDATION_ERROR mobile_money_details.phone_number"
    )
    expect(refused({ ...byPhone, fiat_currency: "USD" })).toBe("VALIDATION_ERROR fiat_currency")
  })

  it("is paid from exactly one account", () => {
    expect(refused({ ...onRampRequest, mobile_money_details: phone })).toBe("VALIDATION_ERROR bank_details")
    expect(refused(without(onRampRequest, "bank_details"))).toBe("VALIDATION_ERROR mobile_money_details")
  })

  it("needs a wallet of its network", () => {
    expect(refused({ ...without(onRampRequest, "wallet_address"), direction: "on_ramp" })).toBe(
      "VALIDATION_ERROR wallet_address"
    )
    expect(refusal({ ...onRampRequest, wallet_address: "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed" })).toMatch(
      /^VALIDATION_ERROR wallet_address: .*\bTron\b/
    )
    expect(refusal({ ...onRampRequest, crypto_network: "SOLANA" })).toMatch(
      /^VALIDATION_ERROR wallet_address: .*\bSolana\b/
    )
  })

  it("refuses an unknown beneficiary, and pays none", () => {
    const both = { ...onRampRequest, beneficiary_id: ID }
    expect(refused(both)).toBe("VALIDATION_ERROR beneficiary_id")
    expect(planned(both, to(inBank)).beneficiary).toBeNull()
  })

  it("refuses fiat that buys no crypto", () => {
    const tiny = { ...onRampRequest, fiat_amount: 0.01, client_rate: 0.00001 }
    expect(refused(tiny, { liveRate: () => rate("0.00001") })).toBe("VALIDATION_ERROR fiat_amount")
  })
})

describe("an off-ramp", () => {
  it("is paid in crypto, and goes to the beneficiary", () => {
    const request = { ...offRampRequest, metadata: { flat: 7 } }
    expect(planned(request, to(onPhone))).toMatchObject({
      direction: "off_ramp",
      fiat: { currency: "KES", minor: 1_287_000n },
      crypto: { currency: "USDT", minor: 100_000_000n },
      rate: live.off_ramp,
      walletAddress: null,
      collection: { method: "crypto", bank: null, mobileMoney: null },
      beneficiary: onPhone,
      client_reference: null,
      metadata: { flat: 7 }
    })
    expect(planned(request, to(inBank)).beneficiary).toEqual(inBank)
  })

  it("does not ask whose wallet is sent as well", () => {
    const both = { ...offRampRequest, wallet_address: "anything", direction: "off_ramp" }
    expect(planned(both, to(inBank)).walletAddress).toBeNull()
  })

  it("needs a registered beneficiary", () => {
    const nameless = { ...without(offRampRequest, "beneficiary_id"), destination: { accountNumber: "9988776655" } }
    expect(refused(nameless)).toBe("VALIDATION_ERROR beneficiary_id")
    expect(refused(offRampRequest)).toBe("VALIDATION_ERROR beneficiary_id")
  })

  it("pays to a bank or a phone, in the currency of the account", () => {
    const wallet: Beneficiary = { ...inBank, account_type: "wallet", currency: "USDT", bank_details: {} }
    expect(refusal(offRampRequest, to(wallet))).toMatch(/^VALIDATION_ERROR beneficiary_id: .*\bwallet\b/)
    expect(refusal(offRampRequest, to({ ...inBank, currency: CurrencyCode.make("USD") }))).toMatch(
      /^VALIDATION_ERROR beneficiary_id: .*\bUSD\b.*\bKES\b/
    )
  })

  it("takes other details of the same account only", () => {
    const same = {
      bank_details: { account_number: "9988 776655", bank_code: "01" },
      destination: { accountNumber: "9988776655", bankCode: "01", bankName: "KCB" }
    }
    expect(refusal({ ...offRampRequest, ...same }, to(inBank))).toBe("planned")
    expect(refusal({ ...offRampRequest, mobile_money_details: phone }, to(onPhone))).toBe("planned")
    const other = {
      bank_details: { account_number: "1" },
      destination: { accountNumber: "9988776655", bankCode: "02" }
    }
    expect(refusal({ ...offRampRequest, ...other, mobile_money_details: phone }, to(inBank))).toBe(
      `VALIDATION_ERROR ${["bank_details", "destination", "mobile_money_details"]
        .map((field) => `${field}: names another account than the beneficiary's`)
        .join("; ")}.`
    )
  })
})

describe("either way", () => {
  it("an institution names itself and its number", () => {
    const request = { ...onRampRequest, customer_type: "institution" }
    expect(refused(request)).toBe("VALIDATION_ERROR business_id business_name")
    const named = { ...request, business_id: "BN-17", business_name: "Jenga Builders" }
    expect(planned(named).customer).toEqual({
      type: "institution",
      business_id: "BN-17",
      business_name: "Jenga Builders"
    })
  })

  it.each([
    ["BTC", "TRON", "BITCOIN"],
    ["ETH", "POLYGON", "ETHEREUM or BASE"],
    ["USDT", "BASE", "ETHEREUM or POLYGON or TRON or SOLANA"]
  ])("%s does not travel on %s", (crypto_currency, crypto_network, right) => {
    const message = `VALIDATION_ERROR crypto_network: does not carry ${crypto_currency}; use ${right}.`
    expect(refusal({ ...onRampRequest, crypto_currency, crypto_network })).toBe(message)
    expect(refusal({ ...offRampRequest, crypto_currency, crypto_network }, to(inBank))).toBe(message)
  })

  it("an amount has no more digits than its currency", () => {
    expect(refused({ ...onRampRequest, fiat_amount: 10.001 })).toBe("VALIDATION_ERROR fiat_amount")
    expect(refusal({ ...onRampRequest, fiat_currency: "JPY", fiat_amount: 1.5 })).toMatch(
      /^VALIDATION_ERROR fiat_amount/
    )
  })

  it("all problems are reported at once, before the rate is looked at", () => {
    const request = {
      ...without(onRampRequest, "bank_details"),
      fiat_amount: 0.001,
      client_rate: 5,
      wallet_address: "T",
      beneficiary_id: ID,
      customer_type: "institution",
      business_name: "Jenga Builders"
    }
    expect(refused(request)).toBe(
      "VALIDATION_ERROR fiat_amount wallet_address mobile_money_details beneficiary_id business_id"
    )
  })
})

describe("the rate", () => {
  const on = (client_rate: number) => refusal({ ...onRampRequest, client_rate }, { liveRate: () => rate("0.008") })
  const off = (client_rate: number) =>
    refusal({ ...offRampRequest, client_rate }, { ...to(inBank), liveRate: () => rate("128") })

  it.each([0.00796, 0.008, 0.00804])("of %d passes against 0.008", (client) => {
    expect(on(client)).toBe("planned")
  })

  it.each([0.00795999999999, 0.00804000000001, 125])("of %d does not", (client) => {
    expect(on(client)).toMatch(/^RATE_MISMATCH client_rate: .*\b0\.008\b.*\bfromCurrency KES and toCurrency USDT\b/)
  })

  it("of an off-ramp runs from crypto to fiat", () => {
    for (const client of [127.36, 128, 128.64]) expect(off(client)).toBe("planned")
    for (const client of [127.359999, 128.640001]) expect(off(client)).toMatch(/^RATE_MISMATCH/)
    expect(off(0.0078125)).toMatch(
      /^RATE_MISMATCH .* with fromCurrency USDT and toCurrency KES, the direction of an off-ramp\.$/
    )
  })

  it("that is live makes the amount, not the client's", () => {
    const {
      clientRate,
      crypto,
      rate: used
    } = planned({ ...onRampRequest, client_rate: 0.00796 }, { liveRate: () => rate("0.008") })
    expect(crypto.toString()).toBe("104.000000 USDT")
    expect([used, clientRate].map(BigDecimal.format)).toEqual(["0.008", "0.00796"])
  })

  it("is asked for in the direction of the ramp", () => {
    const asked: Array<string> = []
    const liveRate: RampPlanContext["liveRate"] = (direction) => {
      asked.push(direction)
      return live[direction]
    }
    planned(onRampRequest, { liveRate })
    planned(offRampRequest, { ...to(inBank), liveRate })
    expect(asked).toEqual(["on_ramp", "off_ramp"])
  })
})
