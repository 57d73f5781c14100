import { describe, expect, it } from "@effect/vitest"
import { Effect, TestClock, Option } from "effect"
import * as fc from "fast-check"
import type { Outcome } from "../../../src/domain/Outcome.ts"
import { Money } from "../../../src/domain/Money.ts"
import { circle } from "../../../src/providers/circle/CircleAdapter.ts"
import { circleMoney, moneyOfCircle, derivedUuid } from "../../../src/providers/circle/CircleRequests.ts"
import { MaybeSent, NeverSent } from "../../../src/providers/client/ProviderHttp.ts"
import { refusesUnsent } from "../support/CryptoRefusals.ts"
import { connected } from "../support/ConnectedAdapter.ts"
import { amount, attemptOf, refundAttemptOf, refundOf } from "../support/TestOrders.ts"
import { replyOf, type Said, saying } from "../support/ScriptedReplies.ts"
import { triesAccount } from "../support/AccountTestCases.ts"
import { payin, payout, recipientAddress } from "./CircleTestOrders.ts"

const answering = (...replies: ReadonlyArray<Said>) => {
  const { calls, http } = saying(...replies)
  return { calls, provider: connected(circle, http, { api_key: "k", wallet_id: "1000999922" }) }
}

const run = (outcome: Effect.Effect<Outcome>) =>
  Effect.gen(function* () {
    const fiber = yield* Effect.fork(outcome)
    yield* TestClock.adjust("5 seconds")
    return yield* fiber
  })

const id = "8755d0ea-14f9-4259-b092-de23c14b6568"
const address = "0x97de855690955e0da79ce5c1b6804847e7070c7f"

const intent = (
  timeline: ReadonlyArray<Record<string, string>>,
  about: {
    paid?: string
    address?: string
    currency?: string
    paymentIds?: ReadonlyArray<string>
    refundIds?: ReadonlyArray<string>
  } = {}
) => ({
  data: {
    id,
    amount: { amount: "10.00", currency: "USD" },
    amountPaid: { amount: about.paid ?? "0.00", currency: about.currency ?? "USD" },
    paymentMethods: [{ type: "blockchain", chain: "POLY", ...(about.address ? { address: about.address } : {}) }],
    paymentIds: about.paymentIds ?? (about.paid === undefined ? [] : ["p"]),
    refundIds: about.refundIds ?? [],
    timeline
  }
})
const at = (status: string, second: number, more: Record<string, string> = {}) => ({
  status,
  time: `2026-03-01T10:00:0${second}.5Z`,
  ...more
})

const order = payin("10", "POLYGON")

