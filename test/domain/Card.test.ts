import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import { brandOf, holdsNumber, maskCard } from "../../src/domain/Card.ts"

const expiry = { expiry_month: "12", expiry_year: "2030" }

describe("Card", () => {
  it.each([
    ["4242424242424242", "visa"],
    ["5555555555554444", "mastercard"],
    ["2223003122003222", "mastercard"],
    ["2720990000000007", "mastercard"],
    ["378282246310005", "amex"],
    ["6011111111111117", "discover"],
    ["5060990580000217499", "verve"],
    ["3530111333300000", "jcb"],
    ["30569309025904", "diners"],
    ["6205500000000000004", "unionpay"],
    ["9999999999999999", "unknown"],
    ["2221000000000009", "mastercard"],
    ["2220990000000000", "unknown"],
    ["2721000000000004", "unknown"]
  ])("knows the brand of %s", (number, brand) => {
    expect(brandOf(number)).toBe(brand)
  })

  it.each([
    ["4242424242424242", true],
    ["card 4242 4242 4242 4242, please", true],
    ["4242-4242-4242-4242", true],
    ["424242424242424", false],
    ["4242 and 4242 4242 4242", false],
    ["", false]
  ])("finds its number in %j: %s", (text, found) => {
    expect(holdsNumber(text, "4242424242424242")).toBe(found)
    expect(holdsNumber(text, ""), "of no card").toBe(false)
  })

  it("keeps the first six, the last four, the brand, the expiry and the holder", () => {
    expect(maskCard({ card_number: "4242421234564242", ...expiry, card_holder_name: "Ada Okafor" })).toEqual({
      bin: "424242",
      last4: "4242",
      brand: "visa",
      ...expiry,
      card_holder_name: "Ada Okafor"
    })
    expect(maskCard({ card_number: "4242421234564242", ...expiry }).card_holder_name).toBeNull()
  })

  it("never keeps the number, whatever its length, nor a cvv that comes along", () => {
    const digits = fc.integer({ min: 13, max: 19 }).chain((length) => {
      const digit = fc.constantFrom(..."0123456789")
      return fc.stringOf(digit, { minLength: length, maxLength: length })
    })
    fc.assert(
      fc.property(digits, (card_number) => {
        // No digits, which a number may have by chance.
        const card = { card_number, ...expiry, cvv: "cvv" }
        const kept = JSON.stringify(maskCard(card))
        expect(kept).not.toContain(card_number)
        expect(kept).not.toContain("cvv")
        const shown = maskCard(card).bin.length + maskCard(card).last4.length
        expect(shown).toBe(10)
      })
    )
  })
})
