import { describe, expect, it } from "@effect/vitest"
import { Effect, Either } from "effect"
import {
  MaybeSent,
  NeverSent,
  type ProviderCall,
  type ProviderReply
} from "../../../src/providers/client/ProviderHttp.ts"
import {
  balanceRead,
  chargeOutcome,
  enquiryOf,
  hostedOutcome,
  passwordTaken,
  recipientCode,
  refundNoted,
  refundOutcome,
  transferOutcome
} from "../../../src/providers/paystack/PaystackAnswers.ts"
import type { Kind } from "../../../src/providers/paystack/PaystackMovements.ts"
import { amount, attemptOf, refundAttemptOf, refundOf } from "../support/TestOrders.ts"
import { replyOf, scripted } from "../support/ScriptedReplies.ts"
import { byCard, byMobile, byTransfer, connectedTo, toBank } from "./PaystackTestOrders.ts"

const data = (about: object) => replyOf(200, { status: true, message: "Charge attempted", data: about })

const error = (status: number, about: object = {}) => replyOf(status, { status: false, message: "No.", ...about })

const validation = (code: string) => error(400, { type: "validation_error", code })

describe("what Paystack answers to an order", () => {
  const charges: ReadonlyArray<readonly [name: string, reply: ProviderReply, outcome: object]> = [
    [
      "a prompt on the phone",
      data({ status: "pay_offline", reference: "r" }),
      { _tag: "Accepted", state: "processing", nextAction: "wait", providerStatus: "pay_offline" }
    ],
    ["pending", data({ status: "pending" }), { _tag: "Accepted", state: "processing", nextAction: "wait" }],
    ["a password", data({ status: "send_otp" }), { _tag: "Accepted", state: "pending", nextAction: "collect_otp" }],
    [
      "a page",
      data({ status: "open_url", url: "https://standard.paystack.co/close" }),
      { state: "pending", nextAction: "redirect", actionData: { redirect_url: "https://standard.paystack.co/close" } }
    ],
    ["a page that is none", data({ status: "open_url", url: "javascript:alert(1)" }), { nextAction: "check_status" }],
    [
      "an account to pay to",
      data({
        status: "pending_bank_transfer",
        account_name: "TEST-MANAGED-ACCOUNT",
        account_number: "1260257501",
        bank: { slug: "test-bank", name: "Test Bank", id: 24 },
        account_expires_at: "2025-04-24T16:40:57.954Z"
      }),
      {
        _tag: "Accepted",
        state: "pending",
        nextAction: "bank_transfer",
        actionData: {
          account_name: "TEST-MANAGED-ACCOUNT",
          account_number: "1260257501",
          bank_name: "Test Bank",
          bank_code: null,
          reference: null,
          expires_at: "2025-04-24T16:40:57.954Z"
        }
      }
    ],
    [
      "success at once",
      data({ id: 59333, status: "success", amount: 100, currency: "GHS", fees: 153 }),
      {
        _tag: "Accepted",
        state: "completed",
        nextAction: null,
        providerPaymentId: "59333",
        movements: [{ amount: amount("1.00", "GHS") }],
        fee: amount("1.53", "GHS")
      }
    ],
    [
      "a step that this service does not know",
      data({ status: "send_birthday" }),
      { _tag: "Accepted", state: "processing", providerStatus: "send_birthday" }
    ],
    [
      "failed",
      data({ status: "failed", gateway_response: "Insufficient Funds" }),
      { _tag: "Declined", instrument: true, code: "INSUFFICIENT_FUNDS", providerCode: "Insufficient Funds" }
    ],
    [
      "failed, as an error",
      error(400, { data: { status: "failed", channel: "card", gateway_response: "Declined" } }),
      { _tag: "Declined", instrument: true, code: "CARD_DECLINED" }
    ],
    ["failed for no reason", data({ status: "failed" }), { _tag: "Declined", instrument: true, reason: "failed" }],
    ["400", error(400), { _tag: "Declined", code: "INVALID_ORDER", reason: "No." }],
    ["missing_params", validation("missing_params"), { _tag: "Declined", providerCode: "missing_params" }],
    ["processor_error", error(400, { type: "processor_error" }), { _tag: "Declined", providerCode: "processor_error" }],
    ["api_error", error(400, { type: "api_error", code: "unknown" }), { _tag: "Unknown" }],
    ["401", error(401), { _tag: "Declined", code: "CREDENTIALS_REFUSED" }],
    ["403", error(403), { _tag: "Declined", code: "CREDENTIALS_REFUSED" }],
    ["404", error(404), { _tag: "Declined" }],
    ["409", error(409), { _tag: "Unknown" }],
    // An error about a charge that is there, and that has not failed, is no refusal of it.
    ["pending, as an error", error(400, { data: { status: "pending", reference: "r" } }), { _tag: "Unknown" }],
    ["success, as an error", error(400, { data: { status: "success", reference: "r" } }), { _tag: "Unknown" }],
    ["pending, and our key is refused", error(401, { data: { status: "pending" } }), { code: "CREDENTIALS_REFUSED" }],
    [
      "success, of an unreadable amount",
      data({ id: 59333, status: "success", amount: 100, currency: "XXZ" }),
      { _tag: "Accepted", state: "processing" }
    ],
    ["500", error(500, { data: { status: "failed" } }), { _tag: "Unknown" }],
    ["502 of a gateway", replyOf(502, "<html>"), { _tag: "Unknown" }],
    ["400 of a gateway", replyOf(400, "<html>"), { _tag: "Unknown" }],
    ["an unreadable 200", replyOf(200, "<html>"), { _tag: "Unknown" }],
    ["200 without data", replyOf(200, { status: true }), { _tag: "Unknown" }]
  ]

  it.each(charges)("a charge: %s", (_name, reply, outcome) => {
    expect(chargeOutcome(reply)).toMatchObject(outcome)
  })

  it("a refusal of the provider's own leaves the others to be asked", () => {
    for (const reply of [
      error(400),
      validation("missing_params"),
      error(400, { type: "processor_error" }),
      error(401)
    ]) {
      expect(chargeOutcome(reply)).not.toHaveProperty("instrument")
    }
  })

  it("a card's page", () => {
    const page = { authorization_url: "https://checkout.paystack.com/3ni8", access_code: "3ni8", reference: "r" }
    expect(hostedOutcome(data(page))).toMatchObject({
      _tag: "Accepted",
      state: "pending",
      nextAction: "redirect",
      actionData: { redirect_url: page.authorization_url },
      providerData: { access_code: "3ni8" }
    })
    expect(hostedOutcome(data({ ...page, authorization_url: "javascript:1" }))._tag).toBe("Unknown")
    expect(hostedOutcome(error(400))._tag).toBe("Declined")
    expect(hostedOutcome(error(503))._tag).toBe("Unknown")
  })

  const transfers: ReadonlyArray<readonly [reply: ProviderReply, outcome: object]> = [
    ...["pending", "received", "queued", "otp", "pondering"].map(
      (status) =>
        [
          data({ status, transfer_code: "TRF_1", id: 7 }),
          { _tag: "Accepted", state: "processing", providerPaymentId: "TRF_1", nextAction: null }
        ] as const
    ),
    [data({ status: "success", transfer_code: "TRF_1" }), { _tag: "Accepted", state: "completed" }],
    ...["failed", "abandoned", "blocked", "rejected", "reversed"].map(
      (status) => [data({ status, transfer_code: "TRF_1" }), { _tag: "Declined", reason: status }] as const
    ),
    [validation("invalid_transfer_recipient"), { _tag: "Declined", code: "INVALID_ORDER" }],
    [
      error(400, { type: "api_error", code: "insufficient_balance" }),
      { _tag: "Declined", code: "PROVIDER_BALANCE_LOW", providerCode: "insufficient_balance" }
    ],
    [error(500), { _tag: "Unknown" }],
    [replyOf(200, ""), { _tag: "Unknown" }]
  ]

  it.each(transfers)("a transfer: %j", (reply, outcome) => {
    expect(transferOutcome(reply)).toMatchObject(outcome)
  })

  it("a refund", () => {
    expect(refundOutcome(data({ status: "pending", id: 3_018_284, amount: 1000, currency: "NGN" }))).toMatchObject({
      _tag: "Accepted",
      state: "processing",
      providerPaymentId: "3018284"
    })
    expect(refundOutcome(data({ status: "processed", id: 1 }))).toMatchObject({ state: "completed" })
    expect(refundOutcome(data({ status: "failed", id: 1 }))._tag).toBe("Declined")
    expect(refundOutcome(error(400))._tag).toBe("Declined")
    expect(refundOutcome(error(504))._tag).toBe("Unknown")
  })

  it("a recipient: whatever goes wrong, nothing was moved", () => {
    expect(recipientCode(replyOf(201, { status: true, data: { recipient_code: "RCP_1" } }))).toEqual(
      Either.right("RCP_1")
    )
    for (const [reply, code] of [
      [error(500), "PROVIDER_UNAVAILABLE"],
      [replyOf(200, "<html>"), "PROVIDER_UNAVAILABLE"],
      [error(401), "CREDENTIALS_REFUSED"],
      [validation("missing_params"), "INVALID_ORDER"]
    ] as const) {
      expect(Either.flip(recipientCode(reply))).toMatchObject({ right: { _tag: "Declined", code } })
    }
  })
})

