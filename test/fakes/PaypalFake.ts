/** A PayPal to try the service with: it checks, remembers and calls back as the real one does, and moves no money. */
import { Either, Option } from "effect"
import { type Fake, type FakeReply, type FakeRequest, type FakeRoute, type FakeWorld, jsonBody } from "./Fake.ts"
import type { Entry } from "./FakeLedger.ts"
import type { Scenario } from "./MagicAmounts.ts"
import {
  batchOf,
  bodyAs,
  captureOf,
  idFor,
  itemOf,
  moneyIn,
  OrderBody,
  orderOf,
  PayoutBody,
  refusal,
  VerificationBody,
  callbackWith,
  disputeId,
  disputesWith,
  isSignedByFake
} from "./PaypalFakeBodies.ts"

const credentials = {
  client_id: "corridor-fake-client",
  client_secret: "corridor-fake-secret",
  webhook_id: "1JE4291016473214C"
} as const

const TOKEN_SECONDS = 32_400

const readOrder = bodyAs(OrderBody, "INVALID_REQUEST")
const readPayout = bodyAs(PayoutBody, "VALIDATION_ERROR")
const readVerification = bodyAs(VerificationBody, "VALIDATION_ERROR")

const unauthorised = refusal(401, "AUTHENTICATION_FAILURE")

const missing = refusal(404, "RESOURCE_NOT_FOUND", [
  {
    issue: "INVALID_RESOURCE_ID",
    description: "Specified resource ID does not exist. Please check the resource ID and try again."
  }
])

const unprocessable = (issue: string, description: string): FakeReply =>
  refusal(422, "UNPROCESSABLE_ENTITY", [{ issue, description }])

const plain = (status: number, body: string): FakeReply => ({ status, headers: { "content-type": "text/plain" }, body })

/** Scenarios that end some time after the capture. */
const undecided: ReadonlySet<Scenario> = new Set(["fails_later", "silent", "late", "reordered"])

const moneyOf = (read: Either.Either<{ readonly value: string; readonly currency: string }, FakeReply>) =>
  Option.getOrUndefined(Option.flatMap(Either.getRight(read), ({ currency, value }) => moneyIn(value, currency)))

const scopes = [
  ...["payments/payment", "payments/refund", "payouts", "reporting/search/read", "vault/payment-tokens/read"].map(
    (end) => `https://uri.paypal.com/services/${end}`
  ),
  "openid"
]

const million = { currency_code: "USD", value: "1000000.00" }
const balances = {
  balances: [{ currency: "USD", primary: true, total_balance: million, available_balance: million }],
  account_id: "FAKEPAYPALMERCHANT"
}

