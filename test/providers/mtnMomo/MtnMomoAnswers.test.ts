import { Effect, Either, HashMap, Logger, Option } from "effect"
import { describe, expect, it } from "vitest"
import {
  MaybeSent,
  NeverSent,
  type ProviderHttp,
  type ProviderReply
} from "../../../src/providers/client/ProviderHttp.ts"
import { amount, attemptOf } from "../support/TestOrders.ts"
import { replyOf, scripted } from "../support/ScriptedReplies.ts"
import { atMtn, ugandan } from "./MtnMomoTestOrders.ts"

const granted = replyOf(200, { access_token: "t", token_type: "access_token", expires_in: 3600 })

const answering = (reply: ProviderReply) => scripted(({ path }) => (path.endsWith("/token/") ? granted : reply)).http

const refusedWith = (code: string) => replyOf(500, { code, message: "words" })

const payin = ugandan({})
const payout = ugandan({ flow: "outbound" })

const initiated = (order: typeof payin, reply: ProviderReply) =>
  Effect.runPromise(atMtn(answering(reply)).initiate(order))

const enquired = (order: typeof payin, reply: ProviderReply) =>
  Effect.runPromise(atMtn(answering(reply)).enquire(attemptOf(order)))

describe("an order that MTN answers", () => {
  it("is taken with 202, under our own reference", async () => {
    expect(await initiated(payin, replyOf(202))).toMatchObject({
      _tag: "Accepted",
      state: "processing",
      providerPaymentId: payin.reference,
      nextAction: "wait"
    })
    expect(await initiated(payout, replyOf(202))).toMatchObject({ _tag: "Accepted", nextAction: null })
  })

  it.each([
    // Codes by side: the payer is the customer of a payin, the payee that of a payout.
    ["PAYER_NOT_FOUND", { code: "ACCOUNT_INVALID", instrument: true }, {}],
    ["PAYEE_NOT_FOUND", {}, { code: "ACCOUNT_INVALID", instrument: true }],
    ["PAYEE_NOT_ALLOWED_TO_RECEIVE", {}, { code: "ACCOUNT_INVALID", instrument: true }],
    ["NOT_ENOUGH_FUNDS", { code: "INSUFFICIENT_FUNDS", instrument: true }, { code: "PROVIDER_BALANCE_LOW" }],
    ["PAYER_LIMIT_REACHED", { code: "LIMIT_EXCEEDED", instrument: true }, { code: "LIMIT_EXCEEDED" }],
    ["PAYMENT_NOT_APPROVED", { code: "NOT_APPROVED", instrument: true }, {}],
    ["APPROVAL_REJECTED", { code: "NOT_APPROVED", instrument: true }, {}],
    ["EXPIRED", { code: "NOT_APPROVED", instrument: true }, {}],
    ["TRANSACTION_CANCELED", { code: "NOT_APPROVED", instrument: true }, {}],
    ["NOT_ALLOWED", {}, {}],
    ["NOT_ALLOWED_TARGET_ENVIRONMENT", { code: "CREDENTIALS_REFUSED" }, { code: "CREDENTIALS_REFUSED" }],
    ["INVALID_CALLBACK_URL_HOST", { code: "INVALID_ORDER" }, { code: "INVALID_ORDER" }],
    ["INVALID_CURRENCY", { code: "NOT_SUPPORTED" }, { code: "NOT_SUPPORTED" }]
  ])("is refused by HTTP 500 with %s", async (providerCode, asPayin, asPayout) => {
    const declined = { _tag: "Declined", providerCode, reason: `${providerCode}: words` }
    const refusal = (extra: object) => ({ code: undefined, instrument: undefined, ...declined, ...extra })
    expect({ code: undefined, instrument: undefined, ...(await initiated(payin, refusedWith(providerCode))) }).toEqual(
      refusal(asPayin)
    )
    expect({ code: undefined, instrument: undefined, ...(await initiated(payout, refusedWith(providerCode))) }).toEqual(
      refusal(asPayout)
    )
  })

  it.each([
    [400, undefined, { _tag: "Declined", code: "INVALID_ORDER", providerCode: "400" }],
    [400, { code: "WRONG" }, { _tag: "Declined", code: "INVALID_ORDER", providerCode: "WRONG" }],
    [401, undefined, { _tag: "Declined", code: "CREDENTIALS_REFUSED", providerCode: "401" }],
    [403, undefined, { _tag: "Declined", code: "CREDENTIALS_REFUSED", providerCode: "403" }],
    [429, undefined, { _tag: "Declined", code: "PROVIDER_BUSY", providerCode: "429" }],
    [500, undefined, { _tag: "Unknown" }],
    [500, { code: "INTERNAL_PROCESSING_ERROR" }, { _tag: "Unknown" }],
    [500, { code: "SERVICE_UNAVAILABLE" }, { _tag: "Unknown" }],
    [500, { code: "constructor" }, { _tag: "Unknown" }],
    [500, { code: "SOMETHING_NEW" }, { _tag: "Unknown" }],
    [500, { code: "RESOURCE_NOT_FOUND" }, { _tag: "Unknown" }],
    [503, { code: "PAYER_NOT_FOUND" }, { _tag: "Unknown" }],
    [404, { code: "RESOURCE_NOT_FOUND" }, { _tag: "Unknown" }],
    [200, "<html>", { _tag: "Unknown" }]
  ])("by %s with %j", async (status, body, expected) => {
    expect(await initiated(payin, replyOf(status, body))).toMatchObject(expected)
  })

  const failingWith = (failed: MaybeSent | NeverSent, at: "token" | "order"): ProviderHttp => ({
    call: ({ path }) => ((at === "token") === path.endsWith("/token/") ? Effect.fail(failed) : Effect.succeed(granted))
  })

  it.each([
    ["order", new MaybeSent({ reason: "cut" }), { _tag: "Unknown" }],
    ["order", new NeverSent({ reason: "no way" }), { _tag: "Declined", code: "PROVIDER_UNAVAILABLE" }],
    // Without a token no order was sent, whatever became of the question for one.
    ["token", new MaybeSent({ reason: "cut" }), { _tag: "Declined", code: "PROVIDER_UNAVAILABLE" }],
    ["token", new NeverSent({ reason: "no way" }), { _tag: "Declined", code: "PROVIDER_UNAVAILABLE" }]
  ] as const)("or not: the %s fails with %s", async (at, failed, expected) => {
    expect(await Effect.runPromise(atMtn(failingWith(failed, at)).initiate(payin))).toMatchObject(expected)
    expect(await Effect.runPromise(atMtn(failingWith(failed, at)).enquire(attemptOf(payin)))).toMatchObject({
      _tag: "Unknown"
    })
  })

  it.each([
    [401, { error: "login_failed" }, "CREDENTIALS_REFUSED"],
    [500, undefined, "PROVIDER_UNAVAILABLE"],
    [200, { access_token: "t" }, "PROVIDER_UNAVAILABLE"],
    [200, { access_token: "t", expires_in: "soon" }, "PROVIDER_UNAVAILABLE"]
  ])("is not sent where the token's answer is %s with %j", async (status, body, code) => {
    const { calls, http } = scripted(() => replyOf(status, body))
    expect(await Effect.runPromise(atMtn(http).initiate(payin))).toMatchObject({ _tag: "Declined", code })
    expect(calls.every(({ path }) => path === "/collection/token/")).toBe(true)
  })
})