describe("what Circle answers to a payment intent", () => {
  it.effect("its address comes with a later question", () =>
    Effect.gen(function* () {
      const { calls, provider } = answering(
        replyOf(201, intent([at("created", 0)])),
        replyOf(200, intent([at("created", 0)])),
        replyOf(200, intent([at("pending", 1), at("created", 0)], { address }))
      )
      expect(yield* run(provider.initiate(order))).toMatchObject({
        _tag: "Accepted",
        state: "pending",
        providerPaymentId: id,
        nextAction: "wait",
        actionData: { address, network: "POLYGON" },
        providerData: { payment_intent_id: id }
      })
      expect(calls.map(({ method, path }) => `${method} ${path}`)).toEqual([
        "POST /v1/paymentIntents",
        `GET /v1/paymentIntents/${id}`,
        `GET /v1/paymentIntents/${id}`
      ])
      expect(JSON.parse(calls[0]?.body ?? "")).toMatchObject({
        idempotencyKey: order.reference,
        // Continuous ones are made by default, and are never complete.
        type: "transient",
        merchantWalletId: "1000999922"
      })
    })
  )

  it.effect("one that has no address in time is held, and an enquiry brings it", () =>
    Effect.gen(function* () {
      const none = replyOf(200, intent([at("created", 0)]))
      const { provider } = answering(
        replyOf(201, intent([at("created", 0)])),
        none,
        new MaybeSent({ reason: "cut" }),
        none,
        replyOf(200, intent([at("created", 0), at("pending", 1)], { address }))
      )
      expect(yield* run(provider.initiate(order))).toMatchObject({
        _tag: "Accepted",
        state: "pending",
        // Leaves the customer without “wait” until there is an address to pay to: a later enquiry could not show it any
        // more.
        nextAction: "check_status",
        actionData: { address: null, network: "POLYGON" }
      })
      const attempt = attemptOf(order, { providerPaymentId: id })
      expect(yield* provider.enquire(attempt)).not.toHaveProperty("waitsFor")
      expect(yield* provider.enquire(attempt)).toMatchObject({
        state: "pending",
        waitsFor: { nextAction: "wait", actionData: { address, network: "POLYGON" } }
      })
    })
  )

  const answers: ReadonlyArray<readonly [string, Said, object]> = [
    [
      "it had been paid",
      replyOf(201, intent([at("complete", 2)], { paid: "10.00", address })),
      { _tag: "Accepted", state: "completed", movements: [{ amount: amount("10", "USDC") }] }
    ],
    ["it had failed", replyOf(201, intent([at("failed", 2)])), { _tag: "Declined" }],
    [
      "400",
      replyOf(400, { code: 2, message: "Invalid" }),
      { _tag: "Declined", code: "INVALID_ORDER", providerCode: "2", reason: "Invalid" }
    ],
    ["401", replyOf(401, { code: 401 }), { _tag: "Declined", code: "CREDENTIALS_REFUSED" }],
    ["403", replyOf(403, { code: 3 }), { _tag: "Declined", code: "CREDENTIALS_REFUSED" }],
    ["404", replyOf(404, { code: 404 }), { _tag: "Declined", code: "INVALID_ORDER" }],
    ["409", replyOf(409, { code: 409 }), { _tag: "Unknown" }],
    ["429", replyOf(429, { code: 429 }), { _tag: "Declined", code: "PROVIDER_BUSY" }],
    ["500", replyOf(500, "oops"), { _tag: "Unknown" }],
    ["503", replyOf(503, {}), { _tag: "Unknown" }],
    ["201 with garbage", replyOf(201, "<html>"), { _tag: "Unknown" }],
    ["200 without an id", replyOf(200, { data: {} }), { _tag: "Unknown" }],
    ["no connection", new NeverSent({ reason: "refused" }), { _tag: "Declined", code: "PROVIDER_UNAVAILABLE" }],
    ["no answer", new MaybeSent({ reason: "timeout" }), { _tag: "Unknown" }]
  ]
  it.effect.each(answers)("%s", ([, reply, expected]) =>
    Effect.gen(function* () {
      expect(yield* run(answering(reply).provider.initiate(order))).toMatchObject(expected)
    })
  )
})

