/** A Stripe to try Corridor with: it speaks Stripe's wire, checks what it is sent as Stripe does, and signs its callbacks. */
import { Either, Option } from "effect"
import { sha256Hex } from "../../domain/Digest.ts"
import type { Money } from "../../domain/Money.ts"
import type { Fake, FakeReply, FakeRequest, FakeRoute, FakeWorld } from "../fakes/Fake.ts"
import type { Entry } from "../fakes/FakeBooks.ts"
import type { Fate } from "../fakes/Magic.ts"
import {
  Confirmation,
  type FakeError,
  formIn,
  NewCustomer,
  NewIntent,
  NewRefund,
  Nothing,
  refused,
  taken
} from "./FakeForms.ts"
import {
  authenticates,
  declineOf,
  disputeOf,
  genericDecline,
  idOf,
  intentOf,
  isKnownMethod,
  type Kept,
  keptOf,
  refundOf,
  secretOf,
  statusOf
} from "./FakeIntents.ts"
import { moneyIn } from "./StripeAmounts.ts"
import { signatureOf } from "./StripeCallbacks.ts"

const credentials = { secret_key: "sk_test_fake_of_corridor", webhook_secret: "whsec_fake_of_corridor" }

const newIntent = taken(NewIntent)
const confirmation = taken(Confirmation)
const newRefund = taken(NewRefund)
const newCustomer = taken(NewCustomer)
const nothing = taken(Nothing)

const ok = (body: unknown): FakeReply => ({ status: 200, body })

const wrong = (status: number, message: string, code?: string): FakeReply =>
  refused(status, { type: "invalid_request_error", message, ...(code === undefined ? {} : { code }) })

const missing = (id: string): FakeReply => wrong(404, `No such object: '${id}'`, "resource_missing")

const moneyOf = (amount: unknown, currency: unknown): Money | undefined =>
  typeof amount === "string" && typeof currency === "string"
    ? Option.getOrUndefined(moneyIn(amount, currency))
    : undefined

/** A key is as good as forgotten only a day later, which no fake lives to see. */
const remembering = () => {
  const known = new Map<string, { readonly body: string; readonly reply: FakeReply }>()
  return (request: FakeRequest, run: () => FakeReply): FakeReply => {
    const key = request.headers["idempotency-key"]
    if (key === undefined) return run()
    const name = `${request.path} ${key}`
    const before = known.get(name)
    if (before === undefined) {
      const reply = run()
      known.set(name, { body: request.body, reply })
      return reply
    }
    return before.body === request.body
      ? { ...before.reply, headers: { "idempotent-replayed": "true" } }
      : refused(400, {
          type: "idempotency_error",
          message: "Keys for idempotent requests can only be used with the same parameters they were first used with."
        })
  }
}

const isOurs = ({ headers }: FakeRequest): boolean => headers["authorization"] === `Bearer ${credentials.secret_key}`

/** Stripe knows who asks before it looks at what is asked. */
const guarded = (route: FakeRoute): FakeRoute => ({
  ...route,
  answer: (request, fate) =>
    isOurs(request) ? route.answer(request, fate) : wrong(401, "Invalid API Key provided: sk_test_****")
})

