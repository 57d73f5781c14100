import { Option } from "effect"
import { describe, expect, it } from "vitest"
import { CurrencyCode } from "../../../../src/domain/Currency.ts"
import { languages } from "../../../../src/hosted/pages/PageText.ts"
import { typedAmount } from "../../../../src/hosted/pages/link/LinkForm.ts"

const words = (language: string) => languages.find((one) => one.language === language)!

const read = (text: string, language: "en" | "fr" | "sw" | "pt" | "ar" | "ha", currency = "KES") =>
  Option.getOrNull(Option.map(typedAmount(text, CurrencyCode.make(currency), words(language)), String))

describe("a typed amount", () => {
  it.each([
    ["1500", "en", "1500.00 KES"],
    [" 1,500.5 ", "en", "1500.50 KES"],
    ["1,234,567.89", "en", "1234567.89 KES"],
    ["12,50", "en", "12.50 KES"],
    ["1\u202f500,50", "fr", "1500.50 KES"],
    ["1 500.50", "fr", "1500.50 KES"],
    ["1,500.50", "sw", "1500.50 KES"],
    ["1 500,50", "pt", "1500.50 KES"],
    ["١٥٠٠.٥٠", "ar", "1500.50 KES"],
    ["١٬٥٠٠٫٥٠", "ar", "1500.50 KES"],
    ["۱۵۰۰", "ar", "1500.00 KES"],
    ["1,500", "ha", "1500.00 KES"]
  ] as const)("%s in %s is %s", (text, language, money) => {
    expect(read(text, language)).toBe(money)
  })

  it.each(["", "0", "0.00", "-5", "+5", "1e3", "1.505", "12,345,6", "1.2.3", "1,5000", "٥", "NaN", "1".repeat(16)])(
    "%s is none",
    (text) => {
      expect([read(text, "en"), read(text, "fr")]).toEqual([null, null])
    }
  )

  it("that could be thousands or a fraction is none", () => {
    expect(read("1,500", "en")).toBe("1500.00 KES")
    expect(read("1.500", "en")).toBeNull()
    expect(read("1,500", "fr")).toBeNull()
    expect(read("1.500", "fr")).toBeNull()
  })

  it("of a currency with three decimals is none after one comma, where commas group", () => {
    for (const language of ["en", "ar"] as const) {
      expect(read("1,500", language, "KWD")).toBeNull()
      expect(read("1,500.000", language, "KWD")).toBe("1500.000 KWD")
      expect(read("1,500,000", language, "KWD")).toBe("1500000.000 KWD")
      expect(read("1,5", language, "KWD")).toBe("1.500 KWD")
    }
    expect(read("1,500", "fr", "TND")).toBe("1.500 TND")
  })

  it("of a currency with three decimals is none after one point, where a comma is decimal", () => {
    for (const language of ["pt", "fr"] as const) expect(read("1.500", language, "TND")).toBeNull()
  })

  it("has the digits of its currency", () => {
    expect(read("1500.5", "en", "UGX")).toBeNull()
    expect(read("1500.555", "en", "KWD")).toBe("1500.555 KWD")
  })
})
