import { generateKeyPairSync, privateDecrypt, constants } from "node:crypto"
import { Effect, Either } from "effect"
import { describe, expect, it } from "vitest"
import type { Provider } from "../../../src/providers/port/Provider.ts"
import { timestampAt } from "../../../src/providers/mpesa/MpesaRequests.ts"
import { amount, attemptOf, referenceNo } from "../support/TestOrders.ts"
import { replyOf } from "../support/ScriptedReplies.ts"
import { answering, atMpesa, callFlaws, example, kenyan, why } from "./MpesaTestOrders.ts"

const callsOf = async (use: (provider: Provider) => Effect.Effect<unknown>, credentials = {}) => {
  const { calls, http } = answering(replyOf(500, {}))
  await Effect.runPromise(use(atMpesa(http, credentials)))
  return calls
}

const payin = kenyan()
const payout = kenyan({ flow: "outbound" })

const bodyOf = ({ body }: { readonly body?: string }) => JSON.parse(body!) as Readonly<Record<string, unknown>>

describe.skipIf(why !== "")(`Daraja's documented requests${why}`, () => {
  it("are a judge that refuses", () => {
    const { request } = example("STK push (payin)")
    const push = { method: "POST", path: "/mpesa/stkpush/v1/processrequest" } as const
    const flaws = (body: object) => callFlaws({ ...push, body: JSON.stringify(body) })
    expect(flaws(request!)).toEqual([])
    expect(flaws({ ...request, Amount: "1" })).toEqual(["Amount must be number"])
    const { Timestamp: _, ...without } = request!
    expect(flaws({ ...without, Reference: "1" })).toEqual(["Timestamp is missing", "there is no Reference"])
    expect(callFlaws({ method: "POST", path: "/mpesa/stkpush/v2/processrequest" })).toHaveLength(1)
  })

  it.each<readonly [string, (provider: Provider) => Effect.Effect<unknown>]>([
    ["a payin", (provider) => provider.initiate(payin)],
    ["a payout", (provider) => provider.initiate(payout)],
    ["the query of a payin", (provider) => provider.enquire(attemptOf(payin, { providerPaymentId: "ws_CO_1" }))]
  ])("take %s as it is sent", async (_, use) => {
    const calls = await callsOf(use)
    expect(calls).toHaveLength(2)
    expect(calls.flatMap(callFlaws)).toEqual([])
  })
})