describe("what Circle says of a payment intent later", () => {
  const listed = [
    { id: "p", type: "payment", status: "paid", amount: { amount: "4.00", currency: "USD" } },
    { id: "r", type: "refund", status: "paid", amount: { amount: "4.00", currency: "USD" } }
  ]
  const states: ReadonlyArray<readonly [string, object, object]> = [
    ["created", intent([at("created", 0)]), { state: "pending", providerStatus: "created" }],
    [
      "pending, nothing seen",
      intent([at("created", 0), at("pending", 1)], { address }),
      { state: "pending", waitsFor: { actionData: { address } } }
    ],
    ["pending, a payment seen", intent([at("pending", 1)], { address, paymentIds: ["p"] }), { state: "processing" }],
    ["pending, a part paid", intent([at("pending", 1)], { address, paid: "1.00" }), { state: "processing" }],
    [
      "complete, paid",
      intent([at("pending", 1), at("complete", 2, { context: "paid" })], { paid: "10.00" }),
      { state: "completed", movements: [{ amount: amount("10", "USDC") }] }
    ],
    [
      "complete, underpaid",
      intent([at("complete", 2, { context: "underpaid" })], { paid: "9.50" }),
      { state: "completed", movements: [{ amount: amount("9.5", "USDC") }] }
    ],
    [
      "complete, overpaid",
      intent([at("complete", 2, { context: "overpaid" })], { paid: "11.000001" }),
      { state: "completed", movements: [{ amount: amount("11.000001", "USDC") }] }
    ],
    [
      "complete, in another currency",
      intent([at("complete", 2)], { paid: "1", currency: "ETH" }),
      { state: "completed", movements: [{ amount: amount("1", "ETH") }] }
    ],
    ["complete, of an amount that is none", intent([at("complete", 2)], { paid: "a lot" }), { _tag: "Unknown" }],
    [
      "expired",
      intent([at("expired", 3), at("created", 0)]),
      { state: "failed", code: "NOT_APPROVED", providerCode: "expired" }
    ],
    [
      "complete, as expired",
      intent([at("complete", 3, { context: "expired" }), at("pending", 1), at("created", 0)]),
      { state: "failed", code: "NOT_APPROVED", providerCode: "expired" }
    ],
    [
      "complete, as expired, a part paid",
      intent([at("complete", 3, { context: "expired" })], { paid: "4.00" }),
      { state: "completed", movements: [{ amount: amount("4", "USDC") }] }
    ],
    [
      "expired, a part paid",
      intent([at("expired", 3)], { paid: "4.00" }),
      { state: "completed", movements: [{ amount: amount("4", "USDC") }] }
    ],
    [
      "failed",
      intent([at("failed", 3, { reason: "fee_collection_failed" })]),
      { state: "failed", providerCode: "fee_collection_failed" }
    ],
    [
      "failed, with money in it",
      intent([at("failed", 3)], { paid: "4.00" }),
      { state: "processing", providerStatus: "failed" }
    ],
    ["refunded", intent([at("refunded", 4)], { paid: "10.00", refundIds: ["r"] }), { state: "returned" }],
    ["a status of a later version", intent([at("resting", 4)]), { state: "processing", providerStatus: "resting" }],
    ["no status at all", intent([]), { state: "processing", providerStatus: null }]
  ]
  it.effect.each(states)("%s", ([, body, expected]) =>
    Effect.gen(function* () {
      const { calls, provider } = answering(replyOf(200, body), replyOf(200, { data: listed }))
      expect(yield* provider.enquire(attemptOf(order, { providerPaymentId: id }))).toMatchObject(expected)
      expect(calls[0]?.path).toBe(`/v1/paymentIntents/${id}`)
    })
  )

  it.effect("without its id nothing is asked: nothing is found by our reference", () =>
    Effect.gen(function* () {
      const { calls, provider } = answering()
      expect(yield* provider.enquire(attemptOf(order))).toMatchObject({ _tag: "Unknown" })
      const refund = refundAttemptOf(refundOf(attemptOf(order), { reference: id }), { providerPaymentId: id })
      expect(yield* provider.enquire(refund)).toMatchObject({ _tag: "Unknown" })
      expect(calls).toEqual([])
    })
  )

  it.effect.each([
    [404, "Absent"],
    [401, "Unknown"],
    [429, "Unknown"],
    [500, "Unknown"]
  ] as const)("HTTP %s", ([status, tag]) =>
    Effect.gen(function* () {
      const { provider } = answering(replyOf(status, {}))
      expect((yield* provider.enquire(attemptOf(order, { providerPaymentId: id })))._tag).toBe(tag)
    })
  )
})

const recipient = replyOf(200, {
  data: { id: derivedUuid("a"), address: recipientAddress, chain: "POLY", status: "active" }
})
const transfer = (about: object) => ({
  data: { id, status: "pending", amount: { amount: "10.00", currency: "USD" }, ...about }
})
const out = payout("10", "POLYGON")

