import { describe, expect, it } from "@effect/vitest"
import { Effect, Either, Option } from "effect"
import * as fc from "fast-check"
import { Money } from "../../../src/domain/Money.ts"
import { coinbase } from "../../../src/providers/coinbase/CoinbaseAdapter.ts"
import { transferOf } from "../../../src/providers/coinbase/CoinbaseRequests.ts"
import { coinbaseFake } from "../../fakes/CoinbaseFake.ts"
import { MaybeSent, NeverSent } from "../../../src/providers/client/ProviderHttp.ts"
import { moneyOfMajor } from "../../../src/providers/client/WireValues.ts"
import { refusesUnsent } from "../support/CryptoRefusals.ts"
import { connected } from "../support/ConnectedAdapter.ts"
import { amount, attemptOf, refundAttemptOf, refundOf } from "../support/TestOrders.ts"
import { replyOf, type Said, saying } from "../support/ScriptedReplies.ts"
import { triesAccount } from "../support/AccountTestCases.ts"
import { payin, payout, recipientAddress } from "./CoinbaseTestOrders.ts"

const answering = (...replies: ReadonlyArray<Said>) => {
  const { calls, http } = saying(...replies)
  return { calls, provider: connected(coinbase, http, coinbaseFake.credentials) }
}

const out = payout("100")
const into = payin("100")
const transferId = "transfer_af2937b0-9846-4fe7-bfe9-ccc22d935114"
const destinationId = "depositDestination_af2937b0-9846-4fe7-bfe9-ccc22d935114"

const transfer = (about: object) => ({
  transferId,
  status: "processing",
  sourceAmount: "103.50",
  sourceAsset: "usdc",
  targetAmount: "100.00",
  targetAsset: "usdc",
  source: { accountId: "account_a", asset: "usdc" },
  ...about
})
const destination = (about: object = {}) => ({
  depositDestinationId: destinationId,
  status: "active",
  crypto: { network: "base", address: recipientAddress },
  createdAt: "1970-01-01T00:00:00Z",
  ...about
})
const problem = (errorType: string) => ({ errorType, errorMessage: "Words of theirs" })

