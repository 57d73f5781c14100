import currencyCodes from "currency-codes"
import { Either, ParseResult, Schema } from "effect"
import isoCountries from "i18n-iso-countries"
import english from "i18n-iso-countries/langs/en.json" with { type: "json" }
import { describe, expect, it } from "vitest"
import { countries, CountryCode, defaultCurrencyOf, subRegionOf } from "../../src/domain/Country.ts"

isoCountries.registerLocale(english)

describe("the table", () => {
  it("has exactly the codes of ISO 3166-1", () => {
    const userAssigned = ["XK"]
    const theirs = Object.keys(isoCountries.getAlpha2Codes()).filter((code) => !userAssigned.includes(code))
    expect([...countries.keys()].sort()).toEqual(theirs.sort())
    expect(countries.size).toBe(249)
  })

  it("gives each country a currency that ISO 4217 lists for it", () => {
    // currency-codes is of 2024; these changed their currency since.
    const changed: Record<string, string> = { BG: "EUR", CW: "XCG", SX: "XCG" }
    const listed = new Map<string, Set<string>>()
    for (const { code, countries: names } of currencyCodes.data) {
      for (const name of names) {
        const bare = name.replace(/ \((the)\)$/i, "")
        const country = isoCountries.getAlpha2Code(bare, "en") ?? isoCountries.getSimpleAlpha2Code(bare, "en")
        if (country !== undefined) listed.set(country, (listed.get(country) ?? new Set()).add(code))
      }
    }
    const checked = [...countries.values()].filter(({ code }) => listed.has(code))
    expect(checked.length).toBeGreaterThan(200)
    const differing = checked.filter(({ code, currency }) => !listed.get(code)?.has(currency))
    expect(Object.fromEntries(differing.map(({ code, currency }) => [code, currency]))).toEqual(changed)
  })

  it("puts every country in a UN M49 sub-region, in the numbers that M49 has", () => {
    const sizes: Record<string, number> = {}
    for (const { subRegion } of countries.values()) sizes[subRegion] = (sizes[subRegion] ?? 0) + 1
    expect(Object.entries(sizes).sort()).toEqual(
      Object.entries({
        "010": 1,
        "015": 7,
        "021": 5,
        "030": 8,
        "034": 9,
        "035": 11,
        "039": 16,
        "053": 6,
        "054": 5,
        "057": 8,
        "061": 10,
        "143": 5,
        "145": 18,
        "151": 10,
        "154": 16,
        "155": 9,
        "202": 53,
        "419": 52
      }).sort()
    )
  })

  it.each([
    ["KE", "KES", "202"],
    ["NG", "NGN", "202"],
    ["EG", "EGP", "015"],
    ["GB", "GBP", "154"],
    ["US", "USD", "021"],
    ["DE", "EUR", "155"],
    ["BR", "BRL", "419"],
    ["CI", "XOF", "202"]
  ])("%s uses %s and lies in %s", (text, currency, subRegion) => {
    const code = CountryCode.make(text)
    expect([defaultCurrencyOf(code), subRegionOf(code)]).toEqual([currency, subRegion])
  })
})

describe("CountryCode", () => {
  it.each([
    ["ke", "two upper-case letters"],
    ["KEN", "two upper-case letters"],
    ["KE\n", "two upper-case letters"],
    ["", "two upper-case letters"],
    ["ZZ", "ZZ is unknown"],
    ["UK", "UK is unknown"],
    [254, "is not a string"]
  ])("refuses %j and gives an example", (input, reason) => {
    const result = Schema.decodeUnknownEither(CountryCode)(input)
    const error = Either.getOrThrow(Either.flip(result))
    const message = ParseResult.ArrayFormatter.formatErrorSync(error)[0]?.message
    expect(message).toContain(reason)
    expect(message).toContain('"KE"')
  })
})
