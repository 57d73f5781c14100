import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { MaybeSent, NeverSent } from "../../../src/providers/client/ProviderHttp.ts"
import { attemptOf } from "../support/TestOrders.ts"
import { replyOf, type Said } from "../support/ScriptedReplies.ts"
import { answering, atMpesa, kenyan, resultCodes, why } from "./MpesaTestOrders.ts"

const payin = kenyan()
const payout = kenyan({ flow: "outbound" })

const outcomeOf = (order: typeof payin, said: Said) => Effect.runPromise(atMpesa(answering(said).http).initiate(order))

const error = (status: number, errorCode: string, errorMessage: string) =>
  replyOf(status, { requestId: "1", errorCode, errorMessage })

const taken = { ResponseCode: "0", ResponseDescription: "Accept the service request successfully." }
const checkout = { MerchantRequestID: "29115-1", CheckoutRequestID: "ws_CO_1" }

describe("the answer to an order at M-Pesa", () => {
  it("is an id that the prompt is asked about by", async () => {
    expect(await outcomeOf(payin, replyOf(200, { ...taken, ...checkout }))).toMatchObject({
      _tag: "Accepted",
      state: "pending",
      providerPaymentId: "ws_CO_1",
      nextAction: "wait",
      providerData: { merchant_request_id: "29115-1" }
    })
  })

  it("is an id of a payout that is our own", async () => {
    expect(await outcomeOf(payout, replyOf(200, { ...taken, ConversationID: "AG_1" }))).toMatchObject({
      _tag: "Accepted",
      state: "processing",
      providerPaymentId: payout.reference,
      providerData: { conversation_id: "AG_1" }
    })
  })

  it.each([
    ["a code", 200, { ...taken, ResponseCode: "1" }, { providerCode: "1" }],
    ["400", 400, { errorCode: "400.002.02", errorMessage: "Bad Request - Invalid Amount" }, { code: "INVALID_ORDER" }],
    [
      "quota",
      500,
      { errorCode: "500.003.03", errorMessage: "Error Occurred: Quota Violation" },
      { code: "PROVIDER_BUSY" }
    ],
    [
      "shortcode",
      500,
      { errorCode: "500.001.1001", errorMessage: "Merchant does not exist" },
      { code: "CREDENTIALS_REFUSED" }
    ],
    ["password", 500, { errorCode: "500.001.1001", errorMessage: "Wrong credentials" }, { code: "CREDENTIALS_REFUSED" }]
  ])("is a refusal of the provider's: %s", async (_, status, body, expected) => {
    for (const order of [payin, payout]) {
      const outcome = await outcomeOf(order, replyOf(status, body))
      expect(outcome).toMatchObject({ _tag: "Declined", ...expected })
      expect(outcome).not.toHaveProperty("instrument")
    }
  })

  it("is a refusal of the payer's, whose phone is busy", async () => {
    const said = error(500, "500.001.1001", "Unable to lock subscriber, a transaction is already in process")
    expect(await outcomeOf(payin, said)).toMatchObject({
      _tag: "Declined",
      instrument: true,
      providerCode: "500.001.1001"
    })
  })

  it.each([
    ["a lost answer", new MaybeSent({ reason: "reset" })],
    ["an internal error", error(500, "500.003.1001", "Internal Server Error")],
    ["a busy system", error(500, "500.003.02", "System is busy. Please try again in few minutes.")],
    ["500 without a body", replyOf(500)],
    ["200 without a body", replyOf(200, "<html>")],
    ["a page", replyOf(403 + 100, "<html>")]
  ])("leaves it unknown: %s", async (_, said) => {
    for (const order of [payin, payout]) expect(await outcomeOf(order, said)).toMatchObject({ _tag: "Unknown" })
  })

  it("leaves a prompt unknown that was taken under no id", async () => {
    expect(await outcomeOf(payin, replyOf(200, taken))).toMatchObject({ _tag: "Unknown" })
  })

  it("is a decline where nothing was sent", async () => {
    expect(await outcomeOf(payin, new NeverSent({ reason: "no connection" }))).toMatchObject({
      _tag: "Declined",
      unsent: "unreachable"
    })
  })

  it("knows a payout that it has already", async () => {
    expect(await outcomeOf(payout, error(500, "500.002.1001", "Duplicate OriginatorConversationID."))).toMatchObject({
      _tag: "Accepted",
      state: "processing",
      providerPaymentId: payout.reference
    })
  })

  it.each([
    [404, "404.001.03"],
    [400, "400.003.01"],
    [401, "401.002.01"]
  ])("by HTTP %i and %s asks for another token, once", async (status, code) => {
    const { calls, http } = answering(({ path }) => {
      const sent = calls.filter((one) => one.path === path).length
      return sent === 1 ? error(status, code, "Invalid Access Token") : replyOf(200, { ...taken, ...checkout })
    })
    expect(await Effect.runPromise(atMpesa(http).initiate(payin))).toMatchObject({ _tag: "Accepted" })
    expect(calls.map(({ operation }) => operation)).toEqual([
      "request token",
      "push prompt",
      "request token",
      "push prompt"
    ])
    expect(await outcomeOf(payin, error(status, code, "Invalid Access Token"))).toMatchObject({
      _tag: "Declined",
      code: "CREDENTIALS_REFUSED"
    })
  })
})