describe("what Coinbase answers to a transfer", () => {
  const refusals = [
    [400, "invalid_request", "INVALID_ORDER", undefined],
    [400, "transfer_amount_invalid", "INVALID_ORDER", undefined],
    [400, "travel_rules_field_missing", "INVALID_ORDER", undefined],
    [400, "source_account_not_found", "INVALID_ORDER", undefined],
    [400, "target_onchain_address_invalid", "ACCOUNT_INVALID", true],
    [400, "insufficient_balance", "PROVIDER_BALANCE_LOW", undefined],
    [400, "insufficient_liquidity", "PROVIDER_UNAVAILABLE", undefined],
    [400, "transfer_asset_not_supported", "NOT_SUPPORTED", undefined],
    [400, "recipient_allowlist_violation", "NOT_SUPPORTED", undefined],
    [400, "travel_rules_recipient_violation", "SUSPECTED_FRAUD", undefined],
    [400, "daily_amount_limit_exceeded", "LIMIT_EXCEEDED", undefined],
    [400, "a_word_of_tomorrow", "INVALID_ORDER", undefined],
    [400, "constructor", "INVALID_ORDER", undefined],
    [401, "unauthorized", "CREDENTIALS_REFUSED", undefined],
    [403, "customer_not_authorized", "CREDENTIALS_REFUSED", undefined],
    [403, "forbidden", "CREDENTIALS_REFUSED", undefined],
    [404, "not_found", "INVALID_ORDER", undefined],
    [429, "rate_limit_exceeded", "PROVIDER_BUSY", undefined]
  ] as const
  it.effect.each(refusals)("%s %s is a refusal: %s", ([status, errorType, code, instrument]) =>
    Effect.gen(function* () {
      const outcome = yield* answering(replyOf(status, problem(errorType))).provider.initiate(out)
      expect(outcome).toMatchObject({ _tag: "Declined", code, providerCode: expect.any(String) })
      expect(Reflect.get(outcome, "instrument")).toBe(instrument)
    })
  )

  const unsettled: ReadonlyArray<readonly [string, Said]> = [
    ["422 idempotency_error", replyOf(422, problem("idempotency_error"))],
    ["409 already_exists", replyOf(409, problem("already_exists"))],
    ["400 timed_out", replyOf(400, problem("timed_out"))],
    ["499 client_closed_request", replyOf(499, problem("client_closed_request"))],
    ["500", replyOf(500, problem("internal_server_error"))],
    ["502", replyOf(502, "<html>")],
    ["503", replyOf(503, problem("endpoint_unavailable"))],
    ["200 with garbage", replyOf(200, "<html>")],
    ["200 without an id", replyOf(200, { status: "processing" })],
    ["no answer", new MaybeSent({ reason: "timeout" })]
  ]
  it.effect.each(unsettled)("%s is not known", ([, reply]) =>
    Effect.gen(function* () {
      expect(yield* answering(reply).provider.initiate(out)).toMatchObject({ _tag: "Unknown" })
      expect(yield* answering(reply).provider.initiate(into)).toMatchObject({ _tag: "Unknown" })
    })
  )

  const answers: ReadonlyArray<readonly [string, Said, object]> = [
    [
      "quoted",
      replyOf(200, transfer({ status: "quoted" })),
      { _tag: "Accepted", state: "processing", providerPaymentId: transferId, nextAction: null }
    ],
    [
      "processing",
      replyOf(200, transfer({})),
      { _tag: "Accepted", state: "processing", providerData: { transfer_id: transferId } }
    ],
    [
      "completed",
      replyOf(200, transfer({ status: "completed" })),
      {
        _tag: "Accepted",
        state: "completed",
        movements: [{ amount: amount("100", "USDC") }],
        fee: amount("3.5", "USDC")
      }
    ],
    [
      "failed",
      replyOf(200, transfer({ status: "failed", failureReason: "No." })),
      { _tag: "Declined", reason: "No.", providerCode: "failed" }
    ],
    ["no connection", new NeverSent({ reason: "refused" }), { _tag: "Declined", code: "PROVIDER_UNAVAILABLE" }]
  ]
  it.effect.each(answers)("%s", ([, reply, expected]) =>
    Effect.gen(function* () {
      const { calls, provider } = answering(reply)
      expect(yield* provider.initiate(out)).toMatchObject(expected)
      expect(calls[0]).toMatchObject({ method: "POST", path: "/v2/transfers" })
      expect(calls[0]?.headers).toMatchObject({ "x-idempotency-key": out.reference })
      expect(JSON.parse(calls[0]?.body ?? "")).toMatchObject({
        amount: "100",
        amountType: "target",
        execute: true,
        metadata: { reference: out.reference }
      })
    })
  )
})

describe("what Coinbase answers to an address", () => {
  it.effect("it is where the customer pays", () =>
    Effect.gen(function* () {
      const { calls, provider } = answering(replyOf(201, destination()))
      expect(yield* provider.initiate(into)).toMatchObject({
        _tag: "Accepted",
        state: "pending",
        providerPaymentId: destinationId,
        nextAction: "wait",
        actionData: { address: recipientAddress, network: "BASE" },
        providerData: { deposit_destination_id: destinationId }
      })
      expect(JSON.parse(calls[0]?.body ?? "")).toMatchObject({
        type: "crypto",
        crypto: { network: "base" },
        metadata: { reference: into.reference, amount: "100" }
      })
    })
  )

  it.effect("one without an address yet leaves it to an enquiry to show the customer where to pay", () =>
    Effect.gen(function* () {
      const { provider } = answering(replyOf(201, destination({ crypto: { network: "base" } })))
      expect(yield* provider.initiate(into)).toMatchObject({
        _tag: "Accepted",
        state: "pending",
        nextAction: "check_status",
        actionData: { address: null, network: "BASE" }
      })
    })
  )
})

describe("what is not sent to Coinbase", () => {
  refusesUnsent(answering, {
    orders: [
      ["a network that it does not have", payin("10", "POLYGON")],
      ["another asset", { ...payin("10"), money: amount("10", "USDT") }],
      ["a payout to nowhere", { ...payout("10"), walletAddress: null }]
    ],
    network: "BASE",
    doesNotFit: [{ network: "TRON" }, { currency: "BTC" }]
  })

  it.effect("anything, with a key that is none; and the key is not shown", () =>
    Effect.gen(function* () {
      const { calls, http } = saying()
      const secret = "not-a-key-at-all"
      const provider = connected(coinbase, http, { ...coinbaseFake.credentials, key_secret: secret })
      const outcome = yield* provider.initiate(out)
      expect(outcome).toMatchObject({ _tag: "Declined", code: "CREDENTIALS_REFUSED" })
      expect(JSON.stringify([outcome, yield* provider.test!])).not.toContain(secret)
      expect(yield* provider.enquire(attemptOf(out))).toMatchObject({ _tag: "Unknown" })
      expect(calls).toEqual([])
    })
  )
})

