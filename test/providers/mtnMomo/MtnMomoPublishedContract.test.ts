import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import type { ProviderCall } from "../../../src/providers/client/ProviderHttp.ts"
import type { Provider } from "../../../src/providers/port/Provider.ts"
import { attemptOf } from "../support/TestOrders.ts"
import { replyOf, scripted } from "../support/ScriptedReplies.ts"
import { atMtn, callFlaws, ugandan, why } from "./MtnMomoTestOrders.ts"

const granted = replyOf(200, { access_token: "t", token_type: "access_token", expires_in: 3600 })

const callsOf = async (use: (provider: Provider) => Effect.Effect<unknown>): Promise<ReadonlyArray<ProviderCall>> => {
  const { calls, http } = scripted(({ path }) => (path.endsWith("/token/") ? granted : replyOf(500, {})))
  await Effect.runPromise(use(atMtn(http)))
  return calls
}

const payin = ugandan({})
const payout = ugandan({ flow: "outbound" })

describe.skipIf(why !== "")(`MTN's definition of its API${why}`, () => {
  const order: ProviderCall = {
    operation: "known to be bad",
    method: "POST",
    path: "/collection/v1_0/requesttopay",
    headers: { authorization: "Bearer t", "x-reference-id": payin.reference, "x-target-environment": "sandbox" },
    body: JSON.stringify({ amount: "100", currency: "EUR", payer: { partyIdType: "MSISDN", partyId: "46733123453" } })
  }

  it("is a judge that refuses", () => {
    expect(callFlaws(order)).toEqual([])
    expect(callFlaws({ ...order, body: JSON.stringify({ amount: 100 }) })).toEqual(["/amount must be string"])
    expect(callFlaws({ ...order, body: JSON.stringify({ payer: { partyIdType: "PHONE" } }) })).toEqual([
      "/payer/partyIdType must be equal to one of the allowed values"
    ])
    const { "x-reference-id": _, ...headers } = order.headers!
    expect(callFlaws({ ...order, headers })).toEqual(["header X-Reference-Id is missing"])
    expect(callFlaws({ ...order, path: "/collection/v1_0/pay" })).toEqual(["there is no POST /v1_0/pay"])
    expect(callFlaws({ ...order, path: "/disbursement/v1_0/transfer" })).toEqual([])
    expect(
      callFlaws({ ...order, path: "/disbursement/v1_0/transfer", body: JSON.stringify({ payee: { partyId: 1 } }) })
    ).toEqual(["/payee/partyId must be string"])
  })

  it.each<readonly [string, number, (provider: Provider) => Effect.Effect<unknown>]>([
    ["a payin", 2, (provider) => provider.initiate(payin)],
    ["a payout", 2, (provider) => provider.initiate(payout)],
    ["the look-up of a payin", 2, (provider) => provider.enquire(attemptOf(payin))],
    ["the look-up of a payout", 2, (provider) => provider.enquire(attemptOf(payout))],
    ["the first leg of a ramp", 2, (provider) => provider.enquire(attemptOf(payout, { leg: "collection" }))],
    ["the second leg of a ramp", 2, (provider) => provider.enquire(attemptOf(payin, { leg: "settlement" }))],
    ["the test of an account", 2, (provider) => provider.test!]
  ])("takes %s as it is sent", async (_, count, use) => {
    const calls = await callsOf(use)
    expect(calls).toHaveLength(count)
    expect(calls.flatMap(callFlaws)).toEqual([])
    expect(calls.every(({ headers }) => headers?.["ocp-apim-subscription-key"] !== undefined)).toBe(true)
  })

  it("takes what a refund has in common with a transfer", async () => {
    const refund = {
      attempt: attemptOf(payin),
      reference: payout.reference,
      collectionId: null,
      money: payin.money,
      reason: null
    }
    const calls = await callsOf((provider) => provider.refund!(refund))
    expect(calls).toHaveLength(2)
    const alike = calls.map((call) => ({ ...call, path: call.path.replace("v1_0/refund", "v1_0/transfer") }))
    expect(alike.flatMap(callFlaws)).toEqual([])
  })
})

