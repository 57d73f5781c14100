import { Duration, Effect, Either, HashMap, Logger, Option, TestClock, TestContext } from "effect"
import { describe, expect, it } from "vitest"
import {
  MaybeSent,
  NeverSent,
  type ProviderHttp,
  type ProviderReply
} from "../../../src/providers/client/ProviderHttp.ts"
import type { AttemptContext, PaymentOrder } from "../../../src/providers/port/Provider.ts"
import { amount, attemptOf, orderOf } from "../support/TestOrders.ts"
import { replyOf, scripted } from "../support/ScriptedReplies.ts"
import { atFlutterwave, operations, orderFor, responseIn, why } from "./FlutterwaveTestOrders.ts"

const mobile = orderFor("mobile_money", "inbound", "KE", { money: amount("10", "KES") })
const banked = orderFor("bank_transfer", "inbound", "NG")
const card = orderFor("card", "inbound", "NG")
const payout = orderFor("bank_transfer", "outbound", "NG")

const initiated = (order: PaymentOrder, reply: ProviderReply) =>
  Effect.runPromise(atFlutterwave(scripted(() => reply).http).initiate(order))

const enquired = (attempt: AttemptContext, reply: ProviderReply) =>
  Effect.runPromise(atFlutterwave(scripted(() => reply).http).enquire(attempt))

const success = (parts: object, status = 200) => replyOf(status, { status: "success", message: "done", ...parts })

const wrong = (message: string, status = 400) => replyOf(status, { status: "error", message, data: null })

describe.skipIf(why !== "")(`Flutterwave's own samples${why}`, () => {
  const sample = (name: string) => replyOf(200, responseIn(operations.find((one) => one.name === name)!))

  it.each([
    ["charge Mpesa", "KE", { state: "processing", nextAction: "wait", providerPaymentId: "4193428" }],
    ["charge Ghana mobile money", "GH", { state: "pending", nextAction: "redirect", providerPaymentId: null }],
    ["charge Rwanda mobile money", "RW", { state: "pending", nextAction: "redirect", providerPaymentId: null }],
    ["charge Uganda mobile money", "UG", { state: "pending", nextAction: "redirect", providerPaymentId: null }],
    ["charge Zambia mobile money", "ZM", { state: "pending", nextAction: "redirect", providerPaymentId: null }],
    ["charge Francophone mobile money", "CI", { state: "processing", nextAction: "wait", providerStatus: "pending" }],
    ["charge Tanzania mobile money", "TZ", { state: "processing", nextAction: "wait", providerPaymentId: "976392302" }]
  ])("%s", async (name, country, expected) => {
    const outcome = await initiated(orderFor("mobile_money", "inbound", country), sample(name))
    expect(outcome).toMatchObject({ _tag: "Accepted", ...expected })
    if (expected.nextAction === "redirect") {
      expect(outcome).toMatchObject({ actionData: { redirect_url: expect.stringMatching(/^https:/) as string } })
    }
  })

  it("an account to pay to", async () => {
    expect(await initiated(banked, sample("charge bank transfer"))).toMatchObject({
      _tag: "Accepted",
      state: "pending",
      nextAction: "bank_transfer",
      actionData: {
        account_name: null,
        account_number: "0067100155",
        bank_name: "Mock Bank",
        bank_code: null,
        reference: "MockFLWRef-1689847855598",
        expires_at: "2023-07-20T10:10:55.598Z"
      }
    })
  })

  it("a transfer, and the list of them", async () => {
    expect(await initiated(payout, sample("create transfer (payout)"))).toMatchObject({
      _tag: "Accepted",
      state: "processing",
      providerPaymentId: "396432",
      providerStatus: "NEW"
    })
    const listed = (reference: string) => enquired(attemptOf({ ...payout, reference }), sample("list transfers"))
    expect(await listed("6b76aa8f93bd765c")).toMatchObject({
      _tag: "Report",
      state: "failed",
      reason: "beneficiary_name is required"
    })
    expect(await listed("TRF-555600071008")).toMatchObject({ state: "failed", code: "LIMIT_EXCEEDED" })
    expect(await listed("another")).toMatchObject({ _tag: "Unknown" })
  })

  it("a transaction that was paid", async () => {
    const found = await enquired(
      attemptOf({ ...card, reference: "txref-DI0NzMx13", money: amount("2500", "NGN") }),
      sample("verify transaction by tx_ref")
    )
    expect(found).toMatchObject({
      _tag: "Report",
      state: "completed",
      providerPaymentId: "8415006",
      movements: [{ amount: amount("2500", "NGN") }],
      fee: amount("35", "NGN")
    })
  })
})