describe("what Coinbase says of a transfer later", () => {
  const states: ReadonlyArray<readonly [string, object, object]> = [
    ["quoted", { status: "quoted" }, { state: "processing" }],
    ["processing", {}, { state: "processing" }],
    [
      "completed",
      { status: "completed" },
      { state: "completed", movements: [{ amount: amount("100", "USDC") }], fee: amount("3.5", "USDC") }
    ],
    ["failed", { status: "failed", failureReason: "No." }, { state: "failed", reason: "No.", providerCode: "failed" }],
    ["a status of a later version", { status: "resting" }, { state: "processing", providerStatus: "resting" }]
  ]
  it.effect.each(states)("%s", ([, about, expected]) =>
    Effect.gen(function* () {
      const byId = answering(replyOf(200, transfer(about)))
      expect(yield* byId.provider.enquire(attemptOf(out, { providerPaymentId: transferId }))).toMatchObject(expected)
      expect(byId.calls[0]?.path).toBe(`/v2/transfers/${transferId}`)
      const ours = transfer({ ...about, metadata: { reference: out.reference } })
      const other = transfer({ transferId: "transfer_other", status: "completed", metadata: { reference: "other" } })
      const byReference = answering(
        replyOf(200, { transfers: [other], nextPageToken: "next" }),
        replyOf(200, { transfers: [ours] })
      )
      const attempt = attemptOf(out, { leg: "settlement", flow: "external", sentAt: new Date("2026-03-01T10:00:00Z") })
      expect(yield* byReference.provider.enquire(attempt)).toMatchObject({ ...expected, providerPaymentId: transferId })
      const query = new URL(byReference.calls[1]!.path, "https://x").searchParams
      expect(Object.fromEntries(query)).toEqual({
        sourceAccountId: coinbaseFake.credentials["account_id"],
        createdAfter: "2026-03-01T09:00:00.000Z",
        pageSize: "100",
        pageToken: "next"
      })
    })
  )

  it.effect("what is not in its list is absent, and a list without an end proves nothing", () =>
    Effect.gen(function* () {
      const { provider } = answering(replyOf(200, { transfers: [] }))
      expect(yield* provider.enquire(attemptOf(out))).toMatchObject({ _tag: "Absent" })
      const endless = answering(
        ...Array.from({ length: 50 }, () => replyOf(200, { transfers: [], nextPageToken: "x" }))
      )
      expect(yield* endless.provider.enquire(attemptOf(out))).toMatchObject({ _tag: "Unknown" })
    })
  )

  it.effect.each([
    ["404 of one", 404, transferId, "Absent"],
    ["404 of a list", 404, null, "Unknown"],
    ["401", 401, transferId, "Unknown"],
    ["429", 429, transferId, "Unknown"],
    ["500", 500, null, "Unknown"]
  ] as const)("HTTP %s", ([, status, providerPaymentId, tag]) =>
    Effect.gen(function* () {
      const { provider } = answering(replyOf(status, {}))
      expect((yield* provider.enquire(attemptOf(out, { providerPaymentId })))._tag).toBe(tag)
    })
  )
})