describe("what Circle answers to a transfer", () => {
  const answers: ReadonlyArray<readonly [string, Said, object]> = [
    [
      "pending",
      replyOf(201, transfer({})),
      { _tag: "Accepted", state: "processing", providerPaymentId: id, nextAction: null }
    ],
    [
      "complete",
      replyOf(
        201,
        transfer({
          status: "complete",
          fees: [
            { type: "network", amount: "0.25", currency: "USD" },
            { type: "network", amount: "0.5", currency: "USD" }
          ]
        })
      ),
      {
        _tag: "Accepted",
        state: "completed",
        movements: [{ amount: amount("10", "USDC") }],
        fee: amount("0.75", "USDC")
      }
    ],
    [
      "failed at once, our balance",
      replyOf(201, transfer({ status: "failed", errorCode: "insufficient_funds" })),
      { _tag: "Declined", code: "PROVIDER_BALANCE_LOW", providerCode: "insufficient_funds" }
    ],
    [
      "failed at once, the address",
      replyOf(201, transfer({ status: "failed", errorCode: "transfer_denied" })),
      { _tag: "Declined", code: "SUSPECTED_FRAUD", instrument: true }
    ],
    [
      "a status of a later version",
      replyOf(201, transfer({ status: "resting" })),
      { _tag: "Accepted", state: "processing", providerStatus: "resting" }
    ],
    ["400", replyOf(400, { code: 2, message: "Invalid" }), { _tag: "Declined", code: "INVALID_ORDER" }],
    ["401", replyOf(401, {}), { _tag: "Declined", code: "CREDENTIALS_REFUSED" }],
    ["409", replyOf(409, {}), { _tag: "Unknown" }],
    ["500", replyOf(500, {}), { _tag: "Unknown" }],
    ["201 with garbage", replyOf(201, "<html>"), { _tag: "Unknown" }],
    ["no answer", new MaybeSent({ reason: "timeout" }), { _tag: "Unknown" }]
  ]
  it.effect.each(answers)("%s", ([, reply, expected]) =>
    Effect.gen(function* () {
      const { calls, provider } = answering(recipient, reply)
      expect(yield* provider.initiate(out)).toMatchObject(expected)
      expect(JSON.parse(calls[1]?.body ?? "")).toEqual({
        idempotencyKey: out.reference,
        destination: { type: "verified_blockchain", addressId: derivedUuid("a") },
        amount: { amount: "10.00", currency: "USD" }
      })
    })
  )

  const before: ReadonlyArray<readonly [string, Said, object]> = [
    [
      "waits for its verification",
      replyOf(200, { data: { id: "a", status: "pending_verification" } }),
      { code: "NOT_SUPPORTED", providerCode: "pending_verification" }
    ],
    // States that Circle lists for recipient addresses, to be used once they are active.
    ...["pending", "pending_owner_information", "denied", "inactive", "on_hold", "failed", "disabled"].map(
      (status) =>
        [
          `is ${status}`,
          replyOf(201, { data: { id: "a", status } }),
          { code: "NOT_SUPPORTED", providerCode: status }
        ] as const
    ),
    ["is refused", replyOf(400, { code: 2, message: "Invalid address" }), { code: "INVALID_ORDER" }],
    ["meets a failure", replyOf(500, {}), { code: "PROVIDER_UNAVAILABLE" }],
    ["is answered with garbage", replyOf(200, "<html>"), { code: "PROVIDER_UNAVAILABLE" }],
    ["is not answered", new MaybeSent({ reason: "timeout" }), { code: "PROVIDER_UNAVAILABLE" }],
    ["comes too often", replyOf(429, {}), { code: "PROVIDER_BUSY" }]
  ]
  it.effect.each(before)("whose address %s is not sent", ([, reply, expected]) =>
    Effect.gen(function* () {
      const { calls, provider } = answering(reply)
      expect(yield* provider.initiate(out)).toMatchObject({ _tag: "Declined", ...expected })
      expect(calls).toHaveLength(1)
    })
  )

  it.effect("whose address Circle has already is looked for in its list, page by page", () =>
    Effect.gen(function* () {
      const other = { id: derivedUuid("b"), address: recipientAddress, chain: "ETH", status: "active" }
      const ours = { id: derivedUuid("c"), address: recipientAddress, chain: "POLY", status: "verification_succeeded" }
      const { calls, provider } = answering(
        replyOf(409, { code: 409 }),
        replyOf(200, { data: [other] }),
        replyOf(200, { data: [ours] }),
        replyOf(201, transfer({}))
      )
      expect(yield* provider.initiate(out)).toMatchObject({ _tag: "Accepted" })
      expect(calls[2]?.path).toContain(`pageAfter=${other.id}`)
      expect(JSON.parse(calls[3]?.body ?? "")).toMatchObject({ destination: { addressId: ours.id } })
      const lost = answering(replyOf(409, {}), replyOf(200, { data: [] }))
      expect(yield* lost.provider.initiate(out)).toMatchObject({ _tag: "Declined", code: "PROVIDER_UNAVAILABLE" })
    })
  )

  it("an address is made known under one key, whichever payout goes to it", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (one, two) => {
        expect(derivedUuid(one, two)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
        expect(derivedUuid(one, two)).toBe(derivedUuid(one, two))
        expect(derivedUuid(`${one}${two}`, "")).not.toBe(derivedUuid(one, `${two}x`))
      })
    )
  })
})

