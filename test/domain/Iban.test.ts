import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { CountryCode } from "../../src/domain/Country.ts"
import { compactIban, ibanProblem, startsLikeIban } from "../../src/domain/AccountFormat.ts"

const country = (code: string) => CountryCode.make(code)

/** ISO 7064 mod 97-10, as the standard defines it: move four characters, letters become numbers, the rest must be 1. */
const checkDigits = (issuer: string, bban: string): string => {
  const numbers = `${bban}${issuer}00`.replace(/[A-Z]/g, (letter) => String(letter.charCodeAt(0) - 55))
  return String(98n - (BigInt(numbers) % 97n)).padStart(2, "0")
}

const germanIban = fc.stringMatching(/^\d{18}$/).map((bban) => `DE${checkDigits("DE", bban)}${bban}`)

describe("IBAN", () => {
  it.each([
    ["GB82WEST12345698765432", "GB"],
    ["DE89370400440532013000", "DE"],
    ["FR1420041010050500013M02606", "FR"],
    ["gb82 west 1234 5698 7654 32", "GB"],
    ["GB82-WEST-1234-5698-7654-32", "GB"]
  ])("takes %s in %s", (iban, where) => {
    expect(ibanProblem(iban, country(where))).toBeUndefined()
  })

  it("takes every number with the right check digits, and none with others", () => {
    fc.assert(
      fc.property(germanIban, fc.integer({ min: 1, max: 96 }), (iban, by) => {
        expect(ibanProblem(iban, country("DE"))).toBeUndefined()
        const wrong = String((Number(iban.slice(2, 4)) + by) % 97).padStart(2, "0")
        expect(ibanProblem(`DE${wrong}${iban.slice(4)}`, country("DE"))).toMatch(/^is not a valid IBAN/)
      })
    )
  })

  it.each([
    "GB82WEST1234569876543",
    "GB",
    "US12345678",
    "GB82WEST12345698765432X",
    "GB82;WEST12345698765432",
    "GB82  WEST12345698765432"
  ])("refuses %s", (text) => {
    expect(ibanProblem(text, country("GB"))).toMatch(/^is not a valid IBAN/)
  })

  it("belongs to the country of the bank", () => {
    expect(ibanProblem("DE89370400440532013000", country("GB"))).toBe("is an IBAN of DE, but the bank's country is GB")
  })

  it.each([
    ["JE", "GB82WEST12345698765432"],
    ["RE", "FR1420041010050500013M02606"]
  ])("of a territory (%s) may be that of the country which issues it", (territory, iban) => {
    expect(ibanProblem(iban, country(territory))).toBeUndefined()
    expect(ibanProblem(iban, country("DE"))).toMatch(/^is an IBAN of/)
  })

  it("is distinguished from other numbers by two letters in front", () => {
    expect(["GB82", "gb", "ab12"].map(startsLikeIban)).toEqual([true, true, true])
    expect(["G182", "0123", "", "1GB8", "-GB"].map(startsLikeIban)).toEqual([false, false, false, false, false])
  })

  it("is compared without spaces, dashes and case", () => {
    expect(compactIban("gb82 west-1234 5698 7654 32")).toBe("GB82WEST12345698765432")
  })
})
