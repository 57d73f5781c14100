import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import type { ProviderCall } from "../../../src/providers/client/ProviderHttp.ts"
import type { Provider } from "../../../src/providers/port/Provider.ts"
import { amount, attemptOf, orderOf, refundOf } from "../support/TestOrders.ts"
import { replyOf, scripted } from "../support/ScriptedReplies.ts"
import { atFlutterwave, everyOrder, operations, orderFor, schemaFlaws, why } from "./FlutterwaveTestOrders.ts"

const callsOf = async (use: (provider: Provider) => Effect.Effect<unknown>): Promise<ReadonlyArray<ProviderCall>> => {
  const { calls, http } = scripted(() => replyOf(500, {}))
  await Effect.runPromise(use(atFlutterwave(http)))
  return calls
}

const bodyOf = ({ body }: ProviderCall) => JSON.parse(body!) as Record<string, unknown>

const operationOf = ({ method, path }: ProviderCall) => {
  const at = new URL(path, "https://api.flutterwave.com")
  return operations.find(
    (one) =>
      one.method === method &&
      new RegExp(`^${one.path.replace(/\{\w+\}/g, "[^/]+")}$`).test(at.pathname) &&
      (one.query?.["type"] ?? null) === at.searchParams.get("type")
  )
}

/** Problems of a call by Flutterwave's own schemas. */
const problemsOfCall = (call: ProviderCall): ReadonlyArray<string> => {
  if (operationOf(call) === undefined) return [`there is no ${call.method} ${call.path}`]
  if (call.method === "GET") return []
  const { meta, ...body } = bodyOf(call)
  if (call.path === "/v3/transfers") {
    const sender = meta === undefined ? [] : schemaFlaws("transferSchema", meta, "otherwise")
    return [...schemaFlaws("transferSchema", body), ...sender]
  }
  const schema = call.path.endsWith("bank_transfer") ? "chargeSchema" : "momoSchema"
  return schemaFlaws(schema, meta === undefined ? body : { ...body, meta })
}

describe.skipIf(why !== "")(`Flutterwave's own schemas${why}`, () => {
  const good = { tx_ref: "1", amount: 10, currency: "KES", email: "a@example.com", phone_number: "254712345678" }

  it("are a judge that refuses", () => {
    expect(schemaFlaws("momoSchema", good)).toEqual([])
    expect(schemaFlaws("momoSchema", { ...good, amount: "10" })).toEqual(["/amount must be number"])
    expect(schemaFlaws("momoSchema", { ...good, amount: 0 })).toEqual(["/amount must be > 0"])
    expect(schemaFlaws("momoSchema", { ...good, email: "nobody" })).toEqual(['/email must match format "email"'])
    expect(schemaFlaws("momoSchema", { ...good, network: 1, extra: 1 })).toContain(
      " must NOT have additional properties"
    )
    expect(schemaFlaws("chargeSchema", { ...good, tx_ref: undefined })).toEqual([
      " must have required property 'tx_ref'"
    ])
    expect(schemaFlaws("transferSchema", { amount: 1 })).toEqual([" must have required property 'currency'"])
    expect(schemaFlaws("transferSchema", { amount: 1, currency: "NGN", account_number: 1 })).not.toEqual([])
    expect(schemaFlaws("transferSchema", [{ sender: "x" }], "otherwise")).toHaveLength(2)
    expect(problemsOfCall({ operation: "", method: "GET", path: "/v3/charges" })).toHaveLength(1)
  })

  const direct = everyOrder().filter(({ method }) => method !== "card")

  it.each(
    direct.map((order) => [`${order.method} ${order.flow} ${order.country} ${order.mobileMoney?.network ?? ""}`, order])
  )("take %s as it is sent", async (_, order) => {
    const calls = await callsOf((provider) => provider.initiate(order as never))
    expect(calls).toHaveLength(1)
    expect(calls.flatMap(problemsOfCall)).toEqual([])
  })

  it("know every look-up", async () => {
    const payin = orderFor("mobile_money", "inbound", "KE")
    const payout = orderFor("mobile_money", "outbound", "KE")
    const calls = await callsOf((provider) =>
      Effect.all([
        provider.enquire(attemptOf(payin)),
        provider.enquire(attemptOf(orderFor("card", "inbound", "NG"))),
        provider.enquire(attemptOf(payout)),
        provider.enquire(attemptOf(payout, { providerPaymentId: "396432" })),
        provider.enquire(attemptOf(payin, { leg: "settlement" })),
        provider.enquire(attemptOf(payout, { leg: "collection" }))
      ])
    )
    expect(calls.map(({ path }) => path)).toEqual([
      `/v3/transactions/verify_by_reference?tx_ref=${payin.reference}`,
      expect.stringMatching(/^\/v3\/transactions\/verify_by_reference\?tx_ref=/),
      `/v3/transfers?reference=${payout.reference}`,
      "/v3/transfers/396432",
      `/v3/transfers?reference=${payin.reference}`,
      `/v3/transactions/verify_by_reference?tx_ref=${payout.reference}`
    ])
    expect(calls.flatMap(problemsOfCall)).toEqual([])
  })
})