describe("an order that Flutterwave answers", () => {
  const charged = (data: object, authorization?: object) =>
    success({ data, ...(authorization === undefined ? {} : { meta: { authorization } }) })

  it.each<readonly [string, ProviderReply, object]>([
    [
      "a charge that is paid at once",
      charged({ id: 1, status: "successful", amount: 10, currency: "KES" }),
      {
        _tag: "Accepted",
        state: "completed",
        movements: [{ amount: amount("10", "KES") }],
        nextAction: null
      }
    ],
    [
      "a charge that is paid at once, with an unreadable amount",
      charged({ id: 1, status: "successful", amount: 10.001, currency: "KES" }),
      { _tag: "Accepted", state: "processing", providerPaymentId: "1" }
    ],
    [
      "a charge that failed at once",
      charged({ id: 1, status: "failed", processor_response: "Insufficient Funds" }),
      {
        _tag: "Declined",
        code: "INSUFFICIENT_FUNDS",
        instrument: true,
        providerCode: "failed"
      }
    ],
    ["an unknown status", charged({ id: 1, status: "resting" }), { _tag: "Accepted", state: "processing" }],
    [
      "an unknown step",
      success({ meta: { authorization: { mode: "dance" } } }),
      {
        _tag: "Accepted",
        state: "processing",
        providerStatus: "dance"
      }
    ],
    [
      "a redirect to nowhere",
      success({ meta: { authorization: { mode: "redirect", redirect: "javascript:1" } } }),
      {
        _tag: "Accepted",
        state: "processing",
        nextAction: "wait",
        actionData: {}
      }
    ],
    ["neither a charge nor a step", success({ data: null, meta: null }), { _tag: "Unknown" }],
    ["a shape that cannot be read", success({ data: "x" }), { _tag: "Unknown" }],
    ["a success that is none", replyOf(200, { status: "error", message: "odd" }), { _tag: "Unknown" }],
    ["garbage", replyOf(200, "<html>"), { _tag: "Unknown" }],
    [
      "a refusal",
      wrong("Merchant is not enabled for mobile money"),
      {
        _tag: "Declined",
        code: "NOT_SUPPORTED",
        providerCode: "400",
        reason: "Merchant is not enabled for mobile money"
      }
    ],
    ["a refusal that it does not explain", replyOf(400, { status: "error" }), { _tag: "Declined", reason: "HTTP 400" }],
    ["a refusal in no shape of its own", replyOf(400, "<html>"), { _tag: "Unknown" }],
    ["401", wrong("Invalid authorization key", 401), { _tag: "Declined", code: "CREDENTIALS_REFUSED" }],
    ["403", wrong("forbidden", 403), { _tag: "Declined", code: "CREDENTIALS_REFUSED" }],
    ["404", wrong("nothing here", 404), { _tag: "Unknown" }],
    ["409", wrong("in progress", 409), { _tag: "Unknown" }],
    ["429", replyOf(429), { _tag: "Declined", code: "PROVIDER_BUSY" }],
    ["500", wrong("An error occurred", 500), { _tag: "Unknown" }],
    ["503", wrong("An error occurred. Please contact support", 503), { _tag: "Unknown" }]
  ])("by %s", async (_, reply, expected) => {
    expect(await initiated(mobile, reply)).toMatchObject(expected)
  })

  it.each([
    ["Insufficient funds", "INSUFFICIENT_FUNDS", true],
    ["Do not honor", "CARD_DECLINED", true],
    ["Your card has expired", "CARD_EXPIRED", true],
    ["Invalid OTP", "AUTHENTICATION_FAILED", true],
    ["Cancelled by customer", "NOT_APPROVED", true],
    ["currency is not supported", "NOT_SUPPORTED", undefined],
    ["amount is required", undefined, undefined]
  ])("refuses a charge with %j", async (message, code, instrument) => {
    const outcome = await initiated(mobile, wrong(message))
    expect({ code: undefined, instrument: undefined, ...outcome }).toMatchObject({ _tag: "Declined", code, instrument })
  })

  it.each([
    ["Insufficient balance in your wallet", "PROVIDER_BALANCE_LOW", undefined],
    ["Sorry, recipient account could not be validated. Please try again", "ACCOUNT_INVALID", true],
    ["You can only spend NGN 100 at once", "LIMIT_EXCEEDED", undefined],
    ["amount is required", undefined, undefined]
  ])("refuses a transfer with %j", async (message, code, instrument) => {
    const outcome = await initiated(payout, wrong(message))
    expect({ code: undefined, instrument: undefined, ...outcome }).toMatchObject({ _tag: "Declined", code, instrument })
  })

  it.each<readonly [string, ProviderReply, object]>([
    ["a transfer that is over at once", success({ data: { id: 1, status: "SUCCESSFUL" } }), { state: "completed" }],
    [
      "a transfer that failed at once",
      success({ data: { id: 1, status: "FAILED", complete_message: "no" } }),
      {
        _tag: "Declined",
        reason: "no",
        providerCode: "FAILED"
      }
    ],
    ["an unknown status", success({ data: { id: 1, status: "RESTING" } }), { state: "processing" }],
    ["no transfer", success({ data: null }), { _tag: "Unknown" }]
  ])("by %s", async (_, reply, expected) => {
    expect(await initiated(payout, reply)).toMatchObject(expected)
  })

  it.each<readonly [ProviderReply, object]>([
    [
      success({ data: { link: "https://checkout.flutterwave.com/v3/hosted/pay/1" } }),
      {
        _tag: "Accepted",
        state: "pending",
        nextAction: "redirect",
        actionData: { redirect_url: "https://checkout.flutterwave.com/v3/hosted/pay/1" },
        providerPaymentId: null
      }
    ],
    [success({ data: { link: "javascript:alert(1)" } }), { _tag: "Unknown" }],
    [success({ data: {} }), { _tag: "Unknown" }],
    [wrong("currency is not supported"), { _tag: "Declined", code: "NOT_SUPPORTED" }]
  ])("gives a page for a card: %#", async (reply, expected) => {
    expect(await initiated(card, reply)).toMatchObject(expected)
  })

  it.each([
    [new MaybeSent({ reason: "cut" }), { _tag: "Unknown" }],
    [new NeverSent({ reason: "no way" }), { _tag: "Declined", code: "PROVIDER_UNAVAILABLE" }]
  ] as const)("or not: %s", async (failed, expected) => {
    const http: ProviderHttp = { call: () => Effect.fail(failed) }
    expect(await Effect.runPromise(atFlutterwave(http).initiate(mobile))).toMatchObject(expected)
    expect(await Effect.runPromise(atFlutterwave(http).enquire(attemptOf(mobile)))).toMatchObject({ _tag: "Unknown" })
    expect(Either.isLeft(await Effect.runPromise(atFlutterwave(http).test!))).toBe(true)
  })
})

