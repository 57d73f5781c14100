/** A Stripe to try Corridor with: it speaks Stripe's wire, checks what it is sent as Stripe does, and signs its callbacks. */
import { Either } from "effect"
import type { Dispute, Fake, FakeCallback, FakeReply, FakeRequest, FakeRoute, FakeWorld } from "./Fake.ts"
import type { Entry, FakeLedger } from "./FakeLedger.ts"
import type { Scenario } from "./MagicAmounts.ts"
import {
  formIn,
  NewIntent,
  Nothing,
  taken,
  Confirmation,
  type FakeError,
  NewCustomer,
  NewRefund,
  refused,
  credentials,
  guarded,
  missing,
  moneyOf,
  ok,
  remembering,
  wrong
} from "./StripeFakeForms.ts"
import {
  disputeOf,
  idOf,
  intentOf,
  isThere,
  keptOf,
  refundByHandOf,
  refundOf,
  secretOf,
  statusOf,
  authenticates,
  chargeOf,
  declineOf,
  genericDecline,
  isKnownMethod,
  type Kept
} from "./StripeFakeIntents.ts"
import { list, sessionOf, sessionRoutes } from "./StripeFakeSessions.ts"
import { accountRoutes } from "./StripeFakeOwner.ts"
import { cashEventOf, isCash, makeCashBalances } from "./StripeFakeAccounts.ts"
import { signatureOf } from "../../src/providers/stripe/StripeCallbacks.ts"
import { sha256Hex } from "../../src/domain/Digest.ts"

/** Searches of the fake of Stripe: in lists by time, and by our reference. */
export const newestFirst = (books: FakeLedger, kind: Entry["kind"]): ReadonlyArray<Entry> =>
  books
    .all()
    .filter((entry) => entry.kind === kind && isThere(entry) && !isCash(entry))
    .toSorted((a, b) => b.createdAt.getTime() - a.createdAt.getTime())

export const madeBetween = (query: URLSearchParams) => {
  const bound = (name: string, otherwise: number) => Number(query.get(`created[${name}]`) ?? otherwise)
  const [from, until] = [bound("gte", 0), bound("lte", Number.MAX_SAFE_INTEGER)]
  return ({ createdAt }: Entry): boolean => {
    const at = Math.floor(createdAt.getTime() / 1000)
    return from <= at && at <= until
  }
}

export const named = (books: FakeLedger, query: URLSearchParams): ReadonlyArray<Entry> => {
  const reference = /^metadata\['reference'\]:'([^']*)'$/.exec(query.get("query") ?? "")?.[1]
  return newestFirst(books, "payin").filter((entry) => entry.reference === reference)
}

/** Orders at the fake of Stripe: taken, declined, canceled, refunded. */
const confirmation = taken(Confirmation)
const newRefund = taken(NewRefund)
const newCustomer = taken(NewCustomer)

