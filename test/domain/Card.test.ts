import { describe, expect, it } from "@effect/vitest"
import * as fc from "fast-check"
import {
  brandOf,
  cardNumbersIn,
  hideCardNumbers,
  holdsCardNumber,
  holdsNumber,
  maskCard
} from "../../src/domain/Card.ts"

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

  it.each([
    "4539578763621486",
    "card 4539578763621486, 12/29, 123",
    "4539578763621486 12/29 123",
    "4539578763621486,12/29",
    "order-4539578763621486",
    "4539 5787 6362 1486",
    "4539-5787-6362-1486 12/29",
    "4539 5787 6362 1486 123",
    "4539\u00a05787\u00a06362\u00a01486",
    "4539\u202f5787\u202f6362\u202f1486",
    "4539\u200b5787\u200b6362\u200b1486",
    "\uff14539578763621486",
    "٤٥٣٩٥٧٨٧٦٣٦٢١٤٨٦",
    "४५३९ ५७८७ ६३६२ १४८६",
    "4539.5787.6362.1486",
    "4539/5787/6362/1486",
    "4539_5787_6362_1486",
    "4539\t5787\t6362\t1486",
    "4539–5787–6362–1486",
    "4539\u22125787\u22126362\u22121486",
    "\n4539578763621486\n",
    "378282246310005",
    "3782 822463 10005",
    "3056 930902 5904",
    "5555555555554444",
    "2223003122003222",
    "6011111111111117",
    "3530111333300000",
    "5060990580000217499",
    "6205500000000000004"
  ])("sees the number of a card in %j", (text) => {
    expect(holdsCardNumber(text)).toBe(true)
  })

  it.each([
    ["a check digit that is wrong", "4539578763621487"],
    ["a number of the caller's with a letter before it", "ORD4539578763621486"],
    ["one with a letter after it", "4539578763621486A"],
    ["a phone number", "+4915123456789"],
    ["a long one", "+4539578763621486"],
    ["epoch milliseconds", "1763352000000"],
    ["epoch microseconds", "1763352000000009"],
    ["a snowflake", "1234567890123456789"],
    ["a time as an order number", "20261117043000123"],
    ["a network that there is not", "9999999999999995"],
    ["too short", "424242424242"],
    ["part of something longer", "45395787636214864242424242"],
    ["more groups than a card has", "4539 5787 6362 1486 4242"],
    ["more groups than a card has, with points", "4539.5787.6362.1486.4242"],
    ["groups that are parted in two ways", "4539.5787-6362.1486"],
    ["a path", "/2026/4539/5787/6362/1486"],
    ["an IBAN in groups", "DE89 3704 0044 0532 0130 00"],
    ["a UUID", "01994242-4242-7424-8242-424242424242"],
    ["a fraction", "0.4242424242424242"],
    ["nothing", ""]
  ])("takes %s for no card", (_, text) => {
    expect(holdsCardNumber(text)).toBe(false)
  })

  it.each([
    ["4539 5787 6362 1486 12/29", "[card] 12/29"],
    ["4539578763621486, cvv 123", "[card], cvv 123"],
    ["４５３９５７８７６３６２１４８６ x", "[card] x"],
    ["a 4539-5787-6362-1486 b", "a [card] b"]
  ])("is found, and hidden, in %j without what stands beside it", (text, hidden) => {
    expect(cardNumbersIn(text)).toEqual(["4539578763621486"])
    expect(hideCardNumbers(text)).toBe(hidden)
  })

  it("takes few numbers of sixteen digits for one", () => {
    const numbers = Array.from({ length: 20_000 }, (_, n) => String(1_000_000_000_000_000 + n * 449_999_999_989))
    expect(numbers.filter(holdsCardNumber).length / numbers.length).toBeLessThan(0.03)
  })
})
