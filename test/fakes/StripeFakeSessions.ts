/** The Checkout Sessions of the fake of Stripe: pages where payers pay, each with a payment behind it. */
import { Either } from "effect"
import { sha256Hex } from "../../src/domain/Digest.ts"
import type { Money } from "../../src/domain/Money.ts"
import type { FakeReply, FakeRequest, FakeRoute, FakeWorld } from "./Fake.ts"
import type { Entry } from "./FakeLedger.ts"
import type { Scenario } from "./MagicAmounts.ts"
import { guarded, missing, moneyOf, NewSession, Nothing, ok, remembering, taken, wrong } from "./StripeFakeForms.ts"
import { counted, declineOf, idOf, type Kept, keptOf, seconds } from "./StripeFakeIntents.ts"
import { testCards } from "../../src/providers/stripe/StripeRequests.ts"

const DAY_SECONDS = 86_400

const newSession = taken(NewSession)
const nothing = taken(Nothing)

export const sessionIdOf = ({ reference }: Pick<Entry, "reference">): string =>
  `cs_test_${sha256Hex(reference).slice(0, 40)}`

const statusOf = (entry: Entry): "open" | "complete" | "expired" => {
  if (entry.state === "failed") return "expired"
  return entry.state === "waiting" ? "open" : "complete"
}

/** `expanded`: with the whole payment. */
export const sessionOf = (
  entry: Entry,
  url: string,
  expanded: (entry: Entry) => unknown = ({ id }) => id
): Readonly<Record<string, unknown>> => {
  const { session } = keptOf(entry)
  const id = sessionIdOf(entry)
  const status = statusOf(entry)
  return {
    id,
    object: "checkout.session",
    amount_subtotal: counted(entry.asked),
    amount_total: counted(entry.asked),
    automatic_tax: { enabled: false, status: null },
    cancel_url: session?.form.cancel_url ?? null,
    client_reference_id: session?.form.client_reference_id ?? null,
    created: seconds(entry.createdAt),
    currency: entry.asked.currency.toLowerCase(),
    custom_fields: [],
    custom_text: { shipping_address: null, submit: null },
    customer_email: session?.form.customer_email ?? null,
    expires_at: Number(session?.form.expires_at ?? seconds(entry.createdAt) + DAY_SECONDS),
    livemode: false,
    metadata: session?.form.metadata ?? {},
    mode: "payment",
    payment_intent: session?.isBegun === true ? expanded(entry) : null,
    payment_method_types: ["card"],
    payment_status: entry.state === "completed" || entry.state === "returned" ? "paid" : "unpaid",
    shipping_options: [],
    status,
    success_url: session?.form.success_url ?? null,
    url: status === "open" ? `${url}/hosted/checkout/${id}` : null
  }
}

const priceIn = (form: Pick<NewSession, "line_items">): Money | undefined => {
  const price = form.line_items[0]?.price_data
  return moneyOf(price?.unit_amount, price?.currency)
}

/** With Adaptive Pricing, a setting of the dashboard, payers pay in their own currency: session and payment are in that. */
const paidAs = (form: NewSession, price: Money): Money =>
  form.adaptive_pricing?.enabled === "false"
    ? price
    : moneyOf(form.line_items[0]?.price_data.unit_amount, price.currency === "CAD" ? "usd" : "cad")!

/** Amount in a form, which may be wrong. */
const pricedIn = ({ body }: FakeRequest): Money | undefined => {
  const form = newSession(body)
  return Either.isRight(form) ? priceIn(form.right) : undefined
}

const leads = (location: string): FakeReply => ({ status: 302, headers: { location } })

const page = (status: number, text: string): FakeReply => ({
  status,
  headers: { "content-type": "text/html; charset=utf-8" },
  body: `<!doctype html><title>Stripe fake</title><p>${text}</p>`
})