describe("a reference that Flutterwave says it has", () => {
  const known = (order: PaymentOrder, message: string, found: ProviderReply) => {
    const { calls, http } = scripted(({ method }) => (method === "POST" ? wrong(message) : found))
    return Effect.map(atFlutterwave(http).initiate(order), (outcome) => ({ outcome, calls }))
  }

  it.each([
    ["Transfer with this reference already exists", { state: "processing", providerPaymentId: "7" }],
    ["Duplicate reference", { state: "processing", providerPaymentId: "7" }]
  ])("is looked up as a transfer: %s", async (message, expected) => {
    const data = [{ id: 7, reference: payout.reference, status: "PENDING", amount: 1500, currency: "NGN" }]
    const { calls, outcome } = await Effect.runPromise(known(payout, message, success({ data })))
    expect(outcome).toMatchObject({ _tag: "Accepted", ...expected })
    expect(calls.map(({ path }) => path)).toEqual(["/v3/transfers", `/v3/transfers?reference=${payout.reference}`])
  })

  it("is looked up as a charge", async () => {
    const data = { id: 7, tx_ref: mobile.reference, status: "successful", amount: 10, currency: "KES" }
    const { outcome } = await Effect.runPromise(known(mobile, "tx_ref already exists", success({ data })))
    expect(outcome).toMatchObject({
      _tag: "Accepted",
      state: "completed",
      movements: [{ amount: amount("10", "KES") }]
    })
  })

  it("is not known where it cannot be found", async () => {
    const { outcome } = await Effect.runPromise(known(payout, "Duplicate reference", success({ data: [] })))
    expect(outcome).toMatchObject({ _tag: "Unknown" })
  })

  it("is not meant by a reference that does not exist", async () => {
    const { outcome } = await Effect.runPromise(known(payout, "subaccount reference does not exist", success({})))
    expect(outcome).toMatchObject({ _tag: "Declined" })
  })
})