describe("what Paystack answers to a question", () => {
  const statuses: ReadonlyArray<readonly [kind: Kind, status: string, state: string]> = [
    ["transaction", "success", "completed"],
    ["transaction", "failed", "failed"],
    ["transaction", "reversed", "returned"],
    ["transaction", "abandoned", "pending"],
    ["transaction", "ongoing", "pending"],
    ["transaction", "pending", "processing"],
    ["transaction", "processing", "processing"],
    ["transaction", "queued", "processing"],
    ["transaction", "pondering", "processing"],
    ["transfer", "success", "completed"],
    ["transfer", "failed", "failed"],
    ["transfer", "reversed", "returned"],
    ["transfer", "abandoned", "failed"],
    ["transfer", "blocked", "failed"],
    ["transfer", "rejected", "failed"],
    ["transfer", "pending", "processing"],
    ["transfer", "otp", "processing"],
    ["transfer", "received", "processing"],
    ["transfer", "pondering", "processing"],
    ["refund", "processed", "completed"],
    ["refund", "failed", "failed"],
    ["refund", "pending", "processing"],
    ["refund", "processing", "processing"],
    ["refund", "needs-attention", "processing"],
    ["refund", "pondering", "processing"]
  ]

  it.each(statuses)("a %s that is %s", (kind, status, state) => {
    expect(enquiryOf(kind)(data({ status }))).toMatchObject({ _tag: "Report", state, providerStatus: status })
  })

  it("the amount that was really taken is reported, and why it was refused", () => {
    const report = enquiryOf("transaction")(
      data({ id: 4_099_260_516, status: "success", amount: 40_333, currency: "NGN", fees: 10_283 })
    )
    expect(report).toMatchObject({
      providerPaymentId: "4099260516",
      movements: [{ amount: amount("403.33", "NGN") }],
      fee: amount("102.83", "NGN")
    })
    expect(enquiryOf("transaction")(data({ status: "failed", gateway_response: "Incorrect PIN" }))).toMatchObject({
      reason: "Incorrect PIN",
      code: "AUTHENTICATION_FAILED"
    })
  })

  it("an unreadable amount completes nothing", () => {
    for (const about of [{ amount: 100 }, { amount: 100, currency: "XXZ" }, { amount: "a lot", currency: "NGN" }]) {
      const said = enquiryOf("transaction")(data({ status: "success", ...about }))
      expect(said).toMatchObject({ _tag: "Report", state: "processing", providerStatus: "success" })
    }
  })

  it("that something else is not found says nothing of the order", () => {
    for (const about of [
      { message: "Merchant not found" },
      { message: "Integration not found" },
      { message: "Entity not found" },
      { message: "Endpoint not found", code: "route_not_found" },
      { message: "Customer not found", code: "customer_not_found" }
    ]) {
      for (const status of [400, 404]) {
        expect([about, enquiryOf("transfer")(error(status, about))._tag]).toEqual([about, "Unknown"])
        expect([about, enquiryOf("transaction")(error(status, about))._tag]).toEqual([about, "Unknown"])
      }
    }
  })

  it("it has no trace of it, or does not say", () => {
    const missing = error(404, { message: "Transfer not found" })
    expect(enquiryOf("transfer")(missing)._tag).toBe("Absent")
    expect(enquiryOf("transaction")(validation("transaction_not_found"))._tag).toBe("Absent")
    expect(enquiryOf("refund")(missing)._tag).toBe("Unknown")
    for (const reply of [replyOf(404, "<html>"), error(404), error(401), error(500), replyOf(200, "<html>")]) {
      expect(enquiryOf("transfer")(reply)._tag).toBe("Unknown")
    }
  })

  it("a refund among others is ours by its note, and proves nothing by its absence", () => {
    const listed = data([
      { id: 1, status: "processed", merchant_note: "xxx" },
      { id: 2, status: "pending", merchant_note: "ours" },
      { id: 3, status: "failed" }
    ])
    expect(refundNoted("ours")(listed)).toMatchObject({ _tag: "Report", state: "processing", providerPaymentId: "2" })
    expect(refundNoted("others")(listed)._tag).toBe("Unknown")
    expect(refundNoted("ours")(error(500))._tag).toBe("Unknown")
    expect(refundNoted("ours")(replyOf(200, "[]"))._tag).toBe("Unknown")
  })

  it("a one-time password", () => {
    expect(passwordTaken(data({ status: "success" }))).toBe("accepted")
    expect(passwordTaken(data({ status: "pending" }))).toBe("accepted")
    expect(passwordTaken(data({ status: "send_otp" }))).toBe("wrong")
    expect(passwordTaken(data({ status: "failed" }))).toBe("unknown")
    expect(passwordTaken(error(400, { message: "Transaction reference is invalid" }))).toBe("not_expected")
    expect(passwordTaken(error(500))).toBe("unknown")
    expect(passwordTaken(replyOf(200, "<html>"))).toBe("unknown")
  })

  it("the balance", () => {
    expect(balanceRead(data([{ currency: "NGN", balance: 1 }]))).toEqual(Either.right({ balances: ["0.01 NGN"] }))
    expect(Either.isLeft(balanceRead(error(401)))).toBe(true)
    expect(Either.isLeft(balanceRead(replyOf(200, "<html>")))).toBe(true)
  })
})

