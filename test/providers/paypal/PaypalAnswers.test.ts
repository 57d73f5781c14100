import { describe, expect, it } from "@effect/vitest"
import { Effect, Either } from "effect"
import { MaybeSent, NeverSent, type ProviderReply } from "../../../src/providers/client/ProviderHttp.ts"
import { paypalFake } from "../../fakes/PaypalFake.ts"
import { tokenGranted } from "../../../src/providers/paypal/PaypalSchemas.ts"
import { captured, orderOutcome, orderStateOf } from "../../../src/providers/paypal/PaypalOrders.ts"
import { payoutOutcome, payoutReportOf } from "../../../src/providers/paypal/PaypalPayouts.ts"
import { amount, attemptOf } from "../support/TestOrders.ts"
import { replyOf, scripted } from "../support/ScriptedReplies.ts"
import { answering, byCard, connectedTo, problem, toWallet } from "./PaypalTestOrders.ts"

const reference = "3c2f7a52-9d3b-4c55-8a51-0f1f2f3a4b5c"

const ID = "5O190127TN364715T"

const ours = { reference, isPayee: () => true }

const orderOf = (status: string, about: object = {}, unit: object = {}) =>
  replyOf(200, { id: ID, status, purchase_units: [{ custom_id: reference, ...unit }], ...about })

const capturedAs = (status: string, about: object = {}) =>
  orderOf(
    "COMPLETED",
    {},
    {
      payments: {
        captures: [{ id: "3C679366HH908993F", status, amount: { currency_code: "USD", value: "100.00" }, ...about }]
      }
    }
  )

const links = [
  { href: "https://api-m.paypal.com/v2/checkout/orders/5O", rel: "self", method: "GET" },
  { href: "https://www.paypal.com/checkoutnow?token=5O", rel: "payer-action", method: "GET" }
]