describe("what Flutterwave says of a charge", () => {
  const verified = (order: PaymentOrder, data: object) =>
    enquired(
      attemptOf(order),
      success({ data: { id: 7, tx_ref: order.reference, currency: "KES", amount: 10, ...data } })
    )

  it.each([
    // Customers who were sent to a page, who are to transfer, and who were asked by phone.
    [
      { status: "pending", amount: 10 },
      { state: "pending", reason: null }
    ],
    [
      { status: "successful", amount: 10, app_fee: 0.29 },
      {
        state: "completed",
        movements: [{ amount: amount("10", "KES") }],
        fee: amount("0.29", "KES"),
        providerPaymentId: "7"
      }
    ],
    [
      { status: "successful", amount: 9.5 },
      { state: "completed", movements: [{ amount: amount("9.5", "KES") }] }
    ],
    [
      { status: "failed", processor_response: "Insufficient Funds" },
      {
        state: "failed",
        reason: "Insufficient Funds",
        code: "INSUFFICIENT_FUNDS"
      }
    ],
    [{ status: "failed" }, { state: "failed", reason: "the charge failed" }]
  ])("%j", async (data, expected) => {
    const found = await verified(mobile, data)
    expect(found).toMatchObject({ _tag: "Report", providerStatus: data.status, ...expected })
    if (data.status !== "successful") expect(found).not.toHaveProperty("received")
  })

  it("is not completed by an unreadable amount", async () => {
    for (const about of [{ amount: null }, { amount: 10, currency: "XXZ" }, { amount: 10.001 }, { amount: "a lot" }]) {
      expect([about, (await verified(mobile, { status: "successful", ...about }))._tag]).toEqual([about, "Unknown"])
    }
  })

  it("names no fee that is finer than the currency", async () => {
    const found = await verified(mobile, { status: "successful", amount: 10, app_fee: 0.295 })
    expect(found).toMatchObject({ movements: [{ amount: amount("10", "KES") }] })
    expect(found).not.toHaveProperty("fee")
  })

  it("is not believed of another reference", async () => {
    const other = orderOf({}).reference
    expect(await verified(mobile, { tx_ref: other, status: "successful", amount: 10 })).toMatchObject({
      _tag: "Unknown"
    })
  })

  it("by our reference alone is of our amount, unless it was paid, and always of our currency", async () => {
    for (const [about, paid] of [
      [{ amount: 9.5 }, "Report"],
      [{ amount: 1000 }, "Report"],
      [{ amount: null }, "Unknown"],
      [{ currency: "NGN" }, "Unknown"],
      [{ currency: null }, "Unknown"]
    ] as const) {
      for (const status of ["pending", "failed"]) {
        expect([about, (await verified(mobile, { status, ...about }))._tag]).toEqual([about, "Unknown"])
      }
      expect([about, (await verified(mobile, { status: "successful", ...about }))._tag]).toEqual([about, paid])
    }
  })

  it("keeps the id of a transaction only if it is of our amount: the whole may be paid by another one", async () => {
    expect(await verified(mobile, { status: "successful", amount: 9.5 })).toMatchObject({
      state: "completed",
      movements: [{ amount: amount("9.5", "KES") }],
      providerPaymentId: null
    })
    expect(await verified(mobile, { status: "successful" })).toMatchObject({ providerPaymentId: "7" })
  })

  it("by its own id reports whatever amount came", async () => {
    const data = { id: 7, tx_ref: mobile.reference, status: "successful", amount: 9.5, currency: "KES" }
    expect(await enquired(attemptOf(mobile, { providerPaymentId: "7" }), success({ data }))).toMatchObject({
      state: "completed",
      movements: [{ amount: amount("9.5", "KES") }]
    })
  })

  it.each([
    [wrong("No transaction was found for this id"), "Absent"],
    [wrong("Transaction not found", 404), "Absent"],
    [wrong("Merchant not found", 404), "Unknown"],
    [wrong("something else"), "Unknown"],
    [wrong("Invalid authorization key", 401), "Unknown"],
    [replyOf(429), "Unknown"],
    [replyOf(500, "<html>"), "Unknown"],
    [success({ data: null }), "Unknown"],
    [success({ data: { status: "successful" } }), "Unknown"]
  ])("by %j is %s", async (reply, tag) => {
    expect((await enquired(attemptOf(mobile), reply))._tag).toBe(tag)
  })

  it("says nothing of a page on which no payment was tried", async () => {
    expect(await enquired(attemptOf(card), wrong("No transaction was found for this id"))).toMatchObject({
      _tag: "Unknown"
    })
  })

  it("is under way where its status is unknown, and that is logged", async () => {
    const logged: Array<unknown> = []
    const logger = Logger.replace(
      Logger.defaultLogger,
      Logger.make(({ annotations, logLevel }) => logged.push([logLevel.label, HashMap.get(annotations, "status")]))
    )
    const data = { id: 7, tx_ref: mobile.reference, status: "resting", amount: 10, currency: "KES" }
    const provider = atFlutterwave(scripted(() => success({ data })).http)
    const found = await Effect.runPromise(Effect.provide(provider.enquire(attemptOf(mobile)), logger))
    expect(found).toMatchObject({ _tag: "Report", state: "processing", providerStatus: "resting" })
    expect(logged).toEqual([["WARN", Option.some("resting")]])
  })
})

