import { Either, Option } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { countries, CountryCode } from "../../src/domain/Country.ts"
import {
  countryOfPhoneNumber,
  numbersInFull,
  readPhoneNumber,
  readPhoneNumberOf
} from "../../src/domain/PhoneNumber.ts"

const country = (code: string) => CountryCode.make(code)

const kenyanMobile = fc.stringMatching(/^7\d{8}$/)

describe("readPhoneNumber", () => {
  it.each([
    ["KE", "0712345678", "+254712345678"],
    ["KE", "+254 712 345 678", "+254712345678"],
    ["KE", "(0712) 345-678", "+254712345678"],
    ["NG", "0803 123 4567", "+2348031234567"],
    ["CI", "0700000001", "+2250700000001"],
    ["KE", "+44 7911 123456", "+447911123456"]
  ])("reads in %s %j as %s", (where, text, expected) => {
    expect(readPhoneNumber(text, country(where))).toEqual(Either.right(expected))
  })

  it.each([
    ["KE", "12345"],
    ["KE", "+2547123456789012"],
    ["CI", "+22507000001"],
    ["KE", "call 0712345678"],
    ["KE", "0712345678 or 0722345678"],
    ["KE", "0712345678 ext. 5"],
    ["KE", "+999712345678"],
    ["KE", ""],
    ["AQ", "0712345678"]
  ])("refuses in %s %j", (where, text) => {
    expect(Either.getOrNull(Either.flip(readPhoneNumber(text, country(where))))).toMatch(
      new RegExp(`^is not a possible phone number of ${where}`)
    )
  })

  it("keeps what it has read, in whatever form it came", () => {
    fc.assert(
      fc.property(kenyanMobile, (national) => {
        const e164 = `+254${national}`
        const spaced = national.replace(/(\d{3})(\d{3})(\d{3})/, "$1 $2-$3")
        for (const form of [e164, `0${national}`, `+254 ${spaced}`, `0${spaced}`]) {
          expect(readPhoneNumber(form, country("KE"))).toEqual(Either.right(e164))
        }
      })
    )
  })

  it("answers for every country there is", () => {
    for (const code of countries.keys()) {
      expect(readPhoneNumber("+254712345678", code)).toEqual(Either.right("+254712345678"))
      expect(Either.isLeft(readPhoneNumberOf("1", code))).toBe(true)
    }
  })
})

describe("readPhoneNumberOf", () => {
  it("takes only numbers under the country's own calling code", () => {
    fc.assert(
      fc.property(kenyanMobile, (national) => {
        expect(readPhoneNumberOf(`+254${national}`, country("KE"))).toEqual(Either.right(`+254${national}`))
        expect(readPhoneNumberOf(`+254${national}`, country("UG"))).toEqual(Either.left("is not a number of UG"))
      })
    )
  })

  it("does not distinguish countries that share a code", () => {
    expect(readPhoneNumberOf("+447911123456", country("GB"))).toEqual(Either.right("+447911123456"))
    expect(readPhoneNumberOf("+447911123456", country("JE"))).toEqual(Either.right("+447911123456"))
  })
})

describe("numbersInFull", () => {
  const countries = ["KE", "NG", "SN"].map(country)

  it.each([
    ["0712 345 678", ["+254712345678"]],
    ["712345678", ["+254712345678", "+221712345678"]],
    ["0803 123 4567", ["+2348031234567"]],
    ["254712345678", ["+254712345678"]],
    ["+254712345678", []],
    ["00254712345678", []],
    ["12", []],
    ["nobody", []]
  ])("reads %j as %j", (text, numbers) => {
    expect(numbersInFull(text, countries)).toEqual(numbers)
  })
})

describe("countryOfPhoneNumber", () => {
  it.each([
    ["+254712345678", "KE"],
    ["+2348031234567", "NG"],
    ["+1 416 555 0123", "CA"],
    ["+1 202 555 0143", "US"]
  ])("places %s in %s", (text, where) => {
    expect(countryOfPhoneNumber(text)).toEqual(Option.some(where))
  })

  it.each(["0712345678", "", "+999123", "nobody"])("cannot place %j", (text) => {
    expect(countryOfPhoneNumber(text)).toEqual(Option.none())
  })
})
