import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { MaybeSent, NeverSent } from "../../../src/providers/client/ProviderHttp.ts"
import { pawapay } from "../../../src/providers/pawapay/PawapayAdapter.ts"
import { connected } from "../support/ConnectedAdapter.ts"
import { amount, attemptOf, refundAttemptOf, refundOf } from "../support/TestOrders.ts"
import { replyOf, type Said, saying } from "../support/ScriptedReplies.ts"
import { triesAccount } from "../support/AccountTestCases.ts"
import { kenya, zambia } from "./PawapayTestOrders.ts"

const answering = (...replies: ReadonlyArray<Said>) => {
  const { calls, http } = saying(...replies)
  return { calls, provider: connected(pawapay, http, { api_token: "t" }) }
}

const order = zambia("200")
const payout = zambia("15", { flow: "outbound" })

const rejected = (rejectionCode: string) => ({
  depositId: order.reference,
  status: "REJECTED",
  rejectionReason: { rejectionCode, rejectionMessage: "Words of theirs" }
})

describe("what pawaPay answers to an order", () => {
  const rejections = [
    ["INVALID_PAYER_FORMAT", "ACCOUNT_INVALID", true],
    ["INVALID_RECIPIENT_FORMAT", "ACCOUNT_INVALID", true],
    ["INVALID_CORRESPONDENT", "NOT_SUPPORTED", undefined],
    ["INVALID_CURRENCY", "NOT_SUPPORTED", undefined],
    ["INVALID_COUNTRY", "NOT_SUPPORTED", undefined],
    ["DEPOSITS_NOT_ALLOWED", "NOT_SUPPORTED", undefined],
    ["PAYOUTS_NOT_ALLOWED", "NOT_SUPPORTED", undefined],
    ["REFUNDS_NOT_ALLOWED", "NOT_SUPPORTED", undefined],
    ["INVALID_AMOUNT", "INVALID_ORDER", undefined],
    ["PARAMETER_INVALID", "INVALID_ORDER", undefined],
    ["INVALID_INPUT", "INVALID_ORDER", undefined],
    ["DEPOSIT_NOT_FOUND", "INVALID_ORDER", undefined],
    ["DEPOSIT_NOT_COMPLETED", "INVALID_ORDER", undefined],
    ["ALREADY_REFUNDED", "INVALID_ORDER", undefined],
    ["IN_PROGRESS", "PROVIDER_BUSY", undefined],
    ["AMOUNT_TOO_SMALL", "LIMIT_EXCEEDED", undefined],
    ["AMOUNT_TOO_LARGE", "LIMIT_EXCEEDED", undefined],
    ["BALANCE_INSUFFICIENT", "PROVIDER_BALANCE_LOW", undefined],
    ["CORRESPONDENT_TEMPORARILY_UNAVAILABLE", "PROVIDER_UNAVAILABLE", undefined],
    ["SOMETHING_NEW", undefined, undefined],
    ["constructor", undefined, undefined]
  ] as const
  it.effect.each(rejections)("REJECTED for %s is a refusal: %s", ([providerCode, code, instrument]) =>
    Effect.gen(function* () {
      const { provider } = answering(replyOf(200, rejected(providerCode)))
      const outcome = yield* provider.initiate(order)
      expect(outcome).toMatchObject({ _tag: "Declined", reason: "Words of theirs", providerCode })
      expect([Reflect.get(outcome, "code"), Reflect.get(outcome, "instrument")]).toEqual([code, instrument])
    })
  )

  it.effect.each([
    ["ACCEPTED", "wait"],
    ["ENQUEUED", "wait"],
    ["SOMETHING_NEW", "wait"]
  ] as const)("%s is under way", ([status, nextAction]) =>
    Effect.gen(function* () {
      const { calls, provider } = answering(replyOf(200, { depositId: order.reference, status }))
      expect(yield* provider.initiate(order)).toMatchObject({
        _tag: "Accepted",
        state: "processing",
        providerStatus: status,
        providerPaymentId: order.reference,
        nextAction
      })
      expect(calls).toHaveLength(1)
    })
  )

  it.effect("a payout has no next action", () =>
    Effect.gen(function* () {
      const { provider } = answering(replyOf(200, { payoutId: payout.reference, status: "ENQUEUED" }))
      expect(yield* provider.initiate(payout)).toMatchObject({ _tag: "Accepted", nextAction: null })
    })
  )

  const failedWith = (failureCode: string) => [
    { status: "FAILED", currency: "ZMW", failureReason: { failureCode, failureMessage: "No" } }
  ]
  const duplicates = [
    ["under way", [{ status: "SUBMITTED" }], { _tag: "Accepted", state: "processing", providerStatus: "SUBMITTED" }],
    [
      "completed, with another amount",
      [{ status: "COMPLETED", currency: "ZMW", depositedAmount: "1.00" }],
      { _tag: "Accepted", state: "completed", movements: [{ amount: amount("1", "ZMW") }] }
    ],
    [
      "turned down by the payer",
      failedWith("PAYMENT_NOT_APPROVED"),
      { _tag: "Declined", code: "NOT_APPROVED", instrument: true, providerCode: "PAYMENT_NOT_APPROVED" }
    ],
    ["failed for an unknown reason", failedWith("OTHER_ERROR"), { _tag: "Declined", providerCode: "OTHER_ERROR" }],
    ["nowhere to be found", [], { _tag: "Unknown" }]
  ] as const
  it.effect.each(duplicates)("a duplicate is looked up: %s", ([, found, expected]) =>
    Effect.gen(function* () {
      const first = replyOf(200, { depositId: order.reference, status: "DUPLICATE_IGNORED" })
      const { calls, provider } = answering(first, replyOf(200, found))
      expect(yield* provider.initiate(order)).toMatchObject(expected)
      expect(calls[1]).toMatchObject({ method: "GET", path: `/deposits/${order.reference}` })
    })
  )

  it.effect("a duplicate that cannot be looked up is under way: pawaPay says that it has it", () =>
    Effect.gen(function* () {
      const { provider } = answering(
        replyOf(200, { depositId: order.reference, status: "DUPLICATE_IGNORED" }),
        new MaybeSent({ reason: "cut" })
      )
      expect(yield* provider.initiate(order)).toMatchObject({ _tag: "Accepted", state: "processing" })
    })
  )

  const problem = { errorId: "e", errorCode: 1, errorMessage: "Invalid input: Missing required property 'amount'" }
  const others = [
    ["400", replyOf(400, problem), { _tag: "Declined", code: "INVALID_ORDER", providerCode: "1" }],
    ["400 without a message", replyOf(400, "<html>"), { _tag: "Declined", code: "INVALID_ORDER", providerCode: "400" }],
    ["401", replyOf(401, { errorCode: 2 }), { _tag: "Declined", code: "CREDENTIALS_REFUSED" }],
    ["403", replyOf(403, { errorCode: 3 }), { _tag: "Declined", code: "CREDENTIALS_REFUSED" }],
    ["429", replyOf(429, ""), { _tag: "Declined", code: "PROVIDER_BUSY" }],
    ["404", replyOf(404, ""), { _tag: "Unknown" }],
    ["500", replyOf(500, { errorCode: 0 }), { _tag: "Unknown" }],
    ["502", replyOf(502, "<html>"), { _tag: "Unknown" }],
    ["200 with garbage", replyOf(200, "<html>"), { _tag: "Unknown" }],
    ["200 without a status", replyOf(200, {}), { _tag: "Unknown" }],
    ["no connection", new NeverSent({ reason: "refused" }), { _tag: "Declined", code: "PROVIDER_UNAVAILABLE" }],
    ["no answer", new MaybeSent({ reason: "timeout" }), { _tag: "Unknown" }]
  ] as const
  it.effect.each(others)("%s", ([, reply, expected]) =>
    Effect.gen(function* () {
      const [one, two] = [answering(reply), answering(reply)]
      expect(yield* one.provider.initiate(order)).toMatchObject(expected)
      const refund = {
        attempt: attemptOf(order),
        reference: payout.reference,
        collectionId: null,
        money: order.money,
        reason: null
      }
      expect(yield* two.provider.refund!(refund)).toMatchObject(expected)
    })
  )
})