describe("a card that was refused on the page", () => {
  const at = "2026-05-04T12:00:00.000Z"
  const sentAt = new Date("2026-05-04T10:00:00Z")
  const foundAfter = (minutes: number, createdAt: string | null) => {
    const data = {
      id: 7,
      tx_ref: card.reference,
      status: "failed",
      processor_response: "Do not honor",
      amount: 1500,
      currency: card.money.currency,
      created_at: createdAt
    }
    const provider = atFlutterwave(scripted(() => success({ data })).http)
    return Effect.gen(function* () {
      yield* TestClock.setTime(Date.parse(at))
      yield* TestClock.adjust(Duration.minutes(minutes))
      return yield* provider.resume!(attemptOf(card, { sentAt }), { status: "failed" })
    }).pipe(Effect.provide(TestContext.TestContext), Effect.runPromise)
  }

  it("may be followed by another one as long as the page is open", async () => {
    expect(await foundAfter(0, at)).toMatchObject({
      _tag: "Report",
      state: "pending",
      reason: "Do not honor",
      providerPaymentId: null
    })
    expect(await foundAfter(74, at)).toMatchObject({ state: "pending" })
  })

  it("is the end of it afterwards", async () => {
    expect(await foundAfter(75, at)).toMatchObject({ state: "failed", code: "CARD_DECLINED", providerPaymentId: "7" })
    // Two hours after the order, where it does not say when the card was tried.
    expect(await foundAfter(0, null)).toMatchObject({ state: "failed" })
  })
})