const routes = (world: FakeWorld): ReadonlyArray<FakeRoute> => {
  const { books, url } = world
  const tokens = new Set<string>()

  const isKnown = ({ headers }: FakeRequest): boolean =>
    tokens.has((headers.authorization ?? "").replace("Bearer ", ""))

  const guarded =
    (answered: (request: FakeRequest, scenario: Scenario) => FakeReply): FakeRoute["answer"] =>
    (request, scenario) =>
      isKnown(request) ? answered(request, scenario) : unauthorised

  const order = (request: FakeRequest) =>
    Either.map(readOrder(request), ({ payment_source: { paypal }, purchase_units: [unit] }) => ({
      reference: unit.custom_id,
      currency: unit.amount.currency_code,
      value: unit.amount.value,
      kept: {
        back: paypal.experience_context.return_url,
        key: request.headers["paypal-request-id"],
        body: request.body
      }
    }))

  const createOrder = guarded((request, scenario) =>
    Either.merge(
      Either.map(order(request), ({ currency, kept, reference, value }) => {
        const money = Option.getOrUndefined(moneyIn(value, currency))
        if (money === undefined) {
          return unprocessable("INVALID_CURRENCY_CODE", "Currency code is invalid or is not currently supported.")
        }
        const known = books.byReference("payin", reference)
        if (known !== undefined && known.kept.key === kept.key) {
          return known.kept.body === kept.body
            ? { status: 200, body: orderOf(known, url) }
            : unprocessable("DUPLICATE_REQUEST_ID", "The value of PayPal-Request-Id header has already been used.")
        }
        if (known !== undefined) return unprocessable("DUPLICATE_INVOICE_ID", "Duplicate Invoice ID detected.")
        if (scenario === "declined_provider") {
          return unprocessable("PAYEE_ACCOUNT_RESTRICTED", "The merchant account is restricted.")
        }
        const entry = world.take({ id: idFor(reference), reference, kind: "payin", money, waits: true, kept })
        return { status: 201, body: orderOf(entry, url) }
      })
    )
  )

  /** The customer agrees and goes back; nothing is moved before the caller captures it. */
  const page: FakeRoute["answer"] = ({ query }) => {
    const entry = books.byId(query.get("token") ?? "")
    if (entry === undefined || typeof entry.kept.back !== "string") return plain(404, "No such order")
    entry.kept.approved = true
    const back = new URL(entry.kept.back)
    back.searchParams.set("token", entry.id)
    back.searchParams.set("PayerID", idFor(`payer of ${entry.id}`).slice(0, 13))
    return { status: 302, headers: { location: back.toString() } }
  }

  const collect = (entry: Entry): void => {
    world.approve(entry)
    entry.kept.captured = true
    if (!undecided.has(entry.scenario)) entry.state = "completed"
  }

  const capture = guarded(({ headers, params }, scenario) => {
    const entry = books.byId(params.id ?? "")
    if (entry?.kind !== "payin") return missing
    const key = headers["paypal-request-id"]
    if (entry.kept.captured === true) {
      return entry.kept.captureKey === key
        ? { status: 200, body: orderOf(entry, url) }
        : unprocessable(
            "ORDER_ALREADY_CAPTURED",
            "Order already captured. If 'intent=CAPTURE' only one capture per order is allowed."
          )
    }
    if (entry.kept.approved !== true) {
      return unprocessable("ORDER_NOT_APPROVED", "Payer has not yet approved the Order for payment.")
    }
    if (scenario === "declined_instrument") {
      return unprocessable(
        "INSTRUMENT_DECLINED",
        "The instrument presented was either declined by the processor or bank, or it can't be used for this payment."
      )
    }
    entry.kept.captureKey = key
    collect(entry)
    return { status: 201, body: orderOf(entry, url) }
  })

  const showOrder = guarded(({ params }) => {
    const entry = books.byId(params.id ?? "")
    return entry?.kind === "payin" ? { status: 200, body: orderOf(entry, url) } : missing
  })

  const showCapture = guarded(({ params }) => {
    const entry = books.all().find((one) => one.kept.captured === true && captureOf(one).id === params.id)
    return entry === undefined ? missing : { status: 200, body: captureOf(entry) }
  })

  const showDispute = guarded(({ params }) => {
    const entry = books.all().find((one) => disputeId(one) === params.id)
    return entry?.kept.dispute === undefined ? missing : { status: 200, body: entry.kept.dispute }
  })

  const listDisputes = guarded(({ query }) => {
    const of = query.get("disputed_transaction_id")
    const disputed = books.all().filter((one) => one.kept.dispute !== undefined && captureOf(one).id === of)
    return { status: 200, body: { items: disputed.map(({ kept }) => kept.dispute), links: [] } }
  })

  const createPayout = guarded((request, scenario) =>
    Either.merge(
      Either.map(readPayout(request), ({ items: [item], sender_batch_header: header }) => {
        const { sender_batch_id: reference } = header
        const money = Option.getOrUndefined(moneyIn(item.amount.value, item.amount.currency))
        if (money === undefined) return refusal(400, "VALIDATION_ERROR", [{ issue: "Currency is invalid" }])
        const known = books.byReference("payout", reference)
        if (known !== undefined) {
          const issue = "Batch with given sender_batch_id already exists"
          const duplicate = { field: "SENDER_BATCH_ID", issue, link: batchOf(known, url).links }
          return refusal(400, "USER_BUSINESS_ERROR", [duplicate])
        }
        if (scenario === "declined_provider") return refusal(422, "INSUFFICIENT_FUNDS")
        if (scenario === "declined_instrument") {
          const receiver = { field: "items[0].receiver", issue: "Receiver is invalid or does not match with type" }
          return refusal(400, "VALIDATION_ERROR", [receiver])
        }
        const entry = world.take({
          id: idFor(`payout ${reference}`),
          reference,
          kind: "payout",
          money,
          kept: { receiver: item.receiver, subject: header.email_subject }
        })
        const { batch_header, links } = batchOf(entry, url)
        return { status: 201, body: { batch_header: { ...batch_header, batch_status: "PENDING" }, links } }
      })
    )
  )

  const showPayout = guarded(({ params }) => {
    const entry = books.byId(params.id ?? "")
    return entry?.kind === "payout"
      ? { status: 200, body: { ...batchOf(entry, url), items: [itemOf(entry)] } }
      : refusal(404, "RESOURCE_NOT_FOUND")
  })

  const grant: FakeRoute["answer"] = ({ body, headers }) => {
    const own = Buffer.from(`${credentials.client_id}:${credentials.client_secret}`).toString("base64")
    if (headers.authorization !== `Basic ${own}`) {
      return { status: 401, body: { error: "invalid_client", error_description: "Client Authentication failed" } }
    }
    if (new URLSearchParams(body).get("grant_type") !== "client_credentials") {
      return { status: 400, body: { error: "unsupported_grant_type", error_description: "Grant Type is NULL" } }
    }
    const token = `A21AA${idFor(`token ${tokens.size}`)}`
    tokens.add(token)
    return {
      status: 200,
      body: { access_token: token, token_type: "Bearer", expires_in: TOKEN_SECONDS, scope: scopes.join(" ") }
    }
  }

  const verifySignature = guarded((request) =>
    Either.merge(
      Either.map(readVerification(request), (body) => ({
        status: 200,
        body: {
          verification_status:
            body.webhook_id === credentials.webhook_id && isSignedByFake(body, request.body) ? "SUCCESS" : "FAILURE"
        }
      }))
    )
  )

  /** The app has one webhook, under the id that callbacks are verified by. */
  const webhooks = new Map<string, { readonly url: string; event_types: unknown }>()
  const shownWebhook = (id: string) => ({ id, ...webhooks.get(id) })
  const createWebhook = guarded((request) => {
    const { event_types, url } = jsonBody(request) as { readonly url: string; readonly event_types: unknown }
    if (webhooks.size > 0) return refusal(400, "VALIDATION_ERROR")
    webhooks.set(credentials.webhook_id, { url, event_types })
    return { status: 201, body: shownWebhook(credentials.webhook_id) }
  })
  const changeWebhook = guarded((request) => {
    const webhook = webhooks.get(request.params.id ?? "")
    if (webhook === undefined) return refusal(404, "RESOURCE_NOT_FOUND")
    const [change] = jsonBody(request) as ReadonlyArray<{ readonly value: unknown }>
    webhook.event_types = change?.value
    return { status: 200, body: shownWebhook(request.params.id ?? "") }
  })

  return [
    {
      method: "GET",
      path: "/v1/reporting/balances",
      answer: guarded(() => ({ status: 200, body: balances }))
    },
    {
      method: "GET",
      path: "/v1/notifications/webhooks",
      answer: guarded(() => ({ status: 200, body: { webhooks: [...webhooks.keys()].map(shownWebhook) } }))
    },
    { method: "POST", path: "/v1/notifications/webhooks", answer: createWebhook },
    { method: "PATCH", path: "/v1/notifications/webhooks/:id", answer: changeWebhook },
    { method: "POST", path: "/v1/oauth2/token", answer: grant },
    {
      method: "POST",
      path: "/v2/checkout/orders",
      moves: (request) => (isKnown(request) ? moneyOf(order(request)) : undefined),
      answer: createOrder
    },
    { method: "GET", path: "/v2/checkout/orders/:id", answer: showOrder },
    {
      method: "POST",
      path: "/v2/checkout/orders/:id/capture",
      moves: (request) => (isKnown(request) ? books.byId(request.params.id ?? "")?.asked : undefined),
      answer: capture
    },
    { method: "GET", path: "/v2/payments/captures/:id", answer: showCapture },
    { method: "GET", path: "/v1/customer/disputes", answer: listDisputes },
    { method: "GET", path: "/v1/customer/disputes/:id", answer: showDispute },
    { method: "GET", path: "/checkoutnow", answer: page },
    {
      method: "POST",
      path: "/v1/payments/payouts",
      moves: (request) =>
        isKnown(request) ? moneyOf(Either.map(readPayout(request), ({ items: [item] }) => item.amount)) : undefined,
      answer: createPayout
    },
    { method: "GET", path: "/v1/payments/payouts/:id", answer: showPayout },
    { method: "POST", path: "/v1/notifications/verify-webhook-signature", answer: verifySignature }
  ]
}

export const paypalFake: Fake = {
  name: "paypal",
  credentials,
  routes,
  callbackOf: callbackWith(credentials.webhook_id),
  disputes: disputesWith(credentials.webhook_id)
}