describe("what is not sent to pawaPay", () => {
  const unsent = [
    ["a fraction that M-Pesa does not collect", kenya("10.50")],
    [
      "a network that it does not reach",
      kenya("10", { mobileMoney: { network: "airtel", phoneNumber: "+254730000000" } })
    ],
    ["no mobile money at all", kenya("10", { mobileMoney: null })]
  ] as const
  it.effect.each(unsent)("%s", ([, wrong]) =>
    Effect.gen(function* () {
      const { calls, provider } = answering()
      expect(yield* provider.initiate(wrong)).toMatchObject({ _tag: "Declined", code: "NOT_SUPPORTED" })
      expect(calls).toEqual([])
    })
  )
})

describe("what pawaPay says of an order later", () => {
  const failures = [
    ["PAYER_NOT_FOUND", "ACCOUNT_INVALID"],
    ["PAYMENT_NOT_APPROVED", "NOT_APPROVED"],
    ["PAYER_LIMIT_REACHED", "LIMIT_EXCEEDED"],
    ["INSUFFICIENT_BALANCE", "INSUFFICIENT_FUNDS"],
    ["TRANSACTION_ALREADY_IN_PROCESS", undefined],
    ["RECIPIENT_NOT_FOUND", "ACCOUNT_INVALID"],
    ["RECIPIENT_NOT_ALLOWED_TO_RECEIVE", "LIMIT_EXCEEDED"],
    ["RECIPIENT_LIMIT_REACHED", "LIMIT_EXCEEDED"],
    ["BALANCE_INSUFFICIENT", "PROVIDER_BALANCE_LOW"],
    ["MANUALLY_CANCELLED", undefined],
    ["OTHER_ERROR", undefined]
  ] as const
  it.effect.each(failures)("FAILED for %s: %s", ([failureCode, code]) =>
    Effect.gen(function* () {
      const { provider } = answering(replyOf(200, [{ status: "FAILED", failureReason: { failureCode } }]))
      const report = yield* provider.enquire(attemptOf(order))
      expect(report).toMatchObject({ _tag: "Report", state: "failed", reason: failureCode, providerCode: failureCode })
      expect(Reflect.get(report, "code")).toBe(code)
    })
  )

  const states = [
    ["ACCEPTED", { status: "ACCEPTED" }, { _tag: "Report", state: "processing" }],
    ["SUBMITTED", { status: "SUBMITTED" }, { _tag: "Report", state: "processing" }],
    ["ENQUEUED", { status: "ENQUEUED" }, { _tag: "Report", state: "processing" }],
    [
      "a status of a later version",
      { status: "MAYBE" },
      { _tag: "Report", state: "processing", providerStatus: "MAYBE" }
    ],
    ["FAILED without a reason", { status: "FAILED" }, { _tag: "Report", state: "failed", reason: null }],
    [
      "COMPLETED",
      { status: "COMPLETED", currency: "ZMW", depositedAmount: "200.00" },
      { _tag: "Report", state: "completed", movements: [{ amount: amount("200", "ZMW") }] }
    ],
    [
      "COMPLETED with another amount",
      { status: "COMPLETED", currency: "ZMW", requestedAmount: "200.00", depositedAmount: "1.00" },
      { _tag: "Report", state: "completed", movements: [{ amount: amount("1", "ZMW") }] }
    ],
    [
      "COMPLETED with an amount that is none",
      { status: "COMPLETED", currency: "ZMW", depositedAmount: "1,00" },
      { _tag: "Unknown" }
    ],
    ["COMPLETED in no currency", { status: "COMPLETED", depositedAmount: "1.00" }, { _tag: "Unknown" }]
  ] as const
  it.effect.each(states)("%s", ([, found, expected]) =>
    Effect.gen(function* () {
      const { provider } = answering(replyOf(200, [found]))
      expect(yield* provider.enquire(attemptOf(order))).toMatchObject(expected)
    })
  )

  it.effect("an empty list is absence", () =>
    Effect.gen(function* () {
      const { provider } = answering(replyOf(200, []))
      expect(yield* provider.enquire(attemptOf(order))).toMatchObject({ _tag: "Absent" })
    })
  )

  it.effect.each([400, 401, 403, 404, 429, 500])("HTTP %s reports nothing", (status) =>
    Effect.gen(function* () {
      const { provider } = answering(replyOf(status, []))
      expect(yield* provider.enquire(attemptOf(order))).toMatchObject({ _tag: "Unknown" })
    })
  )

  const brought = attemptOf(order)
  const places = [
    ["a payin", attemptOf(order), "deposits"],
    ["a payout", attemptOf(payout), "payouts"],
    ["what a ramp collects", attemptOf(order, { leg: "collection", flow: "external" }), "deposits"],
    ["what a ramp settles", attemptOf(order, { leg: "settlement", flow: "external" }), "payouts"],
    ["a refund", refundAttemptOf(refundOf(brought, { reference: payout.reference })), "refunds"],
    [
      "what a ramp gives back",
      refundAttemptOf(refundOf(brought, { reference: payout.reference }), { leg: "return" }),
      "refunds"
    ]
  ] as const
  it.effect.each(places)("%s is asked about where it is", ([, attempt, path]) =>
    Effect.gen(function* () {
      const { calls, provider } = answering(replyOf(200, []))
      yield* provider.enquire(attempt)
      expect(calls[0]?.path).toBe(`/${path}/${attempt.reference}`)
    })
  )
})

describe("the account", () => {
  triesAccount(answering, "the API token", [
    [
      { merchantId: "M", merchantName: "Merchant Inc." },
      { name: "Merchant Inc.", rights: [] }
    ]
  ])
})
