import { Either } from "effect"
import { describe, expect, it } from "vitest"
import type { AnyCurrencyCode } from "../../../src/domain/Currency.ts"
import { CountryCode } from "../../../src/domain/Country.ts"
import { networksOfCountry } from "../../../src/domain/MobileNetwork.ts"
import { flutterwave } from "../../../src/providers/flutterwave/FlutterwaveAdapter.ts"
import type { SupportQuestion } from "../../../src/domain/Routing.ts"
import { replyOf, scripted } from "../support/ScriptedReplies.ts"
import { atFlutterwave } from "./FlutterwaveTestOrders.ts"

const provider = atFlutterwave(scripted(() => replyOf(500)).http)

describe("what Flutterwave serves", () => {
  const question = (text: string): SupportQuestion => {
    const [method, flow, country, currency, network] = text.split(" ")
    return {
      method: method as SupportQuestion["method"],
      flow: flow as SupportQuestion["flow"],
      country: CountryCode.make(country!),
      currency: currency as AnyCurrencyCode,
      network: network ?? null
    }
  }

  it.each([
    "card inbound NG NGN",
    "card inbound DE EUR",
    "bank_transfer inbound NG NGN",
    "bank_transfer outbound NG NGN",
    "mobile_money inbound KE KES mpesa",
    "mobile_money outbound KE KES mpesa",
    "mobile_money inbound CI XOF orange",
    "mobile_money outbound SN XOF orange"
  ])("%s", (text) => expect(provider.supports(question(text))).toEqual(Either.void))

  it.each([
    "card outbound NG NGN",
    "card inbound NG JPY",
    "bank_transfer inbound KE KES",
    "bank_transfer outbound GH GHS",
    "mobile_money inbound KE KES airtel",
    "mobile_money outbound CI XOF orange",
    "wallet inbound NG NGN",
    "crypto outbound NG USDC"
  ])("but not %s", (text) => expect(Either.isLeft(provider.supports(question(text)))).toBe(true))

  it("names only networks that exist in their country", () => {
    for (const { countries, networks = [] } of flutterwave.serves) {
      if (countries === "everywhere") continue
      const known = countries.flatMap((country) => networksOfCountry(CountryCode.make(country)).map(({ code }) => code))
      expect(known).toEqual(expect.arrayContaining([...networks]))
    }
  })

  it("promises nothing that is not shown", () => {
    expect([provider.honoursReference, provider.provesAbsence]).toEqual([false, false])
  })
})