describe("what Flutterwave says of a transfer", () => {
  const known = attemptOf(payout, { providerPaymentId: "7" })
  const transfer = (about: object) => ({
    id: 7,
    reference: payout.reference,
    status: "NEW",
    amount: 1500,
    currency: "NGN",
    fee: 26.875,
    ...about
  })

  it.each([
    [{ status: "NEW" }, { state: "processing" }],
    [{ status: "PENDING" }, { state: "processing" }],
    [
      { status: "SUCCESSFUL", fee: 10.75 },
      {
        state: "completed",
        movements: [{ amount: amount("1500", "NGN") }],
        fee: amount("10.75", "NGN")
      }
    ],
    [{ status: "SUCCESSFUL" }, { state: "completed", movements: [{ amount: amount("1500", "NGN") }] }],
    [
      { status: "FAILED", complete_message: "DISBURSE FAILED: Insufficient funds" },
      {
        state: "failed",
        reason: "DISBURSE FAILED: Insufficient funds",
        code: "PROVIDER_BALANCE_LOW"
      }
    ],
    [
      { status: "FAILED", complete_message: "" },
      { state: "failed", reason: "the transfer failed" }
    ]
  ])("%j", async (about, expected) => {
    const report = { _tag: "Report", providerPaymentId: "7", ...expected }
    expect(await enquired(known, success({ data: transfer(about) }))).toMatchObject(report)
    expect(await enquired(attemptOf(payout), success({ data: [transfer(about)] }))).toMatchObject(report)
  })

  it("is not believed of another reference", async () => {
    const another = transfer({ reference: "another", status: "SUCCESSFUL" })
    expect(await enquired(known, success({ data: another }))).toMatchObject({ _tag: "Unknown" })
    expect(await enquired(attemptOf(payout), success({ data: [another] }))).toMatchObject({ _tag: "Unknown" })
  })

  it("is absent from a list that was searched and is empty", async () => {
    expect(await enquired(attemptOf(payout), success({ data: [] }))).toMatchObject({ _tag: "Absent" })
    expect(await enquired(known, wrong("Transfer not found", 404))).toMatchObject({ _tag: "Unknown" })
    expect(await enquired(attemptOf(payout), replyOf(500))).toMatchObject({ _tag: "Unknown" })
  })

  it("is what was paid, where the list holds it twice", async () => {
    const data = [transfer({ id: 8, status: "FAILED" }), transfer({ status: "SUCCESSFUL" })]
    expect(await enquired(attemptOf(payout), success({ data }))).toMatchObject({ state: "completed" })
  })

  it("is under way, where the list holds it twice and one of them is", async () => {
    for (const status of ["NEW", "PENDING", "SOMETHING NEW"]) {
      const data = [transfer({ id: 8, status: "FAILED" }), transfer({ status })]
      expect(await enquired(attemptOf(payout), success({ data }))).toMatchObject({ state: "processing" })
    }
  })
})

