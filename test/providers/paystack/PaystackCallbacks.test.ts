import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { MaybeSent } from "../../../src/providers/client/ProviderHttp.ts"
import { signatureOf } from "../../../src/providers/paystack/PaystackCallbacks.ts"
import { Hint } from "../../../src/providers/port/Callback.ts"
import { asCalledBack } from "../support/CallbackFixtures.ts"
import { amount, referenceNo } from "../support/TestOrders.ts"
import { replyOf, saying, type Scripted } from "../support/ScriptedReplies.ts"
import { connectedTo } from "./PaystackTestOrders.ts"

const KEY = "sk_test_0123456789"

const reference = "3c2f7a52-9d3b-4c55-8a51-0f1f2f3a4b5c"

const read = connectedTo(saying(), KEY).callback

const signed = (body: string, signature = signatureOf(KEY, body)) =>
  asCalledBack({ headers: { "X-Paystack-Signature": signature }, body })

const eventsOf = (event: string, data: unknown) =>
  Effect.map(read(signed(JSON.stringify({ event, data }))), ({ events }) => events)

const charge = { id: 302961, status: "success", reference, amount: 10_000, currency: "NGN", fees: 150, channel: "card" }

describe("callbacks of Paystack", () => {
  it("are signed with HMAC-SHA512 by the secret key", () => {
    // Computed apart: printf '{"event":"charge.success"}' | openssl dgst -sha512 -hmac sk_test_0123456789
    expect(signatureOf(KEY, '{"event":"charge.success"}')).toBe(
      "551a3ce580470f3909b017cd615a6b8cd463f8aecb33436fa69ca14791b25c950450bac8ddf3b8a08dc892f3b4801eced1fafb90a27c3212e04f4bd40e114a6d"
    )
  })

  it.effect("report a successful charge, with the amount that was taken and the fee", () =>
    Effect.gen(function* () {
      const [event] = yield* eventsOf("charge.success", charge)
      expect(event).toMatchObject({
        _tag: "VerifiedReport",
        key: "charge.success 302961",
        attempt: { reference, providerPaymentId: "302961", about: "payin" },
        report: {
          state: "completed",
          providerStatus: "success",
          movements: [{ amount: amount("100.00", "NGN") }],
          fee: amount("1.50", "NGN")
        }
      })
    })
  )

  it.effect.each([
    ["transfer.success", "success", "completed"],
    ["transfer.failed", "failed", "failed"],
    ["transfer.reversed", "reversed", "returned"]
  ] as const)("report transfers: %s", ([event, status, state]) =>
    Effect.gen(function* () {
      const data = { id: 1, transfer_code: "TRF_x", status, reference, amount: 20_000, currency: "NGN" }
      const [statement] = yield* eventsOf(event, data)
      expect(statement).toMatchObject({
        key: `${event} TRF_x`,
        attempt: { reference, providerPaymentId: "TRF_x", about: "payout" },
        report: { state }
      })
    })
  )

  it.effect.each([
    ["refund.pending", "pending", "processing"],
    ["refund.needs-attention", "needs-attention", "processing"],
    ["refund.processed", "processed", "completed"],
    ["refund.failed", "failed", "failed"]
  ] as const)("report refunds that bear our note: %s", ([event, status, state]) =>
    Effect.gen(function* () {
      const about = { status, transaction_reference: "another", amount: "5000", currency: "NGN" }
      const noted = yield* eventsOf(event, { ...about, id: "123456", merchant_note: reference })
      expect(noted).toMatchObject([
        { _tag: "VerifiedReport", attempt: { reference, about: "refund" }, report: { state } }
      ])
    })
  )

  const ofPayin = referenceNo(3)

  /** Example that Paystack publishes: without its own id of the refund, and without our note. */
  const published = (status: string, refund_reference: string | null, transaction_reference = ofPayin) => ({
    status,
    transaction_reference,
    refund_reference,
    amount: "5000",
    currency: "NGN",
    processor: "instant-transfer",
    customer: { first_name: "Tobi", last_name: "Digz", email: "tobi@mail.com" },
    integration: 412325,
    domain: "test"
  })

  const transaction = replyOf(200, { status: true, data: { ...charge, reference: ofPayin } })

  const refunds = replyOf(200, {
    status: true,
    data: [
      { id: 7, status: "processed", amount: 5000, currency: "NGN", merchant_note: reference },
      { id: 8, status: "pending", amount: 100, currency: "NGN", merchant_note: "by hand" },
      { id: 9, status: "pending", amount: 100, currency: "NGN", merchant_note: null }
    ]
  })

  const readCallback = (third: Scripted, event: string, data: unknown) =>
    Effect.map(connectedTo(third, KEY).callback(signed(JSON.stringify({ event, data }))), ({ events }) => events)

  it.effect.each([
    ["refund.pending", "pending", null],
    ["refund.processed", "processed", "132013318360"],
    ["refund.failed", "failed", "TRF_9vgfawjnoz58uxy"]
  ] as const)("of refunds that are published without our note make Paystack be asked: %s", ([event, status, name]) =>
    Effect.gen(function* () {
      const third = saying(transaction, refunds)
      const attempt = { reference, providerPaymentId: "7", about: "refund" }
      expect(yield* readCallback(third, event, published(status, name))).toEqual([new Hint({ attempt } as Hint)])
      expect(third.calls.map(({ path }) => path)).toEqual([
        `/transaction/verify/${ofPayin}`,
        `/refund?transaction=${charge.id}&perPage=100`
      ])
    })
  )

  it.effect("of refunds of what is not ours ask nothing and say nothing", () =>
    Effect.gen(function* () {
      const silent = saying()
      const others = published("processed", "1", "T2154954_412829_3be32076_6lcg3")
      expect(yield* readCallback(silent, "refund.processed", others)).toEqual([])
      const { transaction_reference: _, ...nameless } = others
      expect(yield* readCallback(silent, "refund.processed", nameless)).toEqual([])
      const gone = saying(replyOf(404, { status: false, message: "not found", code: "transaction_not_found" }))
      expect(yield* readCallback(gone, "refund.processed", published("processed", "1"))).toEqual([])
    })
  )

  it.effect("of refunds are to come again while Paystack cannot be asked, and ask nothing without a proof", () =>
    Effect.gen(function* () {
      const failing = [
        saying(new MaybeSent({ reason: "timeout" })),
        saying(transaction, replyOf(500)),
        saying(transaction, replyOf(200, { status: true, data: {} }))
      ]
      for (const third of failing) {
        const error = yield* Effect.flip(readCallback(third, "refund.processed", published("processed", "1")))
        expect(error).toMatchObject({ _tag: "NotNow", proof: expect.anything() })
      }
      const body = JSON.stringify({ event: "refund.processed", data: published("processed", "1") })
      const forged = connectedTo(saying(), KEY).callback(signed(body, signatureOf("sk_test_other", body)))
      expect(yield* Effect.flip(forged)).toMatchObject({ _tag: "NoProof" })
    })
  )

  const dispute = (about: object = {}) => ({
    id: 358_950,
    refund_amount: 5_800,
    currency: "NGN",
    status: "resolved",
    resolution: "merchant-accepted",
    transaction: { ...charge },
    ...about
  })

  it.effect("report money that was taken back with a dispute, once for the dispute", () =>
    Effect.gen(function* () {
      const attempt = { reference, providerPaymentId: "302961", about: "payin" }
      for (const resolution of ["merchant-accepted", "auto-accepted"]) {
        expect(yield* eventsOf("charge.dispute.resolve", dispute({ resolution }))).toMatchObject([
          {
            _tag: "VerifiedReport",
            key: "charge.dispute.resolve 358950",
            attempt,
            report: { state: "returned", movements: [{ amount: amount("58.00", "NGN") }], providerCode: resolution }
          }
        ])
      }
      expect(yield* eventsOf("charge.dispute.resolve", dispute({ resolution: "declined" })), "won").toEqual([])
      for (const odd of [{ resolution: "something-new" }, { resolution: null }, { refund_amount: null }]) {
        expect(yield* eventsOf("charge.dispute.resolve", dispute(odd))).toMatchObject([{ _tag: "Hint", attempt }])
      }
      expect(yield* eventsOf("charge.dispute.resolve", { id: 1 })).toEqual([])
      expect(yield* eventsOf("charge.dispute.create", dispute({ resolution: null }))).toEqual([])
    })
  )

  it.effect("about anything else, or about nothing that can be read, are taken and say nothing", () =>
    Effect.gen(function* () {
      expect(yield* eventsOf("charge.dispute.create", charge)).toEqual([])
      expect(yield* eventsOf("charge.success", { reference })).toEqual([])
      expect((yield* read(signed("[1, 2"))).events).toEqual([])
    })
  )

  it.effect("with an unknown status say that it is under way", () =>
    Effect.gen(function* () {
      const [statement] = yield* eventsOf("transfer.failed", { status: "pondering", reference, transfer_code: "TRF_x" })
      expect(statement).toMatchObject({ report: { state: "processing", providerStatus: "pondering" } })
    })
  )

  it.effect("have one key however often they come, and another for another event", () =>
    Effect.gen(function* () {
      const data = { status: "success", reference, transfer_code: "TRF_x" }
      const keys = yield* Effect.forEach(["transfer.success", "transfer.success", "transfer.reversed"], (event) =>
        Effect.map(eventsOf(event, data), ([one]) => (one?._tag === "VerifiedReport" ? one.key : ""))
      )
      expect(keys[0]).toBe(keys[1])
      expect(keys[2]).not.toBe(keys[0])
      const nameless = yield* eventsOf("charge.success", { ...charge, id: null })
      expect(nameless[0]?._tag === "VerifiedReport" && nameless[0].key).toMatch(/^[0-9a-f]{64}$/)
    })
  )

  const body = JSON.stringify({ event: "charge.success", data: charge })

  it.effect.each([
    ["a body that was altered", signed(body.replace("10000", "99999"), signatureOf(KEY, body))],
    [
      "a signature that was altered",
      signed(
        body,
        signatureOf(KEY, body).replace(/^./, (c) => (c === "0" ? "1" : "0"))
      )
    ],
    ["a signature under another key", signed(body, signatureOf("sk_test_other", body))],
    ["a part of the signature", signed(body, signatureOf(KEY, body).slice(0, 64))],
    ["no signature", asCalledBack({ headers: {}, body })]
  ] as const)("prove nothing with %s", ([, request]) =>
    Effect.gen(function* () {
      const { message } = yield* Effect.flip(read(request))
      expect(message).toContain("PAYSTACK_SECRET_KEY")
    })
  )

  it.effect("prove nothing to an account without a key", () =>
    Effect.gen(function* () {
      const withoutKey = connectedTo(saying(), "").callback
      expect((yield* Effect.flip(withoutKey(signed(body, signatureOf("", body)))))._tag).toBe("NoProof")
    })
  )
})