describe("a reference that MTN knows already", () => {
  const duplicate = replyOf(409, { code: "RESOURCE_ALREADY_EXIST" })
  const known = (found: ProviderReply) =>
    Effect.runPromise(
      atMtn(
        scripted(({ method, path }) => (path.endsWith("/token/") ? granted : method === "POST" ? duplicate : found))
          .http
      ).initiate(payin)
    )

  it.each([
    ["PENDING", { _tag: "Accepted", state: "processing", nextAction: "wait" }],
    [
      "SUCCESSFUL",
      { _tag: "Accepted", state: "completed", nextAction: null, movements: [{ amount: amount("1500", "UGX") }] }
    ],
    // Accepted once: the enquiry says in its turn how it failed.
    ["FAILED", { _tag: "Accepted", state: "processing", nextAction: null }]
  ])("is looked up: %s", async (status, expected) => {
    expect(await known(replyOf(200, { status, amount: "1500", currency: "UGX" }))).toMatchObject(expected)
  })

  it("is not known where it cannot be found", async () => {
    expect(await known(replyOf(404, { code: "RESOURCE_NOT_FOUND" }))).toMatchObject({ _tag: "Unknown" })
    expect(await known(replyOf(500))).toMatchObject({ _tag: "Unknown" })
  })
})

