/** Reasons why no provider takes a payment, once for each provider. */
import { describe, expect, it } from "vitest"
import { BigDecimal, Either } from "effect"
import { CountryCode } from "../../../src/domain/Country.ts"
import type { ConfigId } from "../../../src/domain/Ids.ts"
import { CurrencyCode } from "../../../src/domain/Currency.ts"
import { expected, Rate } from "../../../src/domain/Exchange.ts"
import { Money } from "../../../src/domain/Money.ts"
import { noRoute, reasonsForNone } from "../../../src/payments/route/PaymentRouter.ts"

type Routed = Parameters<typeof reasonsForNone>[1]

const corridor = { country: CountryCode.make("KE"), direction: "inbound", payment_method: "card" } as Parameters<
  typeof reasonsForNone
>[0]

const excluded = (...all: ReadonlyArray<readonly [provider: "stripe" | "adyen", reason: string]>): Routed =>
  ({
    candidates: [],
    excluded: all.map(([provider, reason], at) => ({ provider, reason, config_id: `${at}` as ConfigId }))
  }) as unknown as Routed

describe("a payment that no provider takes", () => {
  it("names each provider once, with each of its reasons once, as sentences", () => {
    const route = excluded(
      ["stripe", "no credentials"],
      ["adyen", "It is switched off."],
      ["stripe", "no credentials"],
      ["stripe", "The amount is above its limit."]
    )
    expect(reasonsForNone(corridor, route)).toBe(
      "No provider serves card inbound in KE. stripe: no credentials. The amount is above its limit. adyen: It is switched off."
    )
  })

  it("names amounts that the rate turns into what the provider takes", () => {
    const [eur, kes] = [CurrencyCode.make("EUR"), CurrencyCode.make("KES")]
    const money = (text: string, currency: CurrencyCode) => Either.getOrThrow(Money.fromNumericText(text, currency))
    const exchange = { from: eur, to: kes, rate: Rate.make(BigDecimal.unsafeFromString("140.597826087")) }
    const converted = { amount: money("100.00", eur), target: money("14059.78", kes), exchange }
    const none = excluded(["stripe", "It takes whole amounts only."])
    const wholeOnly = { ...none, excluded: none.excluded.map((one) => ({ ...one, digits: 0 })) }
    const { message } = noRoute(corridor, wholeOnly, converted)
    const [, below, above] = /Send an amount of (\S+) EUR or (\S+) EUR to reach/.exec(message) ?? []
    for (const text of [below, above]) expect(expected(money(text!, eur), exchange).minor % 100n).toBe(0n)
    expect(Number(below)).toBeLessThan(100)
    expect(Number(above)).toBeGreaterThan(100)
    expect(noRoute(corridor, none, converted).message).not.toContain("Send an amount")
  })

  it("says no more where there is no provider", () => {
    expect(reasonsForNone(corridor, excluded())).toBe("No provider serves card inbound in KE.")
  })
})