describe("an order for Flutterwave", () => {
  const sentFor = async (order: ReturnType<typeof orderFor>) => {
    const [call] = await callsOf((provider) => provider.initiate(order))
    return { path: call!.path, body: bodyOf(call!), headers: call!.headers }
  }

  it("asks a number by the kind of charge of its country", async () => {
    const order = orderFor("mobile_money", "inbound", "RW")
    expect(await sentFor(order)).toEqual({
      path: "/v3/charges?type=mobile_money_rwanda",
      headers: { authorization: "Bearer FLWSECK_TEST-fake-of-flutterwave-X", "content-type": "application/json" },
      body: {
        tx_ref: order.reference,
        amount: 1500,
        currency: "RWF",
        email: "ada@example.com",
        fullname: "Ada Obi",
        phone_number: "250781234567",
        redirect_url: "https://pay.example.com/back/p1",
        network: "MTN",
        order_id: order.reference
      }
    })
    const { body, path } = await sentFor(orderFor("mobile_money", "inbound", "SN"))
    expect(path).toBe("/v3/charges?type=mobile_money_franco")
    expect(body).toMatchObject({ currency: "XOF", country: "SN", network: "ORANGEMONEY" })
    expect((await sentFor(orderFor("mobile_money", "inbound", "KE"))).body).not.toHaveProperty("network")
  })

  it("asks for an account to pay to in Nigeria", async () => {
    const { body, path } = await sentFor(orderFor("bank_transfer", "inbound", "NG"))
    expect(path).toBe("/v3/charges?type=bank_transfer")
    expect(body).toMatchObject({ amount: 1500, currency: "NGN", expires: 86_400 })
  })

  it("sends a card's holder to its page, even where card numbers may be passed on", async () => {
    const order = orderFor("card", "inbound", "NG", { money: amount("1500.5", "NGN") })
    const { calls, http } = scripted(() => replyOf(500, {}))
    await Effect.runPromise(atFlutterwave(http, {}, { rawCards: true }).initiate(order))
    expect(calls[0]!.path).toBe("/v3/payments")
    expect(bodyOf(calls[0]!)).toEqual({
      tx_ref: order.reference,
      amount: 1500.5,
      currency: "NGN",
      redirect_url: "https://pay.example.com/back/p1",
      payment_options: "card",
      customer: { email: "ada@example.com", name: "Ada Obi", phonenumber: "254712345678" },
      configurations: { session_duration: 60, max_retry_attempt: 3 },
      customizations: { description: "Two tickets" }
    })
  })

  it.each([
    ["30 minutes before the payin ends", 30 * 60_000 + 5000, 30],
    ["a day before the payin ends", 86_400_000, 60],
    ["as the payin ends", 5000, 1]
  ])(
    "of a page made %s keeps it open no longer than that, and shows the payer until when",
    async (_, left, minutes) => {
      const expiresAt = new Date(Date.now() + left)
      const { calls, http } = scripted(() => replyOf(200, { status: "success", data: { link: "https://pay.example" } }))
      const before = Date.now()
      const answer = await Effect.runPromise(
        atFlutterwave(http).initiate(orderFor("card", "inbound", "NG", { expiresAt }))
      )
      expect(bodyOf(calls[0]!)).toMatchObject({ configurations: { session_duration: minutes } })
      const reported = Date.parse(String((answer as { actionData: Record<string, unknown> }).actionData["expires_at"]))
      expect(reported - before - minutes * 60_000).toBeGreaterThanOrEqual(0)
      expect(reported - before - minutes * 60_000).toBeLessThan(5000)
    }
  )

  it("pays from the wallet of its own currency, and names the sender to Kenya", async () => {
    const order = orderFor("mobile_money", "outbound", "KE")
    expect((await sentFor(order)).body).toEqual({
      account_bank: "MPS",
      account_number: "254712345678",
      amount: 1500,
      currency: "KES",
      debit_currency: "KES",
      reference: order.reference,
      narration: "Two tickets",
      beneficiary_name: "Akinyi Otieno",
      callback_url: "https://pay.example.com/callbacks",
      meta: [{ sender: "Ada Obi", sender_country: "KE", mobile_number: "254712345678" }]
    })
    const withdrawal = await sentFor(orderFor("mobile_money", "outbound", "KE", { payer: null }))
    expect(withdrawal.body, "the organisation is the sender").toMatchObject({
      meta: [{ sender: "Acme Ltd", sender_country: "GB", mobile_number: "254700000001" }]
    })
    const { body } = await sentFor(orderFor("bank_transfer", "outbound", "NG", { payer: null }))
    expect(body).toMatchObject({ account_bank: "044", account_number: "0690000031", debit_currency: "NGN" })
    expect(body).not.toHaveProperty("meta")
  })

  it.each([
    ["live", "http://pay.example.com/callbacks"],
    ["live", `https://pay.example.com/${"x".repeat(100)}`]
  ] as const)("in %s mode does not name %s for callbacks", async (mode, callbackUrl) => {
    const { calls, http } = scripted(() => replyOf(500, {}))
    const provider = atFlutterwave(http, {}, { mode, callbackUrl })
    await Effect.runPromise(provider.initiate(orderFor("mobile_money", "outbound", "GH")))
    expect(bodyOf(calls[0]!)).not.toHaveProperty("callback_url")
  })

  const noPayer = { payer: null }
  const mobile = (network: string) => ({ mobileMoney: { network, phoneNumber: "+256772123456" } })

  it.each([
    ["a payin without an e-mail address", orderFor("card", "inbound", "NG", noPayer), "INVALID_ORDER"],
    [
      "a payout to Kenya without a sender",
      orderFor("mobile_money", "outbound", "KE", { ...noPayer, sender: null }),
      "INVALID_ORDER"
    ],
    ["a payin without a number", orderFor("mobile_money", "inbound", "UG", { mobileMoney: null }), "INVALID_ORDER"],
    ["a payout without a destination", orderFor("bank_transfer", "outbound", "NG", { bank: null }), "INVALID_ORDER"],
    ["a network that it does not ask", orderFor("mobile_money", "inbound", "UG", mobile("mpesa")), "NOT_SUPPORTED"],
    ["a network by the name of nothing", orderFor("mobile_money", "inbound", "UG", mobile("valueOf")), "NOT_SUPPORTED"],
    ["a network that it does not pay", orderFor("mobile_money", "outbound", "CI", mobile("orange")), "NOT_SUPPORTED"],
    ["another currency", orderFor("mobile_money", "inbound", "UG", { money: amount("1", "USD") }), "NOT_SUPPORTED"],
    ["an account elsewhere", orderFor("bank_transfer", "outbound", "KE", { country: "GH" as never }), "NOT_SUPPORTED"],
    ["no way that money goes", orderFor("card", "inbound", "NG", { flow: "external" }), "NOT_SUPPORTED"],
    ["a method of others", orderFor("card", "inbound", "NG", { method: "crypto" }), "NOT_SUPPORTED"]
  ])("is not sent for %s", async (_, order, code) => {
    const { calls, http } = scripted(() => replyOf(500, {}))
    expect(await Effect.runPromise(atFlutterwave(http).initiate(order))).toMatchObject({ _tag: "Declined", code })
    expect(calls).toEqual([])
  })

  it("of a refund goes to the transaction that was paid", async () => {
    const order = orderFor("mobile_money", "inbound", "UG")
    const reference = orderOf({}).reference
    const refund = refundOf(attemptOf(order), { reference, money: amount("500", "UGX"), reason: "late" })
    const data = { id: 288200108, tx_ref: order.reference, status: "successful", amount: 1500, currency: "UGX" }
    const { calls, http } = scripted(({ method }) =>
      method === "GET" ? replyOf(200, { status: "success", data }) : replyOf(500, {})
    )
    await Effect.runPromise(atFlutterwave(http).refund!(refund))
    expect(calls[1]!.path).toBe("/v3/transactions/288200108/refund")
    expect(bodyOf(calls[1]!)).toEqual({ amount: 500, comments: `${reference} late` })
  })
})
