/** A fake of Coinbase's Developer Platform that speaks its wire: tokens of two minutes, keys in a header, signed webhooks. */
import { Either, Option, Schema } from "effect"
import type { Money } from "../../src/domain/Money.ts"
import {
  type Fake,
  type FakeReply,
  type FakeRequest,
  type FakeRoute,
  type FakeWorld,
  authorizedBy,
  jsonBody
} from "./Fake.ts"
import type { Entry } from "./FakeLedger.ts"
import type { Scenario } from "./MagicAmounts.ts"
import { moneyOfMajor } from "../../src/providers/client/WireValues.ts"
import {
  accountId,
  credentials,
  isAuthentic,
  signatureOf,
  DestinationBody,
  fakeUuid,
  TransferBody,
  transferIdOf,
  writeDestination,
  writeTransfer
} from "./CoinbaseFakeBodies.ts"

const problem = (status: number, errorType: string, errorMessage: string): FakeReply => ({
  status,
  body: { errorType, errorMessage, correlationId: "41deb8d59a9dc9a7-IAD" }
})

const decodeTransfer = Schema.decodeUnknownEither(TransferBody)
const decodeDestination = Schema.decodeUnknownEither(DestinationBody)

const uuidV4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i

/** The same answer for a key and its body; another body under the same key is an error. */
const makeKeys = () => {
  const known = new Map<string, { readonly body: string; readonly reply: FakeReply }>()
  return (request: FakeRequest, answer: (key: string) => FakeReply): FakeReply => {
    const key = request.headers["x-idempotency-key"]
    if (key === undefined || !uuidV4.test(key)) {
      return problem(400, "invalid_request", "X-Idempotency-Key must be a UUID of version 4.")
    }
    const kept = known.get(`${request.path} ${key}`)
    if (kept !== undefined) {
      return kept.body === request.body
        ? kept.reply
        : problem(422, "idempotency_error", "The idempotency key was used with other parameters.")
    }
    const reply = answer(key)
    if (reply.status < 300) known.set(`${request.path} ${key}`, { body: request.body, reply })
    return reply
  }
}

const ordered = (request: FakeRequest): Money | undefined =>
  Either.match(decodeTransfer(jsonBody(request)), {
    onLeft: () => undefined,
    onRight: ({ amount, asset }) => Option.getOrUndefined(moneyOfMajor(amount, asset))
  })

/** Sum that the customer will pay to the address: as much as its owner noted with it. */
const expected = (request: FakeRequest): Money | undefined =>
  Either.match(decodeDestination(jsonBody(request)), {
    onLeft: () => undefined,
    onRight: ({ metadata, target }) =>
      Option.getOrUndefined(moneyOfMajor(metadata?.["amount"] ?? "", target?.asset ?? ""))
  })

const createTransfer = (world: FakeWorld, request: FakeRequest, scenario: Scenario, key: string): FakeReply => {
  const body = decodeTransfer(jsonBody(request))
  const money = ordered(request)
  if (Either.isLeft(body)) return problem(400, "invalid_request", body.left.message)
  if (body.right.source.accountId !== accountId) return problem(400, "source_account_not_found", "No such account.")
  if (money === undefined) return problem(400, "transfer_asset_not_supported", "The asset is not supported.")
  if (scenario === "declined_instrument")
    return problem(400, "target_onchain_address_invalid", "The address is invalid.")
  if (scenario === "declined_provider") return problem(400, "insufficient_balance", "The balance is too low.")
  const entry = world.take({
    id: `transfer_${fakeUuid(key)}`,
    reference: key,
    kind: "payout",
    money,
    kept: { body: body.right }
  })
  return { status: 200, body: writeTransfer(entry) }
}

const createDestination = (world: FakeWorld, request: FakeRequest, key: string): FakeReply => {
  const body = decodeDestination(jsonBody(request))
  const money = expected(request)
  if (Either.isLeft(body)) return problem(400, "invalid_request", body.left.message)
  if (body.right.accountId !== accountId) return problem(404, "not_found", "No such account.")
  if (money === undefined) return problem(400, "invalid_request", "The fake's customer must know how much to pay.")
  const id = `depositDestination_${fakeUuid(key)}`
  const entry = world.take({ id, reference: key, kind: "payin", money, kept: { body: body.right } })
  return { status: 201, body: writeDestination(entry) }
}

const paged = (name: string, all: ReadonlyArray<unknown>, query: URLSearchParams): FakeReply => {
  const start = Number(query.get("pageToken") ?? "0")
  const end = start + Number(query.get("pageSize") ?? "20")
  return {
    status: 200,
    body: { [name]: all.slice(start, end), ...(end < all.length ? { nextPageToken: `${end}` } : {}) }
  }
}

/** Unpaid deposits are no transfers. */
const isTransfer = ({ kind, state }: Entry): boolean => kind === "payout" || state === "completed" || state === "failed"

const listTransfers = ({ books }: FakeWorld, { query }: FakeRequest): FakeReply => {
  const [source, target, after] = ["sourceAccountId", "targetAccountId", "createdAfter"].map((name) => query.get(name))
  const isWanted = (entry: Entry): boolean =>
    isTransfer(entry) &&
    (source === null || (entry.kind === "payout" && source === accountId)) &&
    (target === null || (entry.kind === "payin" && target === accountId)) &&
    ((after ?? null) === null || entry.createdAt.getTime() >= Date.parse(after ?? ""))
  return paged("transfers", books.all().filter(isWanted).toReversed().map(writeTransfer), query)
}