describe("what PayPal answers to an order", () => {
  const table: ReadonlyArray<readonly [name: string, reply: ProviderReply, outcome: object]> = [
    [
      "a page for the customer",
      orderOf("PAYER_ACTION_REQUIRED", { links }),
      {
        _tag: "Accepted",
        state: "pending",
        providerPaymentId: ID,
        nextAction: "redirect",
        actionData: { redirect_url: "https://www.paypal.com/checkoutnow?token=5O" }
      }
    ],
    [
      "a page by its older name",
      orderOf("CREATED", { links: [{ href: "https://www.paypal.com/x", rel: "approve" }] }),
      { nextAction: "redirect", actionData: { redirect_url: "https://www.paypal.com/x" } }
    ],
    ["no page", orderOf("CREATED"), { _tag: "Accepted", state: "pending", nextAction: "check_status" }],
    [
      "a page that is none",
      orderOf("CREATED", { links: [{ href: "javascript:1", rel: "approve" }] }),
      { nextAction: "check_status" }
    ],
    ["an order that is approved already", orderOf("APPROVED"), { _tag: "Accepted", state: "pending" }],
    [
      "an order that is paid already",
      capturedAs("COMPLETED"),
      { _tag: "Accepted", state: "completed", movements: [{ amount: amount("100.00", "USD") }] }
    ],
    ["an order that is void", orderOf("VOIDED"), { _tag: "Declined" }],
    ["an unknown status", orderOf("PONDERING"), { _tag: "Accepted", state: "processing", providerStatus: "PONDERING" }],
    [
      "400",
      problem(400, "INVALID_REQUEST", "INVALID_PARAMETER_SYNTAX"),
      { _tag: "Declined", code: "INVALID_ORDER", providerCode: "INVALID_PARAMETER_SYNTAX" }
    ],
    ["401", problem(401, "AUTHENTICATION_FAILURE"), { _tag: "Declined", code: "CREDENTIALS_REFUSED" }],
    ["403", problem(403, "NOT_AUTHORIZED"), { _tag: "Declined", code: "CREDENTIALS_REFUSED" }],
    [
      "422 for the payer",
      problem(422, "UNPROCESSABLE_ENTITY", "PAYER_CANNOT_PAY"),
      { _tag: "Declined", code: "ACCOUNT_INVALID" }
    ],
    [
      "422 for the payee",
      problem(422, "UNPROCESSABLE_ENTITY", "NOT_ENABLED_FOR_CARD_PROCESSING"),
      { _tag: "Declined", code: "NOT_SUPPORTED" }
    ],
    // Each of these says that there is something of ours already, which may have been paid.
    ...[
      "DUPLICATE_INVOICE_ID",
      "DUPLICATE_REQUEST_ID",
      "ORDER_ALREADY_CAPTURED",
      "ORDER_COMPLETION_IN_PROGRESS",
      "PREVIOUS_REQUEST_IN_PROGRESS"
    ].map((issue) => [issue, problem(422, "UNPROCESSABLE_ENTITY", issue), { _tag: "Unknown" }] as const),
    ["404", problem(404, "RESOURCE_NOT_FOUND"), { _tag: "Unknown" }],
    ["409", problem(409, "CONFLICT"), { _tag: "Unknown" }],
    ["500", problem(500, "INTERNAL_SERVER_ERROR"), { _tag: "Unknown" }],
    ["503 of a gateway", replyOf(503, "<html>"), { _tag: "Unknown" }],
    ["400 of a gateway", replyOf(400, "<html>"), { _tag: "Unknown" }],
    ["an unreadable 200", replyOf(200, "<html>"), { _tag: "Unknown" }]
  ]

  it.each(table)("%s", (_name, reply, outcome) => {
    expect(orderOutcome(reply)).toMatchObject(outcome)
  })

  const batch = (status: string) =>
    replyOf(201, { batch_header: { payout_batch_id: "5UXD2E8A7EBQJ", batch_status: status } })

  it.each([
    [
      "pending",
      batch("PENDING"),
      { _tag: "Accepted", state: "processing", providerPaymentId: "5UXD2E8A7EBQJ", nextAction: null }
    ],
    ["processing", batch("PROCESSING"), { _tag: "Accepted", state: "processing" }],
    ["done, of which the item says more", batch("SUCCESS"), { _tag: "Accepted", state: "processing" }],
    ["denied", batch("DENIED"), { _tag: "Declined" }],
    ["pondering", batch("PONDERING"), { _tag: "Accepted", state: "processing" }],
    ["no money", problem(422, "INSUFFICIENT_FUNDS"), { _tag: "Declined", code: "PROVIDER_BALANCE_LOW" }],
    [
      "a receiver that is none",
      problem(400, "VALIDATION_ERROR", undefined, {
        details: [{ field: "items[0].receiver", issue: "Receiver is invalid" }]
      }),
      { _tag: "Declined", code: "ACCOUNT_INVALID" }
    ],
    [
      "a batch that it has, and does not name",
      problem(400, "USER_BUSINESS_ERROR", "Duplicate batch request"),
      { _tag: "Unknown" }
    ],
    ["403", problem(403, "AUTHORIZATION_ERROR"), { _tag: "Declined", code: "CREDENTIALS_REFUSED" }],
    ["500", problem(500, "INTERNAL_ERROR"), { _tag: "Unknown" }],
    ["an unreadable 201", replyOf(201, "{}"), { _tag: "Unknown" }]
  ] as const)("a payout: %s", (_name, reply, outcome) => {
    expect(payoutOutcome(reply)).toMatchObject(outcome)
  })

  it("a token, or none", () => {
    expect(tokenGranted(replyOf(200, { access_token: "A", expires_in: 32_400 }))).toEqual(
      Either.right({ token: "A", expiresInSeconds: 32_400 })
    )
    for (const [reply, code] of [
      [replyOf(401, { error: "invalid_client" }), "CREDENTIALS_REFUSED"],
      [replyOf(429, ""), "PROVIDER_BUSY"],
      [replyOf(500, ""), "PROVIDER_UNAVAILABLE"],
      [replyOf(200, "<html>"), "PROVIDER_UNAVAILABLE"]
    ] as const) {
      expect(Either.flip(tokenGranted(reply))).toMatchObject({ right: { _tag: "Declined", code } })
    }
  })
})

