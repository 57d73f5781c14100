import currencyCodes from "currency-codes"
import { Either, JSONSchema, ParseResult, Schema } from "effect"
import { describe, expect, it } from "vitest"
import {
  AnyCurrencyCode,
  computedScaleOf,
  CryptoAssetCode,
  CryptoNetwork,
  exponentOfAny,
  networksOf,
  currencies,
  CurrencyCode,
  exponentOf,
  isCurrencyCode
} from "../../src/domain/Currency.ts"

const refusalOf = <A, I>(schema: Schema.Schema<A, I>, input: unknown): string | undefined => {
  const result = Schema.decodeUnknownEither(schema)(input)
  return Either.isLeft(result) ? ParseResult.ArrayFormatter.formatErrorSync(result.left)[0]?.message : undefined
}

describe("the table against currency-codes (ISO 4217 as published 2024-06-25)", () => {
  const leftOut: Record<string, ReadonlyArray<string>> = {
    "funds and indexed units": ["BOV", "CHE", "CHW", "CLF", "COU", "MXV", "USN", "UYI", "UYW"],
    metals: ["XAG", "XAU", "XPD", "XPT"],
    "units of account": ["XBA", "XBB", "XBC", "XBD", "XDR", "XSU", "XUA"],
    "testing and no currency": ["XTS", "XXX"],
    "withdrawn since": ["ANG", "BGN", "CUC"]
  }
  const addedSince = ["XCG"]
  const absent = new Set(Object.values(leftOut).flat())

  it("has every code of theirs that is still money, with the same exponent", () => {
    const theirs = currencyCodes.data.filter(({ code }) => !absent.has(code))
    expect(theirs.length).toBeGreaterThan(150)
    for (const { code, digits } of theirs) {
      expect(isCurrencyCode(code), code).toBe(true)
      expect(exponentOf(CurrencyCode.make(code)), code).toBe(digits)
    }
  })

  it("has nothing that they do not have", () => {
    const theirs = new Set(currencyCodes.codes())
    expect([...currencies.keys()].filter((code) => !theirs.has(code))).toEqual(addedSince)
  })

  it("refuses what was left out on purpose", () => {
    for (const code of absent) expect(isCurrencyCode(code), code).toBe(false)
  })
})

describe("CurrencyCode", () => {
  it("knows exponents", () => {
    expect(exponentOf(CurrencyCode.make("KES"))).toBe(2)
    expect(["JPY", "UGX", "RWF", "XOF"].map((text) => exponentOf(CurrencyCode.make(text)))).toEqual([0, 0, 0, 0])
    expect(["KWD", "TND"].map((text) => exponentOf(CurrencyCode.make(text)))).toEqual([3, 3])
  })

  it.each([
    ["kes", "three upper-case letters"],
    ["KE", "three upper-case letters"],
    ["KES ", "three upper-case letters"],
    ["KES\n", "three upper-case letters"],
    ["ＫＥＳ", "three upper-case letters"],
    ["USDT", "three upper-case letters"],
    ["BTC", "BTC is unknown"],
    ["HRK", "HRK is unknown"],
    [404, "is not a string"],
    [null, "is not a string"]
  ])("refuses %j and gives an example", (input, reason) => {
    const message = refusalOf(CurrencyCode, input)
    expect(message).toContain(reason)
    expect(message).toContain('"KES"')
  })

  it("is a named string with a pattern in JSON Schema", () => {
    expect(JSONSchema.make(CurrencyCode)).toMatchObject({
      $ref: "#/$defs/CurrencyCode",
      $defs: { CurrencyCode: { type: "string", pattern: "^[A-Z]{3}$", examples: ["KES"] } }
    })
  })
})

describe("crypto assets", () => {
  it("have their exponents, computed digits and networks", () => {
    const stable = ["ETHEREUM", "POLYGON", "TRON", "SOLANA"]
    const seen = CryptoAssetCode.literals.map((a) => [a, exponentOfAny(a), computedScaleOf(a), networksOf(a)])
    expect(seen).toEqual([
      ["USDT", 6, 6, stable],
      ["USDC", 6, 6, stable],
      ["BTC", 8, 8, ["BITCOIN"]],
      ["ETH", 18, 8, ["ETHEREUM", "BASE"]]
    ])
    expect(new Set(CryptoNetwork.literals)).toEqual(new Set(CryptoAssetCode.literals.flatMap(networksOf)))
  })

  it("never share a code with a fiat currency", () => {
    expect(CryptoAssetCode.literals.filter((code) => isCurrencyCode(code))).toEqual([])
  })

  it("are exact, and named when refused", () => {
    expect(refusalOf(CryptoAssetCode, "usdt")).toBe("is not a supported crypto asset: use one of USDT, USDC, BTC, ETH")
    expect(refusalOf(CryptoNetwork, "tron")).toContain("use one of ETHEREUM, POLYGON, TRON, SOLANA, BITCOIN, BASE")
  })

  it("join fiat codes in AnyCurrencyCode", () => {
    expect(["KES", "USDT", "ETH"].map((code) => refusalOf(AnyCurrencyCode, code))).toEqual([
      undefined,
      undefined,
      undefined
    ])
    for (const wrong of ["kes", "btc", "ABC", "toString", 5]) {
      expect(refusalOf(AnyCurrencyCode, wrong), String(wrong)).toContain("is neither an active ISO 4217 currency code")
    }
    expect(computedScaleOf(CurrencyCode.make("KES"))).toBe(2)
  })
})