describe("the answer to a query of a prompt", () => {
  const asked = (said: Said) =>
    Effect.runPromise(atMpesa(answering(said).http).enquire(attemptOf(payin, { providerPaymentId: "ws_CO_1" })))
  const result = (ResultCode: string, about = {}) =>
    replyOf(200, { ...taken, ...checkout, ResultCode, ResultDesc: "as it says", ...about })

  it("is that the money came, all of it, once", async () => {
    expect(await asked(result("0"))).toMatchObject({
      _tag: "Report",
      state: "completed",
      providerPaymentId: "ws_CO_1",
      movements: [{ kind: "collection", id: "ws_CO_1", amount: null, state: "settled" }]
    })
  })

  it.each([
    ["1", "INSUFFICIENT_FUNDS"],
    ["1019", "NOT_APPROVED"],
    ["1032", "NOT_APPROVED"],
    ["1037", "NOT_APPROVED"],
    ["2001", "AUTHENTICATION_FAILED"],
    ["1001", "PROVIDER_BUSY"],
    // "System busy", and "An error occurred while sending a push request", as 1025.
    ["26", "PROVIDER_BUSY"],
    ["9999", "PROVIDER_UNAVAILABLE"]
  ])("is a failure by the code %s: %s", async (code, ours) => {
    expect(await asked(result(code))).toMatchObject({
      state: "failed",
      reason: "as it says",
      code: ours,
      providerCode: code
    })
  })

  it.skipIf(why !== "")(`knows every documented code${why}`, async () => {
    for (const code of Object.keys(resultCodes)) {
      expect(await asked(result(code))).toMatchObject({ state: code === "0" ? "completed" : "failed" })
    }
  })

  it.each([
    ["the phone still shows it", error(500, "500.001.1001", "The transaction is being processed"), "pending"],
    ["the newer code of the same", result("4999"), "pending"],
    ["an unknown code", result("7777"), "processing"]
  ])("is that it is under way: %s", async (_, said, state) => {
    expect(await asked(said)).toMatchObject({ _tag: "Report", state })
  })

  it.each([
    ["another id", result("0", { CheckoutRequestID: "ws_CO_2" })],
    ["no result", replyOf(200, taken)],
    ["an error", error(500, "500.003.1001", "Internal Server Error")],
    ["an id that it does not know", error(400, "400.002.02", "Bad Request - Invalid CheckoutRequestID")],
    ["no answer", new MaybeSent({ reason: "reset" })]
  ])("says nothing: %s", async (_, said) => {
    expect(await asked(said)).toMatchObject({ _tag: "Unknown" })
  })
})

describe("the answer to a status query", () => {
  const asked = (said: Said, providerPaymentId: string | null) =>
    Effect.runPromise(atMpesa(answering(said).http).enquire(attemptOf(payout, { providerPaymentId })))

  it("only acknowledges the question", async () => {
    expect(await asked(replyOf(200, taken), payout.reference)).toMatchObject({ _tag: "Report", state: "processing" })
    expect(await asked(replyOf(200, taken), null)).toMatchObject({ _tag: "Unknown" })
  })

  it("is not known where the question was not taken", async () => {
    expect(await asked(replyOf(200, { ...taken, ResponseCode: "21" }), payout.reference)).toMatchObject({
      _tag: "Unknown"
    })
    expect(await asked(replyOf(500), payout.reference)).toMatchObject({ _tag: "Unknown" })
  })
})