describe("what PayPal answers to a question", () => {
  const orders: ReadonlyArray<readonly [name: string, reply: ProviderReply, said: object]> = [
    ["created", orderOf("CREATED"), { _tag: "Report", state: "pending" }],
    [
      "waiting for its customer",
      orderOf("PAYER_ACTION_REQUIRED", { links }),
      { state: "pending", waitsFor: { nextAction: "redirect" } }
    ],
    ["saved", orderOf("SAVED"), { state: "pending" }],
    ["void", orderOf("VOIDED"), { state: "failed" }],
    ["unheard of", orderOf("PONDERING"), { state: "processing", providerStatus: "PONDERING" }],
    ["completed without a capture", orderOf("COMPLETED"), { state: "processing" }],
    [
      "captured",
      capturedAs("COMPLETED", {
        seller_receivable_breakdown: { paypal_fee: { currency_code: "USD", value: "3.98" } }
      }),
      {
        state: "completed",
        movements: [{ amount: amount("100.00", "USD") }],
        fee: amount("3.98", "USD"),
        providerPaymentId: ID
      }
    ],
    [
      "captured, in review",
      capturedAs("PENDING", { status_details: { reason: "PENDING_REVIEW" } }),
      { state: "processing" }
    ],
    ["declined", capturedAs("DECLINED"), { state: "failed", providerStatus: "DECLINED" }],
    ["failed", capturedAs("FAILED"), { state: "failed" }],
    ["refunded", capturedAs("REFUNDED"), { state: "returned" }],
    ["refunded in part", capturedAs("PARTIALLY_REFUNDED"), { state: "completed" }],
    ["captured by an unheard of status", capturedAs("PONDERING"), { state: "processing" }],
    [
      "captured, of an unreadable amount",
      capturedAs("COMPLETED", { amount: { currency_code: "USD", value: "100.001" } }),
      { state: "processing", providerStatus: "COMPLETED" }
    ],
    [
      "captured, in an unknown currency",
      capturedAs("COMPLETED", { amount: { currency_code: "XXZ", value: "100.00" } }),
      { state: "processing" }
    ],
    [
      "another's",
      replyOf(200, { id: ID, status: "COMPLETED", purchase_units: [{ custom_id: "another" }] }),
      { _tag: "Unknown" }
    ],
    ["nobody's", replyOf(200, { id: ID, status: "COMPLETED" }), { _tag: "Unknown" }],
    ["missing", problem(404, "RESOURCE_NOT_FOUND", "INVALID_RESOURCE_ID"), { _tag: "Absent" }],
    ["missing, by a gateway", replyOf(404, "<html>"), { _tag: "Unknown" }],
    ["not shown to us", problem(401, "AUTHENTICATION_FAILURE"), { _tag: "Unknown" }],
    ["not known", problem(500, "INTERNAL_SERVER_ERROR"), { _tag: "Unknown" }],
    ["not readable", replyOf(200, "<html>"), { _tag: "Unknown" }]
  ]

  it.each(orders)("an order that is %s", (_name, reply, said) => {
    expect(orderStateOf(ours)(reply)).toMatchObject({ said })
  })

  it("an order that is approved waits for us", () => {
    expect(orderStateOf(ours)(orderOf("APPROVED"))).toEqual({ approved: ID })
    const others = [
      { ...ours, reference: "another" },
      { ...ours, isPayee: () => false },
      { ...ours, money: amount("1.00", "USD") }
    ]
    for (const one of others) {
      expect(orderStateOf(one)(orderOf("APPROVED"))).toMatchObject({ said: { _tag: "Unknown" } })
    }
  })

  const unprocessable = (issue: string, about: object = {}) => problem(422, "UNPROCESSABLE_ENTITY", issue, about)

  const captures: ReadonlyArray<readonly [name: string, reply: ProviderReply, said: object]> = [
    ["done", capturedAs("COMPLETED"), { _tag: "Report", state: "completed" }],
    [
      "declined",
      unprocessable("INSTRUMENT_DECLINED"),
      { state: "failed", code: "CARD_DECLINED", providerCode: "INSTRUMENT_DECLINED" }
    ],
    ["expired", unprocessable("CARD_EXPIRED"), { state: "failed", code: "CARD_EXPIRED" }],
    ["over a limit", unprocessable("TRANSACTION_LIMIT_EXCEEDED"), { state: "failed", code: "LIMIT_EXCEEDED" }],
    ["against the law", unprocessable("COMPLIANCE_VIOLATION"), { state: "failed", code: "SUSPECTED_FRAUD" }],
    ["blocked by us", unprocessable("PAYEE_BLOCKED_TRANSACTION"), { state: "failed", code: "SUSPECTED_FRAUD" }],
    ["closed", unprocessable("PAYER_ACCOUNT_LOCKED_OR_CLOSED"), { state: "failed", code: "ACCOUNT_INVALID" }],
    ["refused", unprocessable("TRANSACTION_REFUSED"), { state: "failed" }],
    ["not approved", unprocessable("ORDER_NOT_APPROVED"), { state: "pending" }],
    [
      "not approved enough",
      unprocessable("PAYER_ACTION_REQUIRED", { links }),
      { state: "pending", waitsFor: { nextAction: "redirect" } }
    ],
    ["under way", unprocessable("ORDER_COMPLETION_IN_PROGRESS"), { _tag: "Unknown" }],
    ["paid by another order", unprocessable("DUPLICATE_INVOICE_ID"), { _tag: "Unknown" }],
    ["unheard of", unprocessable("MOON_PHASE"), { _tag: "Unknown" }],
    ["without an issue", problem(400, "INVALID_REQUEST"), { _tag: "Unknown" }],
    ["500", problem(500, "INTERNAL_SERVER_ERROR", "INSTRUMENT_DECLINED"), { _tag: "Unknown" }],
    ["not readable", replyOf(201, "<html>"), { _tag: "Unknown" }]
  ]

  it.each(captures)("a capture that is %s", (_name, reply, said) => {
    expect(captured(ID)(reply)).toMatchObject(said)
  })

  const itemOf = (status: string, about: object = {}, batch = "SUCCESS") =>
    replyOf(200, {
      batch_header: { payout_batch_id: "B", batch_status: batch },
      items: [
        {
          transaction_status: status,
          payout_item_fee: { currency: "USD", value: "0.25" },
          payout_item: { sender_item_id: reference, amount: { currency: "USD", value: "9.87" } },
          ...about
        }
      ]
    })

  const payouts: ReadonlyArray<readonly [name: string, reply: ProviderReply, said: object]> = [
    [
      "SUCCESS",
      itemOf("SUCCESS"),
      {
        state: "completed",
        movements: [{ amount: amount("9.87", "USD") }],
        fee: amount("0.25", "USD"),
        providerPaymentId: "B"
      }
    ],
    ["PENDING", itemOf("PENDING"), { state: "processing" }],
    ["ONHOLD", itemOf("ONHOLD"), { state: "processing" }],
    ["UNCLAIMED", itemOf("UNCLAIMED"), { state: "processing" }],
    [
      "FAILED",
      itemOf("FAILED", { errors: { name: "INSUFFICIENT_FUNDS", message: "Too little" } }),
      { state: "failed", code: "PROVIDER_BALANCE_LOW", reason: "Too little" }
    ],
    ["BLOCKED", itemOf("BLOCKED"), { state: "failed" }],
    ["RETURNED", itemOf("RETURNED"), { state: "failed" }],
    ["REFUNDED", itemOf("REFUNDED"), { state: "returned" }],
    ["REVERSED", itemOf("REVERSED"), { state: "returned" }],
    ["PONDERING", itemOf("PONDERING"), { state: "processing", providerStatus: "PONDERING" }],
    ["in a batch that is DENIED", itemOf("PENDING", {}, "DENIED"), { state: "failed" }],
    ["in a batch that is CANCELED", itemOf("PENDING", {}, "CANCELED"), { state: "failed" }],
    [
      "in a batch without items",
      replyOf(200, { batch_header: { payout_batch_id: "B", batch_status: "PENDING" } }),
      { state: "processing" }
    ],
    ["another's", itemOf("SUCCESS", { payout_item: { sender_item_id: "another" } }), { _tag: "Unknown" }],
    ["missing", problem(404, "RESOURCE_NOT_FOUND"), { _tag: "Absent" }],
    ["not known", problem(500, "INTERNAL_ERROR"), { _tag: "Unknown" }],
    ["not readable", replyOf(200, "[]"), { _tag: "Unknown" }]
  ]

  it.each(payouts)("a payout that is %s", (_name, reply, said) => {
    expect(payoutReportOf(reference)(reply)).toMatchObject(said)
  })
})

