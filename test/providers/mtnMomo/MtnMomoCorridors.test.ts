import { Either } from "effect"
import { describe, expect, it } from "vitest"
import type { AnyCurrencyCode } from "../../../src/domain/Currency.ts"
import { CountryCode } from "../../../src/domain/Country.ts"
import { mtnMomo } from "../../../src/providers/mtnMomo/MtnMomoAdapter.ts"
import type { SupportQuestion } from "../../../src/domain/Routing.ts"
import { replyOf, scripted } from "../support/ScriptedReplies.ts"
import { atMtn } from "./MtnMomoTestOrders.ts"

const { http } = scripted(() => replyOf(500))

describe("what an account at MTN serves", () => {
  const question = (about: Partial<SupportQuestion>): SupportQuestion => ({
    currency: "UGX" as AnyCurrencyCode,
    method: "mobile_money",
    flow: "inbound",
    country: CountryCode.make("UG"),
    network: "mtn",
    ...about
  })
  const ghana = { country: CountryCode.make("GH"), currency: "GHS" as AnyCurrencyCode }
  const euros = { currency: "EUR" as AnyCurrencyCode }

  it.each([
    ["mtnuganda", {}, undefined],
    ["mtnuganda", { flow: "outbound", network: null }, undefined],
    ["mtnuganda", ghana, "MTN MoMo (mtnuganda) does not serve mobile_money, inbound, in GH."],
    ["mtnghana", ghana, undefined],
    ["mtnuganda", euros, "MTN MoMo (mtnuganda) does not take EUR by mobile_money in UG, only UGX."],
    ["mtnuganda", { network: "airtel" }, "MTN MoMo (mtnuganda) does not reach the network airtel in UG."],
    ["mtnuganda", { method: "card" }, "MTN MoMo (mtnuganda) does not serve card, inbound."],
    ["sandbox", {}, "MTN MoMo's sandbox does not take UGX by mobile_money in UG, only EUR."],
    ["sandbox", euros, undefined],
    ["sandbox", { ...euros, country: CountryCode.make("SE"), network: null }, undefined]
  ] as const)("in %s: %j", (target_environment, about, expected) => {
    const answer = atMtn(http, { target_environment }).supports(question(about))
    expect(answer).toEqual(expected === undefined ? Either.void : Either.left(expected))
  })

  it("is nothing in an unknown environment, and the setting is named", () => {
    const answer = atMtn(http, { target_environment: "mtnmars" }).supports(question({}))
    expect(Either.getOrThrow(Either.flip(answer))).toMatch(
      /^MTN_MOMO_TARGET_ENVIRONMENT is mtnmars.*sandbox, mtnuganda/
    )
  })

  it("is declared for every country of MTN, both ways", () => {
    expect(mtnMomo.serves).toHaveLength(24)
    expect(mtnMomo.serves.every(({ method, networks }) => method === "mobile_money" && networks?.[0] === "mtn")).toBe(
      true
    )
  })
})
