import { describe, expect, it } from "@effect/vitest"
import { Effect, Either, Option } from "effect"
import * as fc from "fast-check"
import { CountryCode } from "../../../src/domain/Country.ts"
import type { AnyCurrencyCode } from "../../../src/domain/Currency.ts"
import { networksOfCountry } from "../../../src/domain/MobileNetwork.ts"
import { Money } from "../../../src/domain/Money.ts"
import { listed } from "../../../src/providers/pawapay/PawapayCorridors.ts"
import { creationOf, statementOf } from "../../../src/providers/pawapay/PawapayRequests.ts"
import { pawapay } from "../../../src/providers/pawapay/PawapayAdapter.ts"
import { moneyOfMajor } from "../../../src/providers/client/WireValues.ts"
import { connected } from "../support/ConnectedAdapter.ts"
import { orderOf } from "../support/TestOrders.ts"

const pattern = /^([0]|([1-9][0-9]{0,17}))([.][0-9]{0,3}[1-9])?$/

describe("amounts for pawaPay", () => {
  it("arrive as they were meant, or are not sent at all", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...listed),
        fc.constantFrom("inbound" as const, "outbound" as const),
        fc.bigInt({ min: 1n, max: 999_999_999_999_999n }),
        (one, flow, minor) => {
          const money = new Money({ currency: one.currency as AnyCurrencyCode, minor })
          const mobileMoney = { network: one.network, phoneNumber: "+254703456789" }
          const order = orderOf({ flow, money, mobileMoney, country: CountryCode.make(one.country) })
          const digits = flow === "inbound" ? one.digitsIn : one.digitsOut
          const unit = 10n ** BigInt(Math.max(0, money.exponent - digits))
          const creation = creationOf(order, new Date(0))
          expect(Either.isRight(creation)).toBe(minor % unit === 0n)
          if (Either.isLeft(creation)) return
          const { amount, currency } = creation.right.body as Record<string, string>
          expect(amount).toMatch(pattern)
          expect(moneyOfMajor(amount!, currency!)).toEqual(Option.some(money))
        }
      )
    )
  })
})

describe("what pawaPay shows to the payer", () => {
  it("is always of the form that it takes", () => {
    fc.assert(
      fc.property(fc.option(fc.oneof(fc.string(), fc.fullUnicodeString())), (description) => {
        expect(statementOf(description, "Payment")).toMatch(/^[a-zA-Z0-9][a-zA-Z0-9 ]{2,20}[a-zA-Z0-9]$/)
      })
    )
  })

  it("keeps what can be kept", () => {
    expect(statementOf("École n°7", "Payment")).toBe("Ecole n 7")
    expect(statementOf("Order 12345678901234567890", "Payment")).toBe("Order 1234567890123456")
    expect(statementOf("Order 123456789012345 and more", "Payment")).toBe("Order 123456789012345")
    expect(statementOf("№", "Payment")).toBe("Payment")
    expect(statementOf(null, "Payout")).toBe("Payout")
  })
})

describe("what pawaPay serves", () => {
  it("is networks that we know, in their own currency", () => {
    for (const { country, currency, network } of listed) {
      const known = networksOfCountry(CountryCode.make(country)).find(({ code }) => code === network)
      expect([country, network, known?.currency]).toEqual([country, network, currency])
    }
    expect(new Set(listed.map(({ code }) => code)).size).toBe(listed.length)
  })

  const supports = connected(pawapay, { call: () => Effect.never }, { api_token: "t" }).supports
  const question = {
    currency: "KES" as AnyCurrencyCode,
    method: "mobile_money",
    flow: "inbound",
    country: CountryCode.make("KE"),
    network: "mpesa"
  } as const
  it("is said before any call", () => {
    expect(Either.isRight(supports(question))).toBe(true)
    expect(Either.isRight(supports({ ...question, flow: "outbound", network: null }))).toBe(true)
    for (const other of [
      { network: "airtel" },
      { country: CountryCode.make("NG") },
      { currency: "USD" as AnyCurrencyCode },
      { method: "card" as const },
      { flow: "external" as const }
    ]) {
      expect(Either.isLeft(supports({ ...question, ...other }))).toBe(true)
    }
  })
})
