import { Effect, Either, Equal, Option } from "effect"
import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import type { AnyCurrencyCode } from "../../../src/domain/CryptoAsset.ts"
import { CountryCode } from "../../../src/domain/Country.ts"
import { Money } from "../../../src/domain/Money.ts"
import { orderRequest } from "../../../src/providers/mtnMomo/MtnMomoRequests.ts"
import { mtnMomo } from "../../../src/providers/mtnMomo/MtnMomo.ts"
import { Hint, type CallbackRequest } from "../../../src/providers/port/Callback.ts"
import type { SupportQuestion } from "../../../src/domain/Routing.ts"
import { moneyOfMajor } from "../../../src/providers/port/WireAmount.ts"
import { orderOf, replyOf, scripted } from "../OverTheWire.ts"
import { connected } from "./Momo.ts"

const { http } = scripted(() => replyOf(500))

describe("amounts for MTN", () => {
  const currencies = [...new Set(["EUR", ...mtnMomo.serves.flatMap((one) => one.currencies)])] as Array<AnyCurrencyCode>

  it("are written exactly, and read back as the same", () => {
    fc.assert(
      fc.property(fc.constantFrom(...currencies), fc.bigInt(1n, 10n ** 15n), (currency, minor) => {
        const money = new Money({ currency, minor })
        const { body } = Either.getOrThrow(orderRequest(orderOf({ money })))
        const text = body["amount"] as string
        expect(text).toMatch(/^\d+(\.\d*[1-9])?$/)
        expect(Equal.equals(Option.getOrThrow(moneyOfMajor(text, currency)), money)).toBe(true)
      })
    )
  })
})

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
    const answer = connected(http, { target_environment }).supports(question(about))
    expect(answer).toEqual(expected === undefined ? Either.void : Either.left(expected))
  })

  it("is nothing in an environment that nobody knows, and the setting is named", () => {
    const answer = connected(http, { target_environment: "mtnmars" }).supports(question({}))
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

describe("a callback from MTN", () => {
  const reference = "0198c0de-7a11-4c0d-8f00-0123456789ab"
  const callback = (body: string, about: Partial<CallbackRequest> = {}) =>
    Effect.runPromise(
      connected(http).callback({
        method: "PUT",
        path: "/callbacks",
        query: {},
        authority: "pay.example.com",
        headers: {},
        body: Buffer.from(body),
        ...about
      })
    )
  const hint = new Hint({ attempt: { reference, providerPaymentId: null } })

  it.each([
    ["PUT", JSON.stringify({ externalId: reference, status: "SUCCESSFUL", amount: "1", currency: "UGX" })],
    ["POST", JSON.stringify({ externalId: reference, status: "FAILED", reason: "EXPIRED" })],
    ["PUT", JSON.stringify({ referenceId: reference, status: "SUCCESSFUL", externalId: null })],
    ["POST", JSON.stringify({ externalId: reference, status: "SOMETHING_NEW" })]
  ])("by %s is a hint and nothing more: %s", async (method, body) => {
    expect((await callback(body, { method })).events).toEqual([hint])
  })

  it("may name what it is about in a header alone", async () => {
    expect((await callback("", { headers: { "x-reference-id": reference } })).events).toEqual([hint])
  })

  it.each(["", "not JSON", "[]", "{}", "null", JSON.stringify({ externalId: { a: 1 } })])(
    "is about nothing of ours: %j",
    async (body) => {
      expect((await callback(body)).events).toEqual([])
    }
  )

  it("keeps an external id that is not ours as it came", async () => {
    expect((await callback('{"externalId": 947354}')).events).toEqual([
      new Hint({ attempt: { reference: "947354", providerPaymentId: null } })
    ])
  })
})