describe("an order for MTN", () => {
  it("asks the payer's number, and names the attempt twice", async () => {
    const [token, call] = await callsOf((provider) =>
      provider.initiate(ugandan({ ...payin, description: "Rent – März “№ 7” <b>" }))
    )
    expect(token).toMatchObject({
      method: "POST",
      path: "/collection/token/",
      headers: {
        authorization: `Basic ${Buffer.from("6f2d3c1e-8a4b-4f70-9d15-2b7e90c4a861:fake-mtn-momo-api-key-for-tests").toString("base64")}`,
        "ocp-apim-subscription-key": "fake-mtn-momo-collection-key"
      }
    })
    expect(call).toMatchObject({
      method: "POST",
      path: "/collection/v1_0/requesttopay",
      headers: {
        authorization: "Bearer t",
        "ocp-apim-subscription-key": "fake-mtn-momo-collection-key",
        "x-callback-url": "https://pay.example.com/callbacks",
        "x-reference-id": payin.reference,
        "x-target-environment": "mtnuganda"
      }
    })
    expect(JSON.parse(call!.body!)).toEqual({
      amount: "1500",
      currency: "UGX",
      externalId: payin.reference,
      payer: { partyIdType: "MSISDN", partyId: "256772123456" },
      payerMessage: "Rent Marz No 7 b",
      payeeNote: "Rent Marz No 7 b"
    })
  })

  it("goes to the payee by the other product, with its own key and user", async () => {
    const { calls, http } = scripted(({ path }) => (path.endsWith("/token/") ? granted : replyOf(202)))
    const own = { disbursement_api_user: "another", disbursement_api_key: "secret" }
    await Effect.runPromise(atMtn(http, own).initiate(ugandan({ ...payout, description: null })))
    expect(calls.map(({ path }) => path)).toEqual(["/disbursement/token/", "/disbursement/v1_0/transfer"])
    expect(calls[0]!.headers!["authorization"]).toBe(`Basic ${Buffer.from("another:secret").toString("base64")}`)
    expect(calls[1]!.headers!["ocp-apim-subscription-key"]).toBe("fake-mtn-momo-disbursement-key")
    expect(JSON.parse(calls[1]!.body!)).toMatchObject({
      payee: { partyIdType: "MSISDN", partyId: "256772123456" },
      payeeNote: "Payment"
    })
  })

  it("gives back by the reference of what was taken", async () => {
    const [, call] = await callsOf((provider) =>
      provider.refund!({
        attempt: attemptOf(payin),
        reference: payout.reference,
        collectionId: null,
        money: payin.money,
        reason: "out of stock"
      })
    )
    expect(call).toMatchObject({
      path: "/disbursement/v1_0/refund",
      headers: { "x-reference-id": payout.reference }
    })
    expect(JSON.parse(call!.body!)).toMatchObject({
      amount: "1500",
      externalId: payout.reference,
      referenceIdToRefund: payin.reference
    })
    const enquiry = await callsOf((provider) => provider.enquire(attemptOf(payin, { leg: "return" })))
    expect(enquiry[1]!.path).toBe(`/disbursement/v1_0/refund/${payin.reference}`)
  })

  it("gives nothing back of what it paid out", async () => {
    const { calls, http } = scripted(() => granted)
    const order = {
      attempt: attemptOf(payout),
      reference: payin.reference,
      collectionId: null,
      money: payout.money,
      reason: null
    }
    const outcome = await Effect.runPromise(atMtn(http).refund!(order))
    expect(outcome).toMatchObject({ _tag: "Declined", code: "NOT_SUPPORTED" })
    expect(calls).toEqual([])
  })

  it.each([
    ["live", "http://pay.example.com/callbacks", undefined],
    ["live", "https://pay.example.com/callbacks", "https://pay.example.com/callbacks"],
    ["sandbox", "http://127.0.0.1:3000/callbacks", "http://127.0.0.1:3000/callbacks"]
  ] as const)("in %s mode with %s names %s for callbacks", async (mode, callbackUrl, expected) => {
    const { calls, http } = scripted(({ path }) => (path.endsWith("/token/") ? granted : replyOf(202)))
    await Effect.runPromise(atMtn(http, {}, { mode, callbackUrl }).initiate(payin))
    expect(calls[1]!.headers!["x-callback-url"]).toBe(expected)
  })

  it.each([
    ["another network", { mobileMoney: { network: "airtel", phoneNumber: "+256752123456" } }],
    ["no number", { mobileMoney: null }],
    ["no way that money goes", { flow: "external" }]
  ] as const)("is not sent with %s", async (_, about) => {
    const { calls, http } = scripted(() => granted)
    const outcome = await Effect.runPromise(atMtn(http).initiate(ugandan(about)))
    expect(outcome).toMatchObject({ _tag: "Declined", code: "NOT_SUPPORTED" })
    expect(calls).toEqual([])
  })
})