const account = {
  accountId,
  type: "prime",
  owner: "entity_af2937b0-9846-4fe7-bfe9-ccc22d935114",
  name: "Corridor",
  createdAt: "2025-01-01T00:00:00Z",
  updatedAt: "2025-01-01T00:00:00Z"
}

const balance = {
  asset: { symbol: "usdc", type: "crypto", name: "USD Coin", decimals: 6 },
  amount: { usdc: { available: "1000000", total: "1000000" }, usd: { available: "1000000", total: "1000000" } }
}

const SubscriptionBody = Schema.Struct({
  description: Schema.optional(Schema.String.pipe(Schema.maxLength(100))),
  eventTypes: Schema.NonEmptyArray(Schema.String.pipe(Schema.pattern(/^[a-z]+\.[a-z_]+\.[a-z_]+$/))),
  isEnabled: Schema.Boolean,
  target: Schema.Struct({ url: Schema.String.pipe(Schema.pattern(/^https:\/\/|^http:\/\/127\.0\.0\.1[:/]/)) })
})
const decodeSubscription = Schema.decodeUnknownEither(SubscriptionBody, { onExcessProperty: "error" })

/** Callbacks are signed with one secret, whatever is subscribed. */
const subscriptions = (world: FakeWorld): ReadonlyArray<FakeRoute> => {
  const all = new Map<string, { readonly createdAt: string; body: typeof SubscriptionBody.Type }>()
  const shown = (subscriptionId: string) => {
    const { body, createdAt } = all.get(subscriptionId)!
    return { subscriptionId, ...body, createdAt, secret: credentials.webhook_secret }
  }
  const notFound = problem(404, "not_found", "Webhook subscription not found.")
  const written = (id: string, status: number, request: FakeRequest): FakeReply =>
    Either.match(decodeSubscription(jsonBody(request)), {
      onLeft: ({ message }) => problem(400, "invalid_request", message),
      onRight: (body) => {
        all.set(id, { createdAt: all.get(id)?.createdAt ?? world.now().toISOString(), body })
        return { status, body: shown(id) }
      }
    })
  const path = "/v2/data/webhooks/subscriptions"
  return [
    { method: "GET", path, answer: ({ query }) => paged("subscriptions", [...all.keys()].map(shown), query) },
    { method: "POST", path, answer: (request) => written(fakeUuid(`subscription ${all.size}`), 201, request) },
    {
      method: "GET",
      path: `${path}/:id`,
      answer: ({ params: { id = "" } }) => (all.has(id) ? { status: 200, body: shown(id) } : notFound)
    },
    {
      method: "PUT",
      path: `${path}/:id`,
      answer: (request) =>
        all.has(request.params["id"] ?? "") ? written(request.params["id"] ?? "", 200, request) : notFound
    }
  ]
}

export const coinbaseFake: Fake = {
  name: "coinbase",
  credentials,
  routes: (world) => {
    const once = makeKeys()
    const guarded = authorizedBy(
      (request) => isAuthentic(request, world.now()),
      problem(401, "unauthorized", "The request is not properly authenticated.")
    )
    // Second payment to an address: a transfer beside the first, and no destination.
    const payins = () => world.books.all().filter(({ kind, of }) => kind === "payin" && of === null)
    return [
      {
        method: "POST",
        path: "/v2/transfers",
        moves: ordered,
        answer: guarded((request, scenario) => once(request, (key) => createTransfer(world, request, scenario, key)))
      },
      { method: "GET", path: "/v2/transfers", answer: guarded((request) => listTransfers(world, request)) },
      {
        method: "GET",
        path: "/v2/transfers/:id",
        answer: guarded(({ params }) => {
          const entry = world.books.all().find((one) => isTransfer(one) && transferIdOf(one) === params["id"])
          return entry === undefined
            ? problem(404, "not_found", "Transfer not found.")
            : { status: 200, body: writeTransfer(entry) }
        })
      },
      {
        method: "POST",
        path: "/v2/deposit-destinations",
        moves: expected,
        answer: guarded((request) => once(request, (key) => createDestination(world, request, key)))
      },
      {
        method: "GET",
        path: "/v2/deposit-destinations",
        answer: guarded(({ query }) => paged("depositDestinations", payins().toReversed().map(writeDestination), query))
      },
      {
        method: "GET",
        path: "/v2/deposit-destinations/:id",
        answer: guarded(({ params }) => {
          const entry = payins().find(({ id }) => id === params["id"])
          return entry === undefined
            ? problem(404, "not_found", "Deposit destination not found.")
            : { status: 200, body: writeDestination(entry) }
        })
      },
      {
        method: "GET",
        path: "/v2/accounts",
        answer: guarded(({ query }) => paged("accounts", [account], query))
      },
      {
        method: "GET",
        path: "/v2/accounts/:id/balances",
        answer: guarded(({ params }) =>
          params["id"] === accountId
            ? { status: 200, body: { balances: [balance] } }
            : problem(404, "not_found", "Account not found.")
        )
      },
      ...subscriptions(world).map((route) => ({ ...route, answer: guarded(route.answer) }))
    ]
  },
  callbackOf: (entry, world) => {
    const transfer = writeTransfer(entry)
    const eventType = `payments.transfers.${transfer.status}`
    const eventID = fakeUuid(`${entry.id} ${transfer.status}`)
    const body = JSON.stringify({
      eventID,
      eventType,
      timestamp: entry.createdAt.toISOString(),
      data: transfer
    })
    const headers = { "content-type": "application/json", "x-event-id": eventID, "x-event-type": eventType }
    return { headers: { ...headers, "x-hook0-signature": signatureOf(headers, body, world.now()) }, body }
  }
}