const routes = (world: FakeWorld): ReadonlyArray<FakeRoute> => {
  const { books, url } = world
  const once = remembering()
  const customers = new Map<string, unknown>()

  const shown = (entry: Entry) => intentOf(entry, url)

  const entryOf = (kind: Entry["kind"], id: string | undefined): Entry | undefined => {
    const entry = books.byId(id ?? "")
    return entry?.kind === kind ? entry : undefined
  }

  const cardRefused = (error: FakeError, entry?: Entry): FakeReply =>
    refused(402, { ...error, ...(entry === undefined ? {} : { payment_intent: shown(entry) }) })

  const create = (request: FakeRequest, intent: NewIntent, fate: Fate): FakeReply => {
    const money = moneyOf(intent.amount, intent.currency)
    if (money === undefined) return wrong(400, `Invalid currency: ${intent.currency}`)
    if (!isKnownMethod(intent)) return missing(intent.payment_method ?? "")
    if (fate === "declined_provider") return wrong(400, "Amount must be no more than 999,999.99", "amount_too_large")
    const isConfirmed = intent.confirm === "true"
    const isTransfer = intent.payment_method_data?.type === "customer_balance"
    if (isTransfer && !customers.has(intent.customer ?? "")) return missing(intent.customer ?? "")
    if (isConfirmed && intent.payment_method === undefined && intent.payment_method_data === undefined) {
      return wrong(
        400,
        "You cannot confirm this PaymentIntent because it's missing a payment method.",
        "payment_intent_unexpected_state"
      )
    }
    const decline = declineOf(intent) ?? (fate === "declined_instrument" ? genericDecline : undefined)
    if (isConfirmed && decline !== undefined) return cardRefused(decline)
    const reference = intent.metadata?.["reference"] ?? request.headers["idempotency-key"] ?? sha256Hex(request.body)
    const kept: Kept = {
      intent,
      confirmed: isConfirmed,
      returnUrl: intent.return_url ?? null,
      lastError: null,
      canceled: false
    }
    const waits = !isConfirmed || authenticates(intent)
    return ok(shown(world.take({ id: idOf("pi", reference), reference, kind: "payin", money, waits, kept })))
  }

  /** As a page with Stripe's fields does it, with the secret of the intent. */
  const confirm = (entry: Entry, body: string): FakeReply =>
    Either.merge(
      Either.map(confirmation(body), (paying) => {
        if (paying.client_secret !== undefined && paying.client_secret !== secretOf(entry.id)) return missing(entry.id)
        if (statusOf(entry) !== "requires_payment_method" || entry.state !== "waiting") {
          return wrong(400, "This PaymentIntent cannot be confirmed.", "payment_intent_unexpected_state")
        }
        if (!isKnownMethod(paying)) return missing(paying.payment_method ?? "")
        const kept = keptOf(entry)
        const decline = declineOf(paying) ?? (entry.fate === "declined_instrument" ? genericDecline : undefined)
        kept.lastError = decline ?? null
        if (decline !== undefined) return cardRefused(decline, entry)
        kept.confirmed = true
        kept.returnUrl = paying.return_url ?? kept.returnUrl
        if (!authenticates(paying)) world.approve(entry)
        return ok(shown(entry))
      })
    )

  const cancel = (entry: Entry): FakeReply => {
    const isOpen = statusOf(entry).startsWith("requires_") && entry.state !== "failed"
    if (isOpen || keptOf(entry).canceled) {
      keptOf(entry).canceled = true
      entry.state = "failed"
      return ok(shown(entry))
    }
    return refused(400, {
      type: "invalid_request_error",
      code: "payment_intent_unexpected_state",
      message: `You cannot cancel this PaymentIntent because it has a status of ${statusOf(entry)}.`,
      payment_intent: shown(entry)
    })
  }

  const refund = (request: FakeRequest, fate: Fate): FakeReply =>
    Either.merge(
      Either.map(newRefund(request.body), ({ amount, metadata, payment_intent }) => {
        const paid = entryOf("payin", payment_intent)
        if (paid === undefined) return missing(payment_intent)
        if (paid.state !== "completed")
          return wrong(400, "This PaymentIntent does not have a successful charge to refund.")
        const before = books
          .all()
          .filter(({ kind, of, state }) => kind === "refund" && of === paid.id && state !== "failed")
        const left = before.reduce((rest, { asked }) => rest - asked.minor, paid.moved.minor)
        if (left === 0n) return wrong(400, "Charge has already been refunded.", "charge_already_refunded")
        const money = amount === undefined ? paid.moved : moneyOf(amount, paid.moved.currency)
        if (money === undefined || money.minor > left)
          return wrong(400, "Refund amount is greater than unrefunded amount on charge.")
        if (fate === "declined_provider" || fate === "declined_instrument") {
          return wrong(400, "Insufficient funds in your Stripe balance to refund this amount.", "balance_insufficient")
        }
        const reference = metadata?.["reference"] ?? request.headers["idempotency-key"] ?? sha256Hex(request.body)
        const kept = { metadata: metadata ?? {} }
        return ok(
          refundOf(world.take({ id: idOf("re", reference), reference, kind: "refund", money, of: paid.id, kept }))
        )
      })
    )

  const newestFirst = (kind: Entry["kind"]): ReadonlyArray<Entry> =>
    books
      .all()
      .filter((entry) => entry.kind === kind)
      .toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime())

  const list = (
    path: string,
    entries: ReadonlyArray<Entry>,
    query: URLSearchParams,
    show: (entry: Entry) => unknown
  ) => {
    const after = query.get("starting_after")
    const from = after === null ? 0 : entries.findIndex(({ id }) => id === after) + 1
    const limit = Number(query.get("limit") ?? "10")
    const page = entries.slice(from, from + limit)
    return ok({ object: "list", url: path, has_more: from + limit < entries.length, data: page.map(show) })
  }

  const madeBetween = (query: URLSearchParams) => {
    const bound = (name: string, otherwise: number) => Number(query.get(`created[${name}]`) ?? otherwise)
    const [from, until] = [bound("gte", 0), bound("lte", Number.MAX_SAFE_INTEGER)]
    return ({ createdAt }: Entry): boolean => {
      const at = Math.floor(createdAt.getTime() / 1000)
      return from <= at && at <= until
    }
  }

  const named = (query: URLSearchParams): ReadonlyArray<Entry> => {
    const reference = /^metadata\['reference'\]:'([^']*)'$/.exec(query.get("query") ?? "")?.[1]
    return newestFirst("payin").filter((entry) => entry.reference === reference)
  }

  const onEntry =
    (kind: Entry["kind"], answer: (entry: Entry, request: FakeRequest) => FakeReply): FakeRoute["answer"] =>
    (request) => {
      const entry = entryOf(kind, request.params["id"])
      return entry === undefined ? missing(request.params["id"] ?? "") : answer(entry, request)
    }

  const authenticate = onEntry("payin", (entry) => {
    const { returnUrl } = keptOf(entry)
    if (statusOf(entry) === "requires_action" && entry.state === "waiting") world.approve(entry)
    const back = new URL(returnUrl ?? url)
    back.searchParams.set("payment_intent", entry.id)
    back.searchParams.set("payment_intent_client_secret", secretOf(entry.id))
    back.searchParams.set("redirect_status", "succeeded")
    return { status: 302, headers: { location: back.href } }
  })

  return [
    ...[
      {
        method: "POST",
        path: "/v1/payment_intents",
        moves: ({ body }: FakeRequest) => {
          const { amount, currency } = formIn(body)
          return moneyOf(amount, currency)
        },
        answer: (request: FakeRequest, fate: Fate) =>
          Either.merge(
            Either.map(newIntent(request.body), (intent) => once(request, () => create(request, intent, fate)))
          )
      },
      {
        method: "GET",
        path: "/v1/payment_intents",
        answer: ({ path, query }: FakeRequest) =>
          list(path, newestFirst("payin").filter(madeBetween(query)), query, shown)
      },
      {
        method: "GET",
        path: "/v1/payment_intents/search",
        answer: ({ path, query }: FakeRequest) =>
          ok({ object: "search_result", url: path, has_more: false, next_page: null, data: named(query).map(shown) })
      },
      { method: "GET", path: "/v1/payment_intents/:id", answer: onEntry("payin", (entry) => ok(shown(entry))) },
      {
        method: "POST",
        path: "/v1/payment_intents/:id/confirm",
        answer: onEntry("payin", (entry, { body }) => confirm(entry, body))
      },
      {
        method: "POST",
        path: "/v1/payment_intents/:id/cancel",
        answer: onEntry("payin", (entry, { body }) => Either.merge(Either.map(nothing(body), () => cancel(entry))))
      },
      {
        method: "POST",
        path: "/v1/refunds",
        moves: ({ body }: FakeRequest) => {
          const { amount, payment_intent } = formIn(body)
          return moneyOf(amount, books.byId(`${payment_intent}`)?.asked.currency)
        },
        answer: (request: FakeRequest, fate: Fate) => once(request, () => refund(request, fate))
      },
      {
        method: "GET",
        path: "/v1/refunds",
        answer: ({ path, query }: FakeRequest) =>
          list(
            path,
            newestFirst("refund").filter(({ of }) => of === query.get("payment_intent")),
            query,
            refundOf
          )
      },
      { method: "GET", path: "/v1/refunds/:id", answer: onEntry("refund", (entry) => ok(refundOf(entry))) },
      {
        method: "POST",
        path: "/v1/customers",
        answer: (request: FakeRequest) =>
          Either.merge(
            Either.map(newCustomer(request.body), (customer) =>
              once(request, () => {
                const id = idOf("cus", request.headers["idempotency-key"] ?? request.body)
                const created = Math.floor(world.now().getTime() / 1000)
                const made = { id, object: "customer", created, livemode: false, metadata: {}, ...customer }
                customers.set(id, made)
                return ok(made)
              })
            )
          )
      }
    ].map(guarded),
    { method: "GET", path: "/hosted/authenticate/:id", answer: authenticate }
  ]
}