describe("what Circle says of a transfer later", () => {
  it.effect.each([
    ["pending", {}, { state: "processing" }],
    ["complete", { status: "complete" }, { state: "completed", movements: [{ amount: amount("10", "USDC") }] }],
    [
      "failed",
      { status: "failed", errorCode: "blockchain_error" },
      { state: "failed", providerCode: "blockchain_error" }
    ],
    ["failed without a reason", { status: "failed" }, { state: "failed", reason: null }],
    ["denied", { status: "failed", errorCode: "transfer_denied" }, { state: "failed", code: "SUSPECTED_FRAUD" }],
    ["a status of a later version", { status: "resting" }, { state: "processing" }]
  ] as const)("%s", ([, about, expected]) =>
    Effect.gen(function* () {
      const { calls, provider } = answering(replyOf(200, transfer(about)))
      const attempt = attemptOf(out, { leg: "settlement", flow: "external", providerPaymentId: id })
      expect(yield* provider.enquire(attempt)).toMatchObject(expected)
      expect(calls[0]?.path).toBe(`/v1/businessAccount/transfers/${id}`)
    })
  )
})

describe("what is not sent to Circle", () => {
  refusesUnsent(answering, {
    orders: [
      ["a chain that it does not have", payin("10", "TRON")],
      ["another asset", { ...payin("10"), money: amount("10", "USDT") }],
      ["a payout to nowhere", { ...payout("10"), walletAddress: { address: "", network: "ETHEREUM" } }]
    ],
    network: "SOLANA",
    alsoFits: [{ flow: "outbound", network: null }],
    doesNotFit: [{ network: "TRON" }, { currency: "USDT" }]
  })
})

describe("amounts for Circle", () => {
  it("arrive as they were meant", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 10n ** 15n }), (minor) => {
        const meant = new Money({ currency: "USDC", minor })
        const written = circleMoney(meant)
        expect(written).toEqual({ amount: expect.stringMatching(/^\d+\.\d{2,6}$/), currency: "USD" })
        expect(moneyOfCircle(written)).toEqual(Option.some(meant))
      })
    )
  })
})

describe("the account at Circle", () => {
  triesAccount(answering, "the API key", [
    [{ data: { available: [{ amount: "3.14", currency: "USD" }] } }, { balances: ["3.14 USD"] }],
    [{ data: { available: [] } }, { balances: [] }]
  ])
})
