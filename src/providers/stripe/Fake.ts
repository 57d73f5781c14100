/** A Stripe to try Corridor with: it speaks Stripe's wire, checks what it is sent as Stripe does, and signs its callbacks. */
import { Either } from "effect"
import type { Dispute, Fake, FakeCallback, FakeReply, FakeRequest, FakeRoute, FakeWorld } from "../fakes/Fake.ts"
import type { Entry } from "../fakes/FakeBooks.ts"
import type { Fate } from "../fakes/Magic.ts"
import { formIn, NewIntent, Nothing, taken } from "./FakeForms.ts"
import { disputeOf, idOf, intentOf, keptOf, refundByHandOf, refundOf, secretOf, statusOf } from "./FakeIntents.ts"
import { list, madeBetween, named, newestFirst } from "./FakeLists.ts"
import { makePayments } from "./FakePayments.ts"
import { credentials, guarded, missing, moneyOf, ok, remembering } from "./FakeRoutes.ts"
import { signatureOf } from "./StripeCallbacks.ts"

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
      return entry?.kind !== kind ? missing(request.params["id"] ?? "") : answer(entry, request)
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
            Either.map(newIntent(request.body), (intent) => once(request, () => payments.create(request, intent, fate)))
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
        answer: (request: FakeRequest, fate: Fate) => once(request, () => payments.refund(request, fate))
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
      {
        method: "POST",
        path: "/v1/customers",
        answer: (request: FakeRequest) => once(request, () => payments.customer(request))
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

const signed = (type: string, object: unknown, about: string, world: FakeWorld): FakeCallback => {
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
    return signed("refund.created", refundByHandOf(of, money), `refund by hand of ${of.id}`, world)
  }
}
