import { Effect, Either } from "effect"
import { describe, expect, it } from "vitest"
import type { AnyCurrencyCode } from "../../../src/domain/CryptoAsset.ts"
import { CountryCode } from "../../../src/domain/Country.ts"
import { networksOfCountry } from "../../../src/domain/MobileNetwork.ts"
import { flutterwave } from "../../../src/providers/flutterwave/Flutterwave.ts"
import { type CallbackRequest, Hint } from "../../../src/providers/port/Callback.ts"
import type { SupportQuestion } from "../../../src/domain/Routing.ts"
import { accountOf, replyOf, scripted } from "../OverTheWire.ts"
import { connected } from "./Flw.ts"

const { http } = scripted(() => replyOf(500))
const provider = connected(http)

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

describe("a callback from Flutterwave", () => {
  const reference = "0198c0de-7a11-4c0d-8f00-0123456789ab"
  const secret = "fake-flutterwave-secret-hash"
  const hint = new Hint({ attempt: { reference, providerPaymentId: null } })

  const callback = (body: unknown, hash: string | undefined = secret): CallbackRequest => ({
    method: "POST",
    path: "/callbacks",
    query: {},
    authority: "pay.example.com",
    headers: { "verif-hash": hash },
    body: Buffer.from(typeof body === "string" ? body : JSON.stringify(body))
  })
  const read = (request: CallbackRequest) => Effect.runPromise(Effect.either(provider.callback(request)))

  it.each([
    [{ event: "charge.completed", data: { id: 285959875, tx_ref: reference, status: "successful", amount: 100 } }],
    [{ event: "transfer.completed", data: { id: 33286, reference, status: "SUCCESSFUL" } }],
    [{ event: "something.new", data: { tx_ref: reference } }],
    [{ txRef: reference, status: "successful", "event.type": "CARD_TRANSACTION" }],
    [{ "event.type": "Transfer", transfer: { id: 3455, reference, status: "SUCCESSFUL" } }]
  ])("is a hint and nothing more, though it has the secret: %j", async (body) => {
    expect(await read(callback(body))).toEqual(Either.right({ events: [hint] }))
  })

  it.each([
    [{ event: "test_assess" }],
    [{ event: "charge.completed", data: null }],
    [{ event: "refund.completed", data: { id: 1, status: "completed" } }],
    ["not JSON"],
    [[]]
  ])("is about nothing of ours: %j", async (body) => {
    expect(await read(callback(body))).toEqual(Either.right({ events: [] }))
  })

  it.each([["another"], [`${secret}x`], [""], [secret.toUpperCase()]])("is not let in with %j", async (hash) => {
    const body = { event: "charge.completed", data: { tx_ref: reference } }
    expect(await read(callback(body, hash))).toMatchObject({
      left: { _tag: "NoProof", message: "verif-hash is not our secret hash" }
    })
  })

  it("is not let in without the header", async () => {
    const request = { ...callback({ data: { tx_ref: reference } }), headers: {} }
    expect(Either.isLeft(await read(request))).toBe(true)
  })

  it("is not let in where the account has no secret, and the setting is named", async () => {
    const unset = flutterwave.connect(accountOf(flutterwave, http, { secret_key: "FLWSECK-x" }))
    const answer = await Effect.runPromise(Effect.flip(unset.callback(callback({}))))
    expect(answer.message).toMatch(/^FLUTTERWAVE_WEBHOOK_SECRET is not set/)
  })
})

describe("the test of an account", () => {
  it("says which wallets it has, or why it was not let in", async () => {
    const tested = (status: number, body: unknown) =>
      Effect.runPromise(connected(scripted(() => replyOf(status, body)).http).test!)
    const data = [{ currency: "NGN", available_balance: 2367840 }, { currency: "KES" }]
    expect(await tested(200, { status: "success", message: "ok", data })).toEqual(Either.right("it holds NGN, KES"))
    expect(await tested(401, { status: "error", message: "Invalid authorization key", data: null })).toEqual(
      Either.left("Invalid authorization key")
    )
    expect(await tested(502, "<html>")).toEqual(Either.left("HTTP 502"))
  })
})