describe("a refund by Flutterwave", () => {
  const attempt = attemptOf(mobile)
  const order = {
    attempt,
    reference: orderOf({}).reference,
    collectionId: null,
    money: amount("4", "KES"),
    reason: null
  }
  const transaction = {
    id: 288200108,
    tx_ref: mobile.reference,
    status: "successful",
    amount: 10,
    currency: "KES"
  }
  const paid = success({ data: transaction })

  const refunded = (found: ProviderReply, reply: ProviderReply, providerPaymentId: string | null = null) => {
    const { calls, http } = scripted(({ method }) => (method === "GET" ? found : reply))
    const asked = atFlutterwave(http).refund!({ ...order, attempt: { ...attempt, providerPaymentId } })
    return Effect.runPromise(Effect.map(asked, (outcome) => ({ outcome, calls })))
  }

  it("is of the transaction whose id we know, and not of another that has our reference", async () => {
    const { calls } = await refunded(paid, success({ data: { id: 75923, status: "completed" } }), "288200108")
    expect(calls.map(({ path }) => path)).toEqual([
      "/v3/transactions/288200108/verify",
      "/v3/transactions/288200108/refund"
    ])
    const other = await refunded(success({ data: { ...transaction, id: 7 } }), success({}), "288200108")
    expect(other.outcome).toMatchObject({ _tag: "Declined", code: "INVALID_ORDER" })
    expect(other.calls).toHaveLength(1)
  })

  it("is of the transaction of our reference where its id was lost", async () => {
    const { calls } = await refunded(paid, success({ data: { id: 75923, status: "completed" } }))
    expect(calls.map(({ path }) => path)).toEqual([
      `/v3/transactions/verify_by_reference?tx_ref=${mobile.reference}`,
      "/v3/transactions/288200108/refund"
    ])
  })

  it.each<readonly [ProviderReply, object]>([
    [success({ data: { id: 75923, status: "completed" } }), { state: "completed", providerPaymentId: "75923" }],
    [success({ data: { id: 75923, status: "completed-momo" } }), { state: "completed" }],
    [success({ data: { id: 75923, status: "pending" } }), { state: "processing" }],
    [success({ data: { id: 75923, status: "failed" } }), { _tag: "Declined" }],
    [wrong("Insufficient balance"), { _tag: "Declined", code: "PROVIDER_BALANCE_LOW" }],
    [replyOf(500), { _tag: "Unknown" }],
    [success({ data: {} }), { _tag: "Unknown" }]
  ])("is answered: %#", async (reply, expected) => {
    expect((await refunded(paid, reply)).outcome).toMatchObject(expected)
  })

  it.each([
    [wrong("No transaction was found for this id"), "INVALID_ORDER"],
    [success({ data: { ...transaction, status: "failed" } }), "INVALID_ORDER"],
    [success({ data: { ...transaction, tx_ref: "another" } }), "INVALID_ORDER"],
    [success({ data: { ...transaction, amount: 1 } }), "INVALID_ORDER"],
    [success({ data: { ...transaction, currency: "NGN" } }), "INVALID_ORDER"],
    [wrong("no", 401), "CREDENTIALS_REFUSED"],
    [replyOf(429), "PROVIDER_BUSY"]
  ])("is not sent where there is nothing to give back: %#", async (found, code) => {
    const { calls, outcome } = await refunded(found, success({}))
    expect(outcome).toMatchObject({ _tag: "Declined", code })
    expect(calls).toHaveLength(1)
  })

  const sentAt = new Date("2026-05-04T23:59:00Z")
  const leg = attemptOf(mobile, {
    leg: "refund",
    broughtBy: { ...attempt, providerPaymentId: "288200108" },
    reference: order.reference,
    money: order.money,
    sentAt
  })

  it("whose id was lost is found among all refunds by the words that we sent with it", async () => {
    const listed = { id: 75923, tx_id: 288200108, amount_refunded: 4, status: "completed" }
    const comments = `${order.reference} late`
    const { calls, http } = scripted(() =>
      success({
        data: [
          { ...listed, id: 1, comments: "late" },
          { ...listed, comments }
        ]
      })
    )
    const found = await Effect.runPromise(atFlutterwave(http).enquire(leg))
    expect(found).toMatchObject({ _tag: "Report", state: "completed", providerPaymentId: "75923" })
    expect(calls.map(({ path }) => path)).toEqual(["/v3/refunds?from=2026-05-03&to=2026-05-06"])
    for (const about of [
      { comments: undefined },
      { comments: orderOf({}).reference },
      { comments: `${order.reference}0` },
      { comments, tx_id: 7 },
      { comments, amount_refunded: 3 }
    ]) {
      const other = success({ data: [{ ...listed, ...about }] })
      expect([about, (await enquired(leg, other))._tag]).toEqual([about, "Unknown"])
    }
    const inList = { id: 75923, transaction_id: 288200108, amount_refunded: 4, status: "completed", comment: comments }
    expect(await enquired(leg, success({ data: [inList] })), "in the words of lists").toMatchObject({
      providerPaymentId: "75923"
    })
    expect((await enquired(leg, success({ data: [{ ...inList, transaction_id: 7 }] })))._tag).toBe("Unknown")
    expect((await enquired(leg, success({ data: [] })))._tag, "proves nothing").toBe("Unknown")
    const twice = success({
      data: [
        { ...listed, comments },
        { ...listed, id: 75924, comments }
      ]
    })
    expect((await enquired(leg, twice))._tag, "two of one reference").toBe("Unknown")
  })

  it("whose id was lost is looked for on every page of the list, which is the whole account's", async () => {
    const listed = { id: 75923, transaction_id: 288200108, amount_refunded: 4, status: "completed" }
    const pages = [
      [{ ...listed, id: 1, comment: "another's" }],
      [],
      [{ ...listed, comment: `${order.reference} late` }]
    ]
    const { calls, http } = scripted(({ path }) => {
      const current_page = Number(/&page=(\d+)/.exec(path)?.[1] ?? "1")
      const page_info = { total: 21, current_page, total_pages: pages.length }
      return success({ meta: { page_info }, data: pages[current_page - 1] })
    })
    const found = await Effect.runPromise(atFlutterwave(http).enquire(leg))
    expect(found).toMatchObject({ _tag: "Report", state: "completed", providerPaymentId: "75923" })
    const path = "/v3/refunds?from=2026-05-03&to=2026-05-06"
    expect(calls.map((call) => call.path)).toEqual([path, `${path}&page=2`, `${path}&page=3`])
    const broken = scripted((call) =>
      call.path === path
        ? success({ meta: { page_info: { total_pages: 2 } }, data: [{ ...listed, comment: order.reference }] })
        : replyOf(500)
    )
    const half = await Effect.runPromise(atFlutterwave(broken.http).enquire(leg))
    expect(half._tag, "there may be a second one").toBe("Unknown")
  })

  it("is found again by its own id", async () => {
    const completed = success({ data: { id: 75923, status: "completed" } })
    const { calls, http } = scripted(() => completed)
    await Effect.runPromise(atFlutterwave(http).enquire({ ...leg, providerPaymentId: "75923" }))
    expect(calls.map(({ path }) => path)).toEqual(["/v3/refunds/75923"])
    expect(await enquired({ ...leg, providerPaymentId: "7" }, completed), "of another id").toMatchObject({
      _tag: "Unknown"
    })
    expect(await enquired({ ...leg, providerPaymentId: "75923" }, completed)).toMatchObject({ state: "completed" })
    expect(await enquired({ ...leg, providerPaymentId: "75923" }, replyOf(404))).toMatchObject({ _tag: "Unknown" })
    expect(await enquired(leg, completed)).toMatchObject({ _tag: "Unknown" })
  })
})

describe("the test of an account", () => {
  it("says which wallets it has, or why it was not let in", async () => {
    const tested = (status: number, body: unknown) =>
      Effect.runPromise(atFlutterwave(scripted(() => replyOf(status, body)).http).test!)
    const data = [{ currency: "NGN", available_balance: 2367840 }, { currency: "KES" }]
    expect(await tested(200, { status: "success", message: "ok", data })).toEqual(
      Either.right({ balances: ["2367840 NGN", "KES"] })
    )
    expect(await tested(401, { status: "error", message: "Invalid authorization key", data: null })).toEqual(
      Either.left("Invalid authorization key")
    )
    expect(await tested(502, "<html>")).toEqual(Either.left("HTTP 502"))
  })
})