export const makePayments = (world: FakeWorld) => {
  const { books, url } = world
  const customers = new Map<string, unknown>()
  const cash = makeCashBalances(world, customers, signed)

  const shown = (entry: Entry) => intentOf(entry, url)

  const refundedOf = (paid: Entry): bigint =>
    books
      .all()
      .filter(({ kind, of, state }) => kind === "refund" && of === paid.id && state !== "failed")
      .reduce((sum, { asked }) => sum + asked.minor, 0n)

  /** With the whole charge where the request asks for it. */
  const expanded = (query: URLSearchParams) => (entry: Entry) => {
    const intent = shown(entry)
    const isWanted = query.getAll("expand[]").some((name) => name.endsWith("latest_charge"))
    const isPaid = intent["latest_charge"] !== null
    return isWanted && isPaid ? { ...intent, latest_charge: chargeOf(entry, refundedOf(entry)) } : intent
  }

  const cardRefused = (error: FakeError, entry?: Entry): FakeReply =>
    refused(402, { ...error, ...(entry === undefined ? {} : { payment_intent: shown(entry) }) })

  const create = (request: FakeRequest, intent: NewIntent, scenario: Scenario): FakeReply => {
    const money = moneyOf(intent.amount, intent.currency)
    if (money === undefined) return wrong(400, `Invalid currency: ${intent.currency}`)
    if (!isKnownMethod(intent)) return missing(intent.payment_method ?? "")
    const moved = cash.applied(intent)
    if (moved !== undefined) return moved
    if (scenario === "declined_provider") return wrong(400, "The amount is too large.", "amount_too_large")
    const isConfirmed = intent.confirm === "true"
    const isTransfer = intent.payment_method_data?.type === "customer_balance"
    if (isTransfer && !customers.has(intent.customer ?? "")) return missing(intent.customer ?? "")
    if (isConfirmed && intent.payment_method === undefined && intent.payment_method_data === undefined) {
      return wrong(400, "There is no payment method to confirm it with.", "payment_intent_unexpected_state")
    }
    const decline = declineOf(intent) ?? (scenario === "declined_instrument" ? genericDecline : undefined)
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

  /** Confirms like a page with Stripe's fields, with the secret of the intent. */
  const confirm = (entry: Entry, body: string): FakeReply =>
    Either.merge(
      Either.map(confirmation(body), (paying) => {
        if (paying.client_secret !== undefined && paying.client_secret !== secretOf(entry.id)) return missing(entry.id)
        if (statusOf(entry) !== "requires_payment_method" || entry.state !== "waiting") {
          return wrong(400, "It cannot be confirmed.", "payment_intent_unexpected_state")
        }
        if (!isKnownMethod(paying)) return missing(paying.payment_method ?? "")
        const kept = keptOf(entry)
        const decline = declineOf(paying) ?? (entry.scenario === "declined_instrument" ? genericDecline : undefined)
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
      message: `It cannot be canceled: it is ${statusOf(entry)}.`,
      payment_intent: shown(entry)
    })
  }

  const refundable = ({ charge, payment_intent }: Readonly<Record<string, unknown>>): Entry | undefined =>
    typeof payment_intent === "string"
      ? books.byId(payment_intent)
      : books.all().find(({ id, kind }) => kind === "payin" && idOf("ch", id) === charge)

  const refund = (request: FakeRequest, scenario: Scenario): FakeReply =>
    Either.merge(
      Either.map(newRefund(request.body), ({ amount, charge, metadata, payment_intent }) => {
        const paid = refundable({ charge, payment_intent })
        if (paid?.kind !== "payin") return missing(payment_intent ?? charge ?? "")
        if (paid.state !== "completed") return wrong(400, "There is nothing to give back.")
        const left = paid.moved.minor - refundedOf(paid)
        if (left === 0n) return wrong(400, "All of it was given back before.", "charge_already_refunded")
        const money = amount === undefined ? paid.moved : moneyOf(amount, paid.moved.currency)
        if (money === undefined || money.minor > left) return wrong(400, "There is not so much left to give back.")
        if (scenario === "declined_provider" || scenario === "declined_instrument") {
          return wrong(400, "The balance does not hold so much.", "balance_insufficient")
        }
        const reference = metadata?.["reference"] ?? request.headers["idempotency-key"] ?? sha256Hex(request.body)
        const kept = { metadata: metadata ?? {} }
        const made = world.take({ id: idOf("re", reference), reference, kind: "refund", money, of: paid.id, kept })
        world.callBack(world.callbackUrl, () =>
          signed("charge.refunded", chargeOf(paid, refundedOf(paid)), made.id, world)
        )
        return ok(refundOf(made))
      })
    )

  const customer = (request: FakeRequest): FakeReply =>
    Either.merge(
      Either.map(newCustomer(request.body), (about) => {
        const id = idOf("cus", request.headers["idempotency-key"] ?? request.body)
        const created = Math.floor(world.now().getTime() / 1000)
        const made = { id, object: "customer", created, livemode: false, metadata: {}, ...about }
        customers.set(id, made)
        return ok(made)
      })
    )

  return { expanded, create, confirm, cancel, refund, refundable, customer, cash }
}

const newIntent = taken(NewIntent)
const nothing = taken(Nothing)

const routes = (world: FakeWorld): ReadonlyArray<FakeRoute> => {
  const { books, url } = world
  const once = remembering()
  const payments = makePayments(world)

  const onEntry =
    (kind: Entry["kind"], answer: (entry: Entry, request: FakeRequest) => FakeReply): FakeRoute["answer"] =>
    (request) => {
      const entry = books.byId(request.params["id"] ?? "")
      return entry?.kind !== kind || !isThere(entry) ? missing(request.params["id"] ?? "") : answer(entry, request)
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
        answer: (request: FakeRequest, scenario: Scenario) =>
          Either.merge(
            Either.map(newIntent(request.body), (intent) =>
              once(request, () => payments.create(request, intent, scenario))
            )
          )
      },
      {
        method: "GET",
        path: "/v1/payment_intents",
        answer: ({ path, query }: FakeRequest) =>
          list(path, newestFirst(books, "payin").filter(madeBetween(query)), query, payments.expanded(query))
      },
      {
        method: "GET",
        path: "/v1/payment_intents/search",
        answer: ({ path, query }: FakeRequest) =>
          ok({
            object: "search_result",
            url: path,
            has_more: false,
            next_page: null,
            data: named(books, query).map(payments.expanded(query))
          })
      },
      {
        method: "GET",
        path: "/v1/payment_intents/:id",
        answer: onEntry("payin", (entry, { query }) => ok(payments.expanded(query)(entry)))
      },
      {
        method: "POST",
        path: "/v1/payment_intents/:id/confirm",
        answer: onEntry("payin", (entry, { body }) => payments.confirm(entry, body))
      },
      {
        method: "POST",
        path: "/v1/payment_intents/:id/cancel",
        answer: onEntry("payin", (entry, { body }) =>
          Either.merge(Either.map(nothing(body), () => payments.cancel(entry)))
        )
      },
      {
        method: "POST",
        path: "/v1/refunds",
        moves: ({ body }: FakeRequest) => {
          const { amount, ...of } = formIn(body)
          return moneyOf(amount, payments.refundable(of)?.asked.currency)
        },
        answer: (request: FakeRequest, scenario: Scenario) => once(request, () => payments.refund(request, scenario))
      },
      {
        method: "GET",
        path: "/v1/refunds",
        answer: ({ path, query }: FakeRequest) => {
          const of = query.get("payment_intent")
          const byHand = books.byId(of ?? "")
          const made = newestFirst(books, "refund").filter((entry) => entry.of === of)
          const shown = (entry: Entry) =>
            entry === byHand ? refundByHandOf(entry, keptOf(entry).byHand ?? entry.moved) : refundOf(entry)
          const all = byHand === undefined || keptOf(byHand).byHand === undefined ? made : [byHand, ...made]
          return list(path, all, query, shown)
        }
      },
      {
        method: "GET",
        path: "/v1/disputes",
        answer: ({ path, query }: FakeRequest) => {
          const disputed = books.byId(query.get("payment_intent") ?? "")
          const all = disputed === undefined || keptOf(disputed).dispute === undefined ? [] : [disputed]
          return list(path, all, query, (entry) => disputeOf(entry, keptOf(entry).dispute))
        }
      },
      { method: "GET", path: "/v1/refunds/:id", answer: onEntry("refund", (entry) => ok(refundOf(entry))) },
      ...accountRoutes(),
      {
        method: "POST",
        path: "/v1/customers",
        answer: (request: FakeRequest) => once(request, () => payments.customer(request))
      },
      ...payments.cash.routes
    ].map(guarded),
    { method: "GET", path: "/hosted/authenticate/:id", answer: authenticate },
    ...sessionRoutes(world, payments.expanded)
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
  if (isCash(entry)) return cashEventOf(entry)
  if (entry.kind === "refund") return ["charge.refund.updated", refundOf(entry)]
  if (entry.state === "returned") return ["charge.dispute.funds_withdrawn", disputeOf(entry)]
  if (entry.state === "failed" && keptOf(entry).session !== undefined) {
    return ["checkout.session.expired", sessionOf(entry, url)]
  }
  return [typesByStatus[statusOf(entry)] ?? "payment_intent.created", intentOf(entry, url)]
}