describe("an order for M-Pesa", () => {
  it("prompts the payer's phone, and names an address of its own", async () => {
    const [token, call] = await callsOf((provider) => provider.initiate(kenyan({ description: "Miete – März “№ 7”" })))
    const basic = Buffer.from("fake-mpesa-consumer-key:fake-mpesa-consumer-secret").toString("base64")
    expect(token!.headers).toEqual({ authorization: `Basic ${basic}` })
    expect(call).toMatchObject({ method: "POST", headers: { authorization: "Bearer t" } })
    const { CallBackURL, Password, Timestamp, ...others } = bodyOf(call!)
    expect(Buffer.from(String(Password), "base64").toString()).toBe(`174379fake-mpesa-passkey-for-tests${Timestamp}`)
    expect(others).toEqual({
      BusinessShortCode: "174379",
      TransactionType: "CustomerPayBillOnline",
      Amount: 1500,
      PartyA: "254712345678",
      PartyB: "174379",
      PhoneNumber: "254712345678",
      AccountReference: "000000000007",
      TransactionDesc: "Miete Marz No"
    })
    const address = new URL(String(CallBackURL))
    expect(`${address.origin}${address.pathname}`).toBe("https://pay.example.com/callbacks")
    expect(Object.fromEntries(address.searchParams)).toEqual({
      use: "payin",
      reference: payin.reference,
      proof: expect.stringMatching(/^[\w-]{43}$/)
    })
  })

  it("pays a till where the account has one", async () => {
    const [, call] = await callsOf((provider) => provider.initiate(payin), { till: "5012345" })
    expect(bodyOf(call!)).toMatchObject({ TransactionType: "CustomerBuyGoodsOnline", PartyB: "5012345" })
  })

  it("counts time as Nairobi does", () => {
    expect(timestampAt(Date.parse("2030-12-31T22:30:05Z"))).toBe("20310101013005")
  })

  it("pays out under its reference, which Safaricom takes once", async () => {
    const [, call] = await callsOf((provider) => provider.initiate(kenyan({ flow: "outbound", description: null })), {
      payout_shortcode: "600997"
    })
    const { QueueTimeOutURL, ResultURL, ...others } = bodyOf(call!)
    expect(others).toEqual({
      OriginatorConversationID: payout.reference,
      InitiatorName: "fake-initiator",
      SecurityCredential: "ZmFrZS1zZWN1cml0eS1jcmVkZW50aWFs",
      CommandID: "BusinessPayment",
      Amount: 1500,
      PartyA: "600997",
      PartyB: "254712345678",
      Remarks: "Payment"
    })
    expect(new URL(String(ResultURL)).searchParams.get("use")).toBe("payout")
    expect(new URL(String(QueueTimeOutURL)).searchParams.get("use")).toBe("timeout")
  })

  it("encrypts the initiator's password with the certificate", async () => {
    const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 })
    const certificate = publicKey.export({ type: "spki", format: "pem" }).toString()
    const { calls, http } = answering(replyOf(500, {}))
    const given = { initiator_name: "a", initiator_password: "b", certificate, security_credential: undefined }
    await Effect.runPromise(atMpesa(http, given as never).initiate(payout))
    const { SecurityCredential } = bodyOf(calls[1]!)
    // Node takes back what PKCS #1 v1.5 pads only without padding.
    const key = { key: privateKey, padding: constants.RSA_NO_PADDING }
    expect(privateDecrypt(key, Buffer.from(String(SecurityCredential), "base64")).toString("latin1")).toMatch(/\0b$/)
  })

  it.each([
    ["a fraction of a shilling", { money: amount("10.50", "KES") }, "NOT_SUPPORTED"],
    ["another network", { mobileMoney: { network: "airtel", phoneNumber: "+254733123456" } }, "NOT_SUPPORTED"],
    ["another currency", { money: amount("10", "UGX") }, "NOT_SUPPORTED"],
    [
      "a number that is not Safaricom's",
      { mobileMoney: { network: "mpesa", phoneNumber: "+255712345678" } },
      "ACCOUNT_INVALID"
    ],
    ["no number", { mobileMoney: null }, "NOT_SUPPORTED"]
  ] as const)("is declined before it is sent with %s", async (_, about, code) => {
    for (const flow of ["inbound", "outbound"] as const) {
      const { calls, http } = answering(replyOf(500, {}))
      const outcome = await Effect.runPromise(atMpesa(http).initiate(kenyan({ flow, ...about })))
      expect(outcome).toMatchObject({ _tag: "Declined", code, reason: expect.stringMatching(/\w/) })
      expect(calls).toEqual([])
    }
  })

  it("pays nothing out without an initiator, and says which settings are missing", async () => {
    const { calls, http } = answering(replyOf(500, {}))
    const provider = atMpesa(http, { initiator_name: undefined } as never)
    const question = {
      method: "mobile_money",
      country: payin.country,
      currency: payin.money.currency,
      network: "mpesa"
    } as const
    expect(provider.supports({ ...question, flow: "outbound" })).toEqual(
      Either.left(expect.stringContaining("MPESA_INITIATOR_NAME"))
    )
    expect(Either.isRight(provider.supports({ ...question, flow: "inbound" }))).toBe(true)
    expect(await Effect.runPromise(provider.initiate(payout))).toMatchObject({
      _tag: "Declined",
      code: "NOT_SUPPORTED"
    })
    expect(calls).toEqual([])
  })
})

describe("a question about an order at M-Pesa", () => {
  it("is not put about a prompt whose id is not known, also not by an id that a hint named", async () => {
    const { calls, http } = answering(replyOf(500, {}))
    const enquiry = atMpesa(http).enquire(attemptOf(payin, { hintedIds: ["ws_CO_of_another"] }))
    expect(await Effect.runPromise(enquiry)).toMatchObject({ _tag: "Unknown" })
    expect(calls).toEqual([])
  })

  it("is put about a payout by our reference", async () => {
    const [, call] = await callsOf((provider) => provider.enquire(attemptOf(payout)))
    expect(call!.path).toBe("/mpesa/transactionstatus/v1/query")
    expect(bodyOf(call!)).toMatchObject({
      Initiator: "fake-initiator",
      CommandID: "TransactionStatusQuery",
      OriginalConversationID: referenceNo(7),
      PartyA: "174379",
      IdentifierType: "4"
    })
  })
})
