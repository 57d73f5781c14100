import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { CurrencyCode } from "../../../src/domain/Currency.ts"
import { Money } from "../../../src/domain/Money.ts"
import { english } from "../../../src/hosted/pages/languages/English.ts"
import { french } from "../../../src/hosted/pages/languages/French.ts"
import { amountText, languages, pageTextFor, timeText } from "../../../src/hosted/pages/PageText.ts"

const money = (currency: string, minor: bigint) => new Money({ currency: CurrencyCode.make(currency), minor })

describe("amounts", () => {
  it.each([
    ["KES", 150_000n, "1,500.00 KES", "1 500,00 KES"],
    ["KES", 5n, "0.05 KES", "0,05 KES"],
    ["KES", 99_999n, "999.99 KES", "999,99 KES"],
    ["UGX", 1_234_567n, "1,234,567 UGX", "1 234 567 UGX"],
    ["KWD", 1_000_001n, "1,000.001 KWD", "1 000,001 KWD"],
    ["USD", 99_999_999_999_999_999n, "999,999,999,999,999.99 USD", "999 999 999 999 999,99 USD"]
  ])("of %s show every digit (%i)", (currency, minor, inEnglish, inFrench) => {
    const plain = (text: string) => text.replaceAll(/[\u00a0\u202f]/g, " ")
    expect(plain(amountText(money(currency, minor), english))).toBe(inEnglish)
    expect(plain(amountText(money(currency, minor), french))).toBe(inFrench)
  })

  it("are the exact decimal once their separators are taken away", () => {
    fc.assert(
      fc.property(fc.bigUintN(80), fc.constantFrom("KES", "UGX", "KWD"), (minor, currency) => {
        const one = money(currency, minor)
        const text = amountText(one, english)
        expect(text.replaceAll(",", "").replace("\u00a0", " ")).toBe(one.toString())
        expect(text).toMatch(/^\d{1,3}(,\d{3})*(\.\d+)?\u00a0/)
      })
    )
  })
})

describe("the language of a page", () => {
  it.each([
    [undefined, "en"],
    ["", "en"],
    ["*", "en"],
    ["de", "en"],
    ["fr", "fr"],
    ["FR-ca", "fr"],
    ["fr;q=0", "en"],
    ["en;q=0.4, fr;q=0.5", "fr"],
    ["fr;q=0.4, en;q=0.5", "en"],
    ["de, fr, en", "fr"],
    ["de, en, fr", "en"],
    ["en-GB,en;q=0.9,fr;q=0.8", "en"],
    ["fry, frm", "en"],
    ["fr;q=nonsense", "fr"],
    ["sw-TZ,sw;q=0.9,en;q=0.8", "sw"],
    ["pt-BR", "pt"],
    ["ha-NG", "ha"],
    ["ar-MA;q=0.7,fr;q=0.9", "fr"],
    ["zh, ar;q=0.2", "ar"]
  ])("for %s is %s", (header, language) => {
    expect(pageTextFor(header).language).toBe(language)
  })
})

describe("every language", () => {
  /** Names of all texts, with how many values each takes. */
  const shapeOf = (texts: object): ReadonlyArray<string> =>
    Object.entries(texts).flatMap(([name, text]) => {
      if (typeof text === "object") return shapeOf(text).map((inner) => `${name}.${inner}`)
      return [typeof text === "function" ? `${name}(${text.length})` : name]
    })

  it.each(languages.map((words) => [words.ownName, words] as const))(
    "%s has all texts, and none of another",
    (_, words) => {
      expect(shapeOf(words)).toEqual(shapeOf(english))
      const own = [
        words.checkTitle,
        words.link.title,
        words.completedTitle,
        words.link.closed.expired.text,
        words.pay("1")
      ]
      for (const text of own) expect(text).not.toBe("")
      for (const other of languages.filter((one) => one !== words)) {
        expect([other.checkTitle, other.link.title, other.completedTitle]).not.toContain(words.checkTitle)
        expect(other.language).not.toBe(words.language)
      }
      const values = ["Acme", "1,500.00 KES"] as const
      expect(words.receiptText(values[1], values[0])).toContain("Acme")
      expect(words.link.rateFor("1 USD = 2 KES", 14)).toMatch(
        words.direction === "rtl" ? /^\u200f\u20661 USD = 2 KES\u2069.*14/ : /^1 USD = 2 KES.*14/
      )
      expect(words.link.rateFor("1 USD = 2 KES", 0)).not.toContain("0")
    }
  )
})

it.each([
  ["en", "2026-11-16T13:05:59.999Z", /^16 Nov 2026, 13:05\u00a0UTC$/],
  ["en", "2026-01-02T00:30:00.000Z", /^2 Jan 2026, 00:30\u00a0UTC$/],
  ["fr", "2026-02-01T23:59:00.000Z", /^1 févr\. 2026[, à]+23:59\u00a0UTC$/]
] as const)("a time in %s, %s, names the month and has 24 hours", (language, moment, text) =>
  expect(timeText(new Date(moment), { language })).toMatch(text)
)