describe("what Coinbase says of an address later", () => {
  let made = 0
  const paid = (amount: string, about: object = {}) =>
    transfer({
      transferId: `transfer_${(made += 1)}`,
      status: "completed",
      targetAmount: amount,
      source: { address: "0x1", network: "base", asset: "usdc" },
      details: { depositDestination: { id: destinationId } },
      ...about
    })
  const elsewhere = paid("7", { details: { depositDestination: { id: "depositDestination_other" } } })
  const known = attemptOf(into, { providerPaymentId: destinationId })

  const sums: ReadonlyArray<readonly [string, ReadonlyArray<object>, object]> = [
    [
      "paid",
      [elsewhere, paid("100.00")],
      { state: "completed", movements: [{ amount: amount("100", "USDC") }], providerPaymentId: destinationId }
    ],
    [
      "paid in parts",
      [paid("60.5"), elsewhere, paid("39.500001")],
      { state: "completed", movements: [{ amount: amount("60.5", "USDC") }, { amount: amount("39.500001", "USDC") }] }
    ],
    [
      "a part of it has come, the rest is on its way",
      [paid("60"), paid("40", { status: "processing" })],
      { state: "completed", movements: [{ amount: amount("60", "USDC") }] }
    ],
    ["on its way", [paid("100", { status: "processing" })], { state: "processing", providerStatus: "processing" }],
    [
      "sent back",
      [paid("100", { status: "failed", failureReason: "Screened." })],
      { state: "failed", reason: "Screened." }
    ],
    [
      "sent back, and paid again",
      [paid("100", { status: "failed" }), paid("100")],
      { state: "completed", movements: [{ amount: amount("100", "USDC") }] }
    ],
    ["an amount that cannot be read", [paid("a lot")], { _tag: "Unknown" }],
    ["two assets", [paid("1"), paid("1", { targetAsset: "eth" })], { _tag: "Unknown" }]
  ]
  it.effect.each(sums)("%s", ([, transfers, expected]) =>
    Effect.gen(function* () {
      const { calls, provider } = answering(replyOf(200, { transfers }))
      expect(yield* provider.enquire(known)).toMatchObject(expected)
      expect(calls[0]?.path).toContain("targetAccountId=")
    })
  )

  const waiting = {
    state: "pending",
    providerPaymentId: destinationId,
    waitsFor: { nextAction: "wait", actionData: { address: recipientAddress, network: "BASE" } }
  }
  it.effect("an unpaid one: the address is shown again", () =>
    Effect.gen(function* () {
      const { calls, provider } = answering(replyOf(200, { transfers: [elsewhere] }), replyOf(200, destination()))
      expect(yield* provider.enquire(known)).toMatchObject(waiting)
      expect(calls[1]?.path).toBe(`/v2/deposit-destinations/${destinationId}`)
    })
  )

  it.effect("it is found by our reference, among the newest first and no further back than it can be", () =>
    Effect.gen(function* () {
      const sentAt = new Date("2026-03-01T10:00:00Z")
      const attempt = attemptOf(into, { sentAt })
      const other = destination({ depositDestinationId: "depositDestination_other", createdAt: "2026-03-01T10:01:00Z" })
      const ours = destination({ metadata: { reference: into.reference }, createdAt: "2026-03-01T10:00:01Z" })
      const { calls, provider } = answering(
        replyOf(200, { depositDestinations: [other], nextPageToken: "next" }),
        replyOf(200, { depositDestinations: [ours], nextPageToken: "more" }),
        replyOf(200, { transfers: [] })
      )
      expect(yield* provider.enquire(attempt)).toMatchObject(waiting)
      expect(calls[1]?.path).toContain("pageToken=next")
      const old = destination({ createdAt: "2026-02-01T10:00:00Z" })
      const none = answering(replyOf(200, { depositDestinations: [other, old], nextPageToken: "next" }))
      expect(yield* none.provider.enquire(attempt)).toMatchObject({ _tag: "Absent" })
    })
  )

  it.effect("a refund is nothing that it has", () =>
    Effect.gen(function* () {
      const { calls, provider } = answering()
      const enquiry = yield* provider.enquire(
        refundAttemptOf(refundOf(known, { reference: into.reference }), { providerPaymentId: "x" })
      )
      expect(enquiry).toMatchObject({ _tag: "Unknown" })
      expect(calls).toEqual([])
    })
  )
})

describe("amounts for Coinbase", () => {
  it("arrive as they were meant", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 10n ** 15n }), (minor) => {
        const meant = new Money({ currency: "USDC", minor })
        const { amount, asset } = Either.getOrThrow(transferOf({ ...out, money: meant }, "account_a")).body
        expect(moneyOfMajor(String(amount), String(asset))).toEqual(Option.some(meant))
        expect(amount).toMatch(/^\+?(?:(?:0*[1-9]\d*)(?:\.\d*)?|0*\.\d*[1-9]\d*)$/)
      })
    )
  })
})

describe("the account at Coinbase", () => {
  triesAccount(answering, "the API key", [
    [
      { accounts: [{ accountId: coinbaseFake.credentials["account_id"], name: "Ours" }] },
      { name: `Ours ${coinbaseFake.credentials["account_id"]}` }
    ],
    [{ accounts: [{ accountId: "account_a" }] }, { note: "the key opens 1 accounts: say which in COINBASE_ACCOUNT_ID" }]
  ])
})
