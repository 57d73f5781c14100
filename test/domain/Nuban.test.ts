import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { agreesWithBank, isNubanShaped, nubanCheckDigit } from "../../src/domain/AccountFormat.ts"

const digits = (length: number) => fc.stringMatching(new RegExp(`^\\d{${length}}$`))

const bankCode = fc.oneof(digits(3), digits(5))

describe("NUBAN", () => {
  it.each([
    ["011", "000001457", 9],
    ["011", "000000022", 0],
    ["058", "001656322", 8]
  ])("has for bank %s and serial %s the published check digit %i", (bank, serial, digit) => {
    expect(nubanCheckDigit(bank, serial)).toBe(digit)
    expect(agreesWithBank(`${serial}${digit}`, bank)).toBe(true)
  })

  it("weighs the five digits of another financial institution after a 9", () => {
    // 9·3 + 5·7 + 0·3 + 5·3 + 4·7 + 7·3 = 126, and a serial of zeros adds nothing.
    expect(nubanCheckDigit("50547", "000000000")).toBe(4)
    // … + 1·3
    expect(nubanCheckDigit("50547", "000000001")).toBe(1)
  })

  it("accepts for one serial exactly one check digit", () => {
    fc.assert(
      fc.property(bankCode, digits(9), (bank, serial) => {
        const accepted = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9].filter((digit) => agreesWithBank(`${serial}${digit}`, bank))
        expect(accepted).toEqual([nubanCheckDigit(bank, serial)])
      })
    )
  })

  it("notices every single wrong digit, of the account and of the bank", () => {
    fc.assert(
      fc.property(bankCode, digits(9), fc.nat(), fc.integer({ min: 1, max: 9 }), (bank, serial, at, by) => {
        const whole = `${bank}${serial}${nubanCheckDigit(bank, serial)}`
        const index = at % whole.length
        const wrong = (Number(whole[index]) + by) % 10
        const changed = `${whole.slice(0, index)}${wrong}${whole.slice(index + 1)}`
        expect(agreesWithBank(changed.slice(bank.length), changed.slice(0, bank.length))).toBe(false)
      })
    )
  })

  it("says nothing about banks whose code is not one of the scheme's", () => {
    expect(nubanCheckDigit("999992", "801234567")).toBeUndefined()
    for (const last of "0123456789") expect(agreesWithBank(`801234567${last}`, "999992")).toBe(true)
  })

  it.each(["000001457", "00000145790", "000001457X", " 0000014579", "٠٠٠٠٠١٤٥٧٩", ""])(
    "has ten digits, unlike %j",
    (text) => {
      expect(isNubanShaped(text)).toBe(false)
      expect(isNubanShaped("0000014579")).toBe(true)
    }
  )
})
