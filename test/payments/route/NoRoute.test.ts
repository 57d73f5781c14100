/** Why nobody takes a payment, said once for each provider. */
import { describe, expect, it } from "vitest"
import { CountryCode } from "../../../src/domain/Country.ts"
import type { ConfigId } from "../../../src/domain/Ids.ts"
import { reasonsForNone } from "../../../src/payments/route/PaymentRouter.ts"

type Routed = Parameters<typeof reasonsForNone>[1]

const corridor = { country: CountryCode.make("KE"), direction: "inbound", payment_method: "card" } as Parameters<
  typeof reasonsForNone
>[0]

const excluded = (...all: ReadonlyArray<readonly [provider: "stripe" | "adyen", reason: string]>): Routed =>
  ({
    candidates: [],
    excluded: all.map(([provider, reason], at) => ({ provider, reason, config_id: `${at}` as ConfigId }))
  }) as unknown as Routed

describe("a payment that nobody takes", () => {
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

  it("says no more where there is nobody", () => {
    expect(reasonsForNone(corridor, excluded())).toBe("No provider serves card inbound in KE.")
  })
})