export const sessionRoutes = (
  world: FakeWorld,
  expanded: (query: URLSearchParams) => (entry: Entry) => unknown
): ReadonlyArray<FakeRoute> => {
  const { books, url } = world
  const once = remembering()

  const all = () =>
    books
      .all()
      .filter((entry) => entry.kind === "payin" && keptOf(entry).session !== undefined)
      .toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime())

  const onSession =
    (answer: (entry: Entry, request: FakeRequest) => FakeReply): FakeRoute["answer"] =>
    (request) => {
      const entry = all().find((one) => sessionIdOf(one) === request.params["id"])
      return entry === undefined ? missing(request.params["id"] ?? "") : answer(entry, request)
    }

  const shown = (query: URLSearchParams) => (entry: Entry) =>
    sessionOf(
      entry,
      url,
      query.getAll("expand[]").some((name) => name.startsWith("payment_intent")) ? expanded(query) : undefined
    )

  const create = (form: NewSession, scenario: Scenario): FakeReply => {
    const price = priceIn(form)
    if (price === undefined) return wrong(400, "Invalid currency or amount.")
    const money = paidAs(form, price)
    const left = Number(form.expires_at ?? Infinity) - seconds(world.now())
    if (form.expires_at !== undefined && (left < 30 * 60 || left > DAY_SECONDS)) {
      return wrong(400, "The `expires_at` timestamp must be 30 minutes to 24 hours from Checkout Session creation.")
    }
    if (scenario === "declined_provider") return wrong(400, "The amount is too large.", "amount_too_large")
    const reference = form.metadata?.["reference"] ?? form.client_reference_id ?? sha256Hex(form.success_url)
    const { description, metadata } = form.payment_intent_data ?? {}
    const kept: Kept = {
      intent: {
        amount: form.line_items[0]?.price_data.unit_amount ?? "",
        currency: money.currency.toLowerCase(),
        ...(description === undefined ? {} : { description }),
        ...(metadata === undefined ? {} : { metadata })
      },
      session: { form, isBegun: false },
      confirmed: false,
      returnUrl: null,
      lastError: null,
      canceled: false
    }
    const order = { id: idOf("pi", reference), reference, kind: "payin", money, waits: true, kept } as const
    return ok(shown(new URLSearchParams())(world.take(order)))
  }

  const expire = (entry: Entry): FakeReply => {
    if (statusOf(entry) !== "open") return wrong(400, "Only Checkout Sessions that are open can be expired.")
    keptOf(entry).canceled = true
    entry.state = "failed"
    return ok(shown(new URLSearchParams())(entry))
  }

  /** The payer pays with a card that is good, or with the one that `card` names; `leave`: goes back without paying. */
  const visit = (entry: Entry, { query }: FakeRequest): FakeReply => {
    const kept = keptOf(entry)
    const { cancel_url, success_url } = kept.session!.form
    if (statusOf(entry) === "expired") return page(410, "This page has expired.")
    if (query.has("leave")) return leads(cancel_url ?? success_url)
    if (statusOf(entry) === "open") {
      kept.session!.isBegun = true
      const number = query.get("card") ?? ""
      const method = testCards[number] ?? "pm_card_visa"
      kept.lastError = declineOf({ payment_method: method }) ?? null
      if (kept.lastError !== null) return page(402, kept.lastError.message)
      kept.confirmed = true
      world.approve(entry)
    }
    return leads(success_url)
  }

  return [
    ...[
      {
        method: "POST",
        path: "/v1/checkout/sessions",
        moves: pricedIn,
        answer: (request: FakeRequest, scenario: Scenario) =>
          Either.merge(Either.map(newSession(request.body), (form) => once(request, () => create(form, scenario))))
      },
      {
        method: "GET",
        path: "/v1/checkout/sessions",
        answer: ({ path, query }: FakeRequest) => list(path, all(), query, shown(query))
      },
      {
        method: "GET",
        path: "/v1/checkout/sessions/:id",
        answer: onSession((entry, { query }) => ok(shown(query)(entry)))
      },
      {
        method: "POST",
        path: "/v1/checkout/sessions/:id/expire",
        answer: onSession((entry, { body }) => Either.merge(Either.map(nothing(body), () => expire(entry))))
      }
    ].map(guarded),
    { method: "GET", path: "/hosted/checkout/:id", answer: onSession(visit) }
  ]
}

/** In pages, as Stripe lists. */
export const list = (
  path: string,
  entries: ReadonlyArray<Entry>,
  query: URLSearchParams,
  show: (entry: Entry) => unknown
): FakeReply => {
  const data = entries.map(show) as ReadonlyArray<{ readonly id: string }>
  const after = query.get("starting_after")
  const from = after === null ? 0 : data.findIndex(({ id }) => id === after) + 1
  const limit = Number(query.get("limit") ?? "10")
  return ok({ object: "list", url: path, has_more: from + limit < data.length, data: data.slice(from, from + limit) })
}