export const signed = (type: string, object: unknown, about: string, world: FakeWorld): FakeCallback => {
  const time = `${Math.floor(world.now().getTime() / 1000)}`
  const body = JSON.stringify({
    id: idOf("evt", `${about} ${type}`),
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

/** The money is withdrawn as soon as a dispute is opened. */
const disputeEvents: Readonly<Record<Dispute["stage"], ReadonlyArray<string>>> = {
  opened: ["charge.dispute.created", "charge.dispute.funds_withdrawn"],
  won: ["charge.dispute.funds_reinstated", "charge.dispute.closed"],
  lost: ["charge.dispute.closed"]
}

export const stripeFake: Fake = {
  name: "stripe",
  credentials,
  routes,
  callbackOf: (entry, world) => {
    const [type, object] = eventOf(entry, world.url)
    return signed(type, object, `${entry.id} ${entry.state}`, world)
  },
  disputes: {
    takes: "at once",
    callbacksOf: ({ of, ...dispute }, world) => {
      keptOf(of).dispute = dispute
      return disputeEvents[dispute.stage].map((type) =>
        signed(type, disputeOf(of, dispute), `dispute of ${of.id}`, world)
      )
    }
  },
  refundedByHand: (of, money, world) => {
    keptOf(of).byHand = money
    return signed("charge.refunded", chargeOf(of, 0n), `refund by hand of ${of.id}`, world)
  }
}
