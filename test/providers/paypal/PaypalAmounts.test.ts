import { describe, expect, it } from "@effect/vitest"
import { Either, Option } from "effect"
import * as fc from "fast-check"
import { isAnyCurrencyCode } from "../../../src/domain/Currency.ts"
import { Money } from "../../../src/domain/Money.ts"
import { paypalCurrencies, paypalText } from "../../../src/providers/paypal/PaypalSchemas.ts"
import { createOrder, createPayout } from "../../../src/providers/paypal/PaypalRequests.ts"
import { moneyOfMajor } from "../../../src/providers/client/WireValues.ts"
import { amount } from "../support/TestOrders.ts"
import { byCard, toWallet } from "./PaypalTestOrders.ts"

const known: ReadonlyArray<string> = paypalCurrencies

const money = fc
  .tuple(fc.constantFrom(...known.filter(isAnyCurrencyCode)), fc.bigInt({ min: 1n, max: 10n ** 20n }))
  .map(([currency, minor]) => new Money({ currency, minor }))

const whole = ["HUF", "JPY", "TWD"]

describe("amounts at PayPal", () => {
  it("come back as they went, or are not sent", () => {
    fc.assert(
      fc.property(money, (one) => {
        const written = paypalText(one)
        const unit = 10n ** BigInt(one.exponent)
        expect(Option.isSome(written)).toBe(!whole.includes(one.currency) || one.minor % unit === 0n)
        if (Option.isNone(written)) return
        expect(written.value).toMatch(whole.includes(one.currency) ? /^\d+$/ : /^\d+\.\d{2}$/)
        expect(Option.getOrThrow(moneyOfMajor(written.value, one.currency))).toEqual(one)
      })
    )
  })

  it.each([
    ["100.00", "USD", "100.00"],
    ["1500", "JPY", "1500"],
    ["1500.00", "HUF", "1500"],
    ["30.00", "TWD", "30"]
  ])("%s %s is written %s", (text, currency, written) => {
    expect(paypalText(amount(text, currency))).toEqual(Option.some(written))
  })

  it("a fraction of what has none at PayPal is refused before it is sent", () => {
    const halves = amount("1500.50", "HUF")
    for (const asked of [createOrder(byCard({ money: halves })), createPayout(toWallet({ money: halves }))]) {
      expect(Either.flip(asked)).toMatchObject({ right: { _tag: "Declined", code: "NOT_SUPPORTED" } })
    }
  })
})