const typesByStatus: Readonly<Record<string, string>> = {
  succeeded: "payment_intent.succeeded",
  processing: "payment_intent.processing",
  requires_action: "payment_intent.requires_action",
  requires_payment_method: "payment_intent.payment_failed",
  canceled: "payment_intent.canceled"
}

const eventOf = (entry: Entry, url: string): readonly [type: string, object: unknown] => {
  if (entry.kind === "refund") return ["charge.refund.updated", refundOf(entry)]
  if (entry.state === "returned") return ["charge.dispute.funds_withdrawn", disputeOf(entry)]
  return [typesByStatus[statusOf(entry)] ?? "payment_intent.created", intentOf(entry, url)]
}

export const stripeFake: Fake = {
  name: "stripe",
  credentials,
  routes,
  callbackOf: (entry, world) => {
    const [type, object] = eventOf(entry, world.url)
    const time = `${Math.floor(world.now().getTime() / 1000)}`
    const body = JSON.stringify({
      id: idOf("evt", `${entry.id} ${type} ${entry.state}`),
      object: "event",
      api_version: "2023-08-16",
      created: Number(time),
      data: { object },
      livemode: false,
      pending_webhooks: 1,
      request: { id: null, idempotency_key: null },
      type
    })
    const signature = `t=${time},v1=${signatureOf(credentials.webhook_secret, time, body)}`
    return { headers: { "content-type": "application/json", "stripe-signature": signature }, body }
  }
}