describe("how Paystack is spoken to", () => {
  const answering = (replies: Readonly<Record<string, ProviderReply>>) => {
    const keyOf = ({ method, path }: ProviderCall) => `${method} ${path.split("/")[1]!.split("?")[0]!}`
    const recorded = scripted((call) => replies[keyOf(call)] ?? replyOf(500, ""))
    return { ...recorded, provider: connectedTo(recorded) }
  }

  const duplicate = validation("duplicate_reference")

  it.effect("a reference that it has already is looked up, and not refused", () =>
    Effect.gen(function* () {
      const found = (status: string) => data({ id: 9, status, amount: 25_000, currency: "NGN" })
      const order = byCard()
      const asked = (status: string) =>
        answering({ "POST transaction": duplicate, "GET transaction": found(status) }).provider.initiate(order)
      expect(yield* asked("success")).toMatchObject({
        _tag: "Accepted",
        state: "completed",
        movements: [{ amount: order.money }]
      })
      expect(yield* asked("abandoned")).toMatchObject({
        _tag: "Accepted",
        state: "pending",
        nextAction: "check_status"
      })
      expect(yield* asked("failed")).toMatchObject({ _tag: "Declined" })
      const lost = answering({ "POST transaction": duplicate })
      expect((yield* lost.provider.initiate(order))._tag).toBe("Unknown")
      const denied = answering({
        "POST transaction": duplicate,
        "GET transaction": error(404, { message: "Transaction reference not found" })
      })
      expect((yield* denied.provider.initiate(order))._tag).toBe("Unknown")
    })
  )

  it.effect("the same holds for charges and transfers", () =>
    Effect.gen(function* () {
      const charged = answering({ "POST charge": duplicate, "GET transaction": data({ status: "ongoing" }) })
      expect(yield* charged.provider.initiate(byMobile("mtn"))).toMatchObject({ _tag: "Accepted", state: "pending" })
      const paid = answering({
        "POST transferrecipient": data({ recipient_code: "RCP_1" }),
        "POST transfer": duplicate,
        "GET transfer": data({ status: "success", transfer_code: "TRF_1" })
      })
      expect(yield* paid.provider.initiate(toBank())).toMatchObject({
        _tag: "Accepted",
        state: "completed",
        providerPaymentId: "TRF_1"
      })
    })
  )

  it.effect("a transfer's reference that it has already is refused in other words", () =>
    Effect.gen(function* () {
      const words = { message: "Please provide a unique reference. Reference already exists on a transfer" }
      for (const refusal of [
        validation("duplicate_transfer_reference"),
        error(400, words),
        error(404, { ...words, type: "validation_error" })
      ]) {
        const paid = answering({
          "POST transferrecipient": data({ recipient_code: "RCP_1" }),
          "POST transfer": refusal,
          "GET transfer": data({ status: "pending", transfer_code: "TRF_1" })
        })
        expect(yield* paid.provider.initiate(toBank())).toMatchObject({ _tag: "Accepted", state: "processing" })
      }
    })
  )

  it.effect("the account on the record is paid, whatever recipient code the beneficiary has", () =>
    Effect.gen(function* () {
      const { calls, provider } = answering({
        "POST transferrecipient": data({ recipient_code: "RCP_1" }),
        "POST transfer": data({ status: "pending", transfer_code: "TRF_1" })
      })
      const order = toBank()
      const named = { ...order.recipient!, externalAccountId: "RCP_other" }
      yield* provider.initiate({ ...order, recipient: named })
      expect(calls.map(({ path }) => path)).toEqual(["/transferrecipient", "/transfer"])
      expect(JSON.parse(calls[0]!.body!)).toMatchObject({ account_number: order.bank!.accountNumber })
      expect(JSON.parse(calls[1]!.body!)).toMatchObject({ recipient: "RCP_1", reference: order.reference })
    })
  )

  it.effect("without a recipient no transfer is sent, and it is certain that nothing was moved", () =>
    Effect.gen(function* () {
      const { calls, provider } = answering({ "POST transferrecipient": error(500) })
      expect(yield* provider.initiate(toBank())).toMatchObject({ _tag: "Declined", code: "PROVIDER_UNAVAILABLE" })
      expect(calls).toHaveLength(1)
    })
  )

  it.effect("what is said of another reference says nothing of this one", () =>
    Effect.gen(function* () {
      const said = (status: string, reference: string) => data({ id: 9, status, reference })
      const mobile = byMobile("mtn")
      const attempt = attemptOf(mobile)
      for (const status of ["success", "failed", "pending"]) {
        const { provider } = answering({
          "POST charge": said(status, "another"),
          "GET transaction": said(status, "another")
        })
        expect((yield* provider.initiate(mobile))._tag).toBe("Unknown")
        expect((yield* provider.enquire(attempt))._tag).toBe("Unknown")
        const ours = answering({ "GET transaction": said(status, attempt.reference) })
        expect((yield* ours.provider.enquire(attempt))._tag).toBe("Report")
      }
    })
  )

  it.effect("what was never sent is refused, and what may have been is not known", () =>
    Effect.gen(function* () {
      const never = connectedTo(scripted(() => new NeverSent({ reason: "no connection" })))
      const maybe = connectedTo(scripted(() => new MaybeSent({ reason: "timeout" })))
      const busy = connectedTo(scripted(() => replyOf(429, "")))
      for (const order of [byCard(), byTransfer(), byMobile("mtn")]) {
        expect(yield* never.initiate(order)).toMatchObject({ _tag: "Declined", code: "PROVIDER_UNAVAILABLE" })
        expect((yield* maybe.initiate(order))._tag).toBe("Unknown")
        expect(yield* busy.initiate(order)).toMatchObject({ _tag: "Declined", code: "PROVIDER_BUSY" })
      }
      const attempt = attemptOf(byCard())
      expect((yield* maybe.refund!(refundOf(attempt)))._tag).toBe("Unknown")
      expect((yield* never.enquire(attempt))._tag).toBe("Unknown")
      expect(yield* maybe.otp!.submit(attempt, "1")).toBe("unknown")
      expect(yield* maybe.otp!.resend(attempt)).toBe(false)
      expect(yield* never.test!).toEqual(Either.left("no connection"))
    })
  )

  it.effect("an order that it could not be given is refused before anything is sent", () =>
    Effect.gen(function* () {
      const { calls, provider } = answering({})
      const bank = toBank()
      for (const [order, code] of [
        [byCard({ payer: null }), "INVALID_ORDER"],
        [byCard({ money: amount("1.234", "KWD") }), "NOT_SUPPORTED"],
        [byMobile("orange"), "NOT_SUPPORTED"],
        [byMobile("mtn", { mobileMoney: null }), "INVALID_ORDER"],
        [byCard({ method: "crypto" }), "NOT_SUPPORTED"],
        [{ ...bank, bank: { ...bank.bank!, bankCode: null } }, "INVALID_ORDER"],
        [{ ...bank, country: byMobile("mtn").country, method: "mobile_money" as const }, "INVALID_ORDER"]
      ] as const) {
        expect(yield* provider.initiate(order)).toMatchObject({ _tag: "Declined", code })
      }
      expect(calls).toEqual([])
    })
  )

  it.effect("each kind of attempt is asked about where it is known", () =>
    Effect.gen(function* () {
      const { calls, provider } = answering({})
      const collected = attemptOf(byCard())
      const refund = refundAttemptOf(refundOf(collected))
      for (const attempt of [
        collected,
        { ...collected, leg: "collection" as const },
        attemptOf(toBank()),
        { ...collected, leg: "settlement" as const },
        { ...refund, providerPaymentId: "77" },
        { ...refund, leg: "return" as const, providerPaymentId: "78" },
        refund
      ]) {
        yield* provider.enquire(attempt)
      }
      expect(calls.map(({ path }) => path.replace(/[0-9a-f-]{36}/, "REF"))).toEqual([
        "/transaction/verify/REF",
        "/transaction/verify/REF",
        "/transfer/verify/REF",
        "/transfer/verify/REF",
        "/refund/77",
        "/refund/78",
        "/refund?from=2030-05-06T06%3A58%3A09.000Z&to=2030-05-06T08%3A08%3A09.000Z&perPage=100"
      ])
      expect(calls.every(({ headers }) => headers?.["authorization"] === "Bearer sk_test_corridor_fake")).toBe(true)
    })
  )
})