describe("what MTN says of a reference", () => {
  it.each([
    [
      { status: "PENDING" },
      { state: "pending", reason: null, providerStatus: "PENDING", waitsFor: { nextAction: "wait", actionData: {} } }
    ],
    [
      { status: "SUCCESSFUL", amount: 100, currency: "UGX", financialTransactionId: 23503452, payer: { partyId: 4 } },
      { state: "completed", movements: [{ amount: amount("100", "UGX") }], providerStatus: "SUCCESSFUL" }
    ],
    [
      { status: "SUCCESSFUL", amount: "99", currency: "UGX" },
      { state: "completed", movements: [{ amount: amount("99", "UGX") }] }
    ],
    [
      { status: "FAILED", amount: "100", currency: "UGX", reason: { code: "PAYER_NOT_FOUND", message: "none" } },
      {
        state: "failed",
        reason: "PAYER_NOT_FOUND: none",
        code: "ACCOUNT_INVALID",
        providerCode: "PAYER_NOT_FOUND"
      }
    ],
    [
      { status: "FAILED", reason: "APPROVAL_REJECTED" },
      { state: "failed", reason: "APPROVAL_REJECTED", code: "NOT_APPROVED", providerCode: "APPROVAL_REJECTED" }
    ],
    [
      { status: "FAILED", reason: { code: "INTERNAL_PROCESSING_ERROR" } },
      { state: "failed", reason: "INTERNAL_PROCESSING_ERROR", providerCode: "INTERNAL_PROCESSING_ERROR" }
    ],
    [
      { status: "FAILED", reason: null },
      { state: "failed", reason: "MTN says that it failed, and not why" }
    ]
  ])("%j", async (body, expected) => {
    expect(await enquired(payin, replyOf(200, body))).toMatchObject({
      _tag: "Report",
      providerPaymentId: payin.reference,
      ...expected
    })
  })

  it("is under way where its status is unknown, and that is logged", async () => {
    const logged: Array<unknown> = []
    const logger = Logger.replace(
      Logger.defaultLogger,
      Logger.make(({ annotations, logLevel }) => logged.push([logLevel.label, HashMap.get(annotations, "status")]))
    )
    const provider = atMtn(answering(replyOf(200, { status: "ONGOING" })))
    const found = await Effect.runPromise(Effect.provide(provider.enquire(attemptOf(payin)), logger))
    expect(found).toMatchObject({ _tag: "Report", state: "processing", providerStatus: "ONGOING" })
    expect(logged).toEqual([["WARN", Option.some("ONGOING")]])
  })

  it("names no amount where MTN names none", async () => {
    for (const body of [{ status: "SUCCESSFUL" }, { status: "PENDING", amount: "1500", currency: "UGX" }]) {
      const found = await enquired(payin, replyOf(200, body))
      expect(found).toMatchObject({ _tag: "Report" })
      expect(found).not.toHaveProperty("received")
    }
  })

  it("is not completed by an amount that is none of its currency", async () => {
    for (const about of [{ amount: "1.5", currency: "UGX" }, { amount: "1", currency: "???" }, { amount: "1500" }]) {
      const found = await enquired(payin, replyOf(200, { status: "SUCCESSFUL", ...about }))
      expect(found).toMatchObject({ _tag: "Unknown" })
    }
  })

  it("is absent only by MTN's own code for it", async () => {
    expect(await enquired(payin, replyOf(404, { code: "RESOURCE_NOT_FOUND" }))).toMatchObject({ _tag: "Absent" })
    expect(await enquired(payin, replyOf(404, { statusCode: 404, message: "Resource not found" }))).toMatchObject({
      _tag: "Unknown"
    })
  })

  it.each([
    [400, undefined],
    [401, undefined],
    [429, undefined],
    [500, { code: "INTERNAL_PROCESSING_ERROR" }],
    [200, "<html>"],
    [200, {}],
    [200, { status: "SUCCESSFUL", amount: { value: "1" } }]
  ])("is not known by %s with %j", async (status, body) => {
    expect(await enquired(payin, replyOf(status, body))).toMatchObject({ _tag: "Unknown" })
  })
})

describe("the test of an account", () => {
  const tested = (reply: ProviderReply) => Effect.runPromise(atMtn(answering(reply)).test!)

  it("says what both products hold", async () => {
    expect(await tested(replyOf(200, { availableBalance: "1000", currency: "UGX" }))).toEqual(
      Either.right({
        balances: ["collection 1000 UGX", "disbursement 1000 UGX"],
        rights: ["collection", "disbursement"]
      })
    )
  })

  it("says why it was not let in", async () => {
    expect(await tested(refusedWith("NOT_ALLOWED_TARGET_ENVIRONMENT"))).toEqual(
      Either.left("collection: NOT_ALLOWED_TARGET_ENVIRONMENT: words")
    )
    expect(await tested(replyOf(401))).toEqual(Either.left("collection: HTTP 401"))
  })
})