describe("how PayPal is spoken to", () => {
  const order = byCard({ reference })
  const attempt = attemptOf(order, { providerPaymentId: ID })

  it.effect("an approved order is captured, by any instance that asks, under one key", () =>
    Effect.gen(function* () {
      const { asked, provider } = answering(({ method }) =>
        method === "GET" ? orderOf("APPROVED") : capturedAs("COMPLETED")
      )
      expect(yield* provider.enquire(attempt)).toMatchObject({ state: "completed" })
      expect(yield* provider.resume!(attempt, { token: "OTHER" })).toMatchObject({ state: "completed" })
      const captures = asked().filter(({ method }) => method === "POST")
      expect(captures.map(({ path }) => path)).toEqual([
        `/v2/checkout/orders/${ID}/capture`,
        `/v2/checkout/orders/${ID}/capture`
      ])
      expect(new Set(captures.map(({ headers }) => headers?.["paypal-request-id"]))).toEqual(
        new Set([`${reference}-capture`])
      )
    })
  )

  it.effect("what was captured before is looked at again", () =>
    Effect.gen(function* () {
      let seen = 0
      const { provider } = answering(({ method }) => {
        if (method === "POST") return problem(422, "UNPROCESSABLE_ENTITY", "ORDER_ALREADY_CAPTURED")
        seen += 1
        return seen === 1 ? orderOf("APPROVED") : capturedAs("COMPLETED")
      })
      expect(yield* provider.enquire(attempt)).toMatchObject({
        state: "completed",
        movements: [{ amount: order.money }]
      })
      const torn = answering(({ method }) =>
        method === "POST" ? problem(422, "UNPROCESSABLE_ENTITY", "ORDER_ALREADY_CAPTURED") : orderOf("APPROVED")
      )
      expect((yield* torn.provider.enquire(attempt))._tag).toBe("Unknown")
    })
  )

  it.effect("without its id an order is found only by the customer who brings it, and only if it is ours", () =>
    Effect.gen(function* () {
      const own = { amount: { currency_code: "USD", value: "100.00" }, payee: { merchant_id: "OURMERCHANT22" } }
      const order = (unit: object) =>
        replyOf(200, { id: ID, status: "APPROVED", purchase_units: [{ custom_id: reference, ...unit }] })
      let shown = order(own)
      const { asked, provider } = answering(
        ({ path }) => (path.endsWith("capture") ? capturedAs("COMPLETED") : shown),
        {
          merchant_id: "OURMERCHANT22"
        }
      )
      const lost = { ...attempt, providerPaymentId: null }
      expect((yield* provider.enquire(lost))._tag).toBe("Unknown")
      expect((yield* provider.resume!(lost, {}))._tag).toBe("Unknown")
      expect((yield* provider.resume!(lost, { token: "../../x" }))._tag).toBe("Unknown")
      expect(asked()).toEqual([])
      expect(yield* provider.resume!(lost, { token: ID })).toMatchObject({ state: "completed" })
      expect(yield* provider.enquire({ ...lost, hintedIds: ["9XX", ID] })).toMatchObject({ state: "completed" })
      const before = asked().length
      expect((yield* provider.resume!({ ...lost, reference: "another" }, { token: ID }))._tag).toBe("Unknown")
      const foreign = [
        order({ ...own, payee: { merchant_id: "ANOTHER222222" } }),
        order({ amount: own.amount }),
        order({ ...own, amount: { currency_code: "USD", value: "1.00" } })
      ]
      for (const one of foreign) {
        shown = one
        expect((yield* provider.enquire({ ...lost, hintedIds: [ID] }))._tag).toBe("Unknown")
      }
      expect(
        new Set(
          asked()
            .slice(before)
            .map(({ method }) => method)
        ),
        "nothing is captured"
      ).toEqual(new Set(["GET"]))
    })
  )

  it.effect("an order of ours that pays another account is not believed, nor captured", () =>
    Effect.gen(function* () {
      const unit = (merchant_id: string) => ({ custom_id: reference, payee: { merchant_id } })
      const shown = (status: string, merchant_id: string) =>
        replyOf(200, { id: ID, status, purchase_units: [unit(merchant_id)] })
      let payee = "OURMERCHANT22"
      const { asked, provider } = answering(({ method }) => shown(method === "POST" ? "CREATED" : "APPROVED", payee))
      yield* provider.initiate(byCard({ reference }))
      payee = "ANOTHER222222"
      expect((yield* provider.enquire({ ...attempt, providerPaymentId: ID }))._tag).toBe("Unknown")
      expect(
        asked().map(({ method }) => method),
        "PayPal named our account with the first order"
      ).toEqual(["POST", "GET"])
    })
  )

  it.effect("a batch that it has already is looked up where it points to, at no other host", () =>
    Effect.gen(function* () {
      const payout = toWallet({ reference })
      const there = problem(400, "USER_BUSINESS_ERROR", "Duplicate batch request", {
        details: [{ field: "SENDER_BATCH_ID", issue: "Duplicate batch request" }],
        links: [{ href: "https://evil.example/v1/payments/payouts/5UXD2E8A7EBQJ", rel: "self" }]
      })
      const { asked, provider } = answering(({ method }) =>
        method === "POST"
          ? there
          : replyOf(200, {
              batch_header: { payout_batch_id: "5UXD2E8A7EBQJ", batch_status: "PROCESSING" },
              items: [{ transaction_status: "SUCCESS", payout_item: { sender_item_id: reference } }]
            })
      )
      expect(yield* provider.initiate(payout)).toMatchObject({
        _tag: "Accepted",
        state: "completed",
        providerPaymentId: "5UXD2E8A7EBQJ"
      })
      expect(asked().map(({ origin, path }) => [origin, path])).toEqual([
        [undefined, "/v1/payments/payouts"],
        [undefined, "/v1/payments/payouts/5UXD2E8A7EBQJ"]
      ])
      const failed = answering(({ method }) => (method === "POST" ? there : problem(500, "INTERNAL_ERROR")))
      expect((yield* failed.provider.initiate(payout))._tag).toBe("Unknown")
    })
  )

  it.effect("a batch that it has already is found by the link of the detail that refuses it", () =>
    Effect.gen(function* () {
      // Answer of PayPal's sandbox to a repeated sender_batch_id.
      const there = replyOf(400, {
        name: "USER_BUSINESS_ERROR",
        message: "User business error.",
        debug_id: "f05063556a338",
        information_link: "https://developer.paypal.com/docs/api/payments.payouts-batch/#errors",
        details: [
          {
            field: "SENDER_BATCH_ID",
            location: "body",
            issue: "Batch with given sender_batch_id already exists",
            link: [
              { href: "https://api.sandbox.paypal.com/v1/payments/payouts/CR9VS2K4X4846", rel: "self", method: "GET" }
            ]
          }
        ],
        links: []
      })
      const { asked, provider } = answering(({ method }) =>
        method === "POST"
          ? there
          : replyOf(200, {
              batch_header: { payout_batch_id: "CR9VS2K4X4846", batch_status: "SUCCESS" },
              items: [{ transaction_status: "SUCCESS", payout_item: { sender_item_id: reference } }]
            })
      )
      expect(yield* provider.initiate(toWallet({ reference }))).toMatchObject({
        _tag: "Accepted",
        state: "completed",
        providerPaymentId: "CR9VS2K4X4846"
      })
      expect(asked().map(({ path }) => path)).toEqual(["/v1/payments/payouts", "/v1/payments/payouts/CR9VS2K4X4846"])
    })
  )

  it.effect("each kind of attempt is asked about where it is known; a refund nowhere", () =>
    Effect.gen(function* () {
      const { asked, provider } = answering(() => problem(500, "INTERNAL_ERROR"))
      for (const about of [
        { leg: "payment" as const },
        { leg: "collection" as const },
        { leg: "settlement" as const },
        { leg: "payment" as const, flow: "outbound" as const },
        { leg: "refund" as const },
        { leg: "return" as const }
      ]) {
        expect((yield* provider.enquire({ ...attempt, ...about }))._tag).toBe("Unknown")
      }
      expect(asked().map(({ path }) => path)).toEqual([
        `/v2/checkout/orders/${ID}`,
        `/v2/checkout/orders/${ID}`,
        `/v1/payments/payouts/${ID}`,
        `/v1/payments/payouts/${ID}`
      ])
      expect(provider.refund).toBeUndefined()
    })
  )

  it.effect("without a token nothing is sent, and that is certain", () =>
    Effect.gen(function* () {
      const refused = scripted(() => replyOf(401, { error: "invalid_client" }))
      const stranger = connectedTo(refused, paypalFake.credentials)
      expect(yield* stranger.initiate(order)).toMatchObject({ _tag: "Declined", code: "CREDENTIALS_REFUSED" })
      expect((yield* stranger.enquire(attempt))._tag).toBe("Unknown")
      expect(Either.isLeft(yield* stranger.test!)).toBe(true)
      const slow = connectedTo(
        scripted(() => new MaybeSent({ reason: "timeout" })),
        paypalFake.credentials
      )
      expect(yield* slow.initiate(toWallet())).toMatchObject({ _tag: "Declined", code: "PROVIDER_UNAVAILABLE" })
      expect(new Set(refused.calls.map(({ path }) => path))).toEqual(new Set(["/v1/oauth2/token"]))
    })
  )

  const failing = (failure: MaybeSent | NeverSent) => {
    const recorded = scripted(({ path }) =>
      path === "/v1/oauth2/token" ? replyOf(200, { access_token: "A", expires_in: 32_400 }) : failure
    )
    return connectedTo(recorded, paypalFake.credentials)
  }

  it.effect("what was never sent is refused, and what may have been is not known", () =>
    Effect.gen(function* () {
      const [never, maybe] = [
        failing(new NeverSent({ reason: "no connection" })),
        failing(new MaybeSent({ reason: "timeout" }))
      ]
      const { provider: busy } = answering(() => replyOf(429, ""))
      for (const one of [order, toWallet()]) {
        expect(yield* never.initiate(one)).toMatchObject({ _tag: "Declined", code: "PROVIDER_UNAVAILABLE" })
        expect((yield* maybe.initiate(one))._tag).toBe("Unknown")
        expect(yield* busy.initiate(one)).toMatchObject({ _tag: "Declined", code: "PROVIDER_BUSY" })
      }
      expect((yield* maybe.enquire(attempt))._tag).toBe("Unknown")
      expect((yield* busy.enquire(attempt))._tag).toBe("Unknown")
    })
  )

  it.effect("a payout without an address is refused before anything is sent", () =>
    Effect.gen(function* () {
      const { asked, provider } = answering(() => replyOf(500, ""))
      const payout = toWallet()
      const nameless = { ...payout, recipient: { ...payout.recipient!, email: null } }
      expect(yield* provider.initiate(nameless)).toMatchObject({ _tag: "Declined", code: "INVALID_ORDER" })
      expect(asked()).toEqual([])
    })
  )
})
