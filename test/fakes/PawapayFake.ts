/** A fake of pawaPay that speaks its wire: ids of the caller's, verdicts with HTTP 200, signed callbacks. */
import { Either, Option, Schema } from "effect"
import type { Money } from "../../src/domain/Money.ts"
import {
  type Fake,
  type FakeReply,
  type FakeRequest,
  type FakeRoute,
  type FakeWorld,
  authorizedBy,
  hasBearer,
  jsonBody
} from "./Fake.ts"
import type { Entry } from "./FakeLedger.ts"
import type { Scenario } from "./MagicAmounts.ts"
import { moneyOfMajor } from "../../src/providers/client/WireValues.ts"
import { listed } from "../../src/providers/pawapay/PawapayCorridors.ts"
import {
  DepositBody,
  moneyIn,
  type Ordered,
  PayoutBody,
  RefundBody,
  rejectionOf,
  writeTransaction,
  keyId,
  publicPem,
  signedHeaders
} from "./PawapayFakeBodies.ts"

const apiToken = "fake-pawapay-api-token"

const problem = (status: number, errorCode: number, errorMessage: string): FakeReply => ({
  status,
  body: { errorId: "4f0d5e13-7e88-4cc6-827c-8c0640dc2cd3", errorCode, errorMessage }
})

const decodeDeposit = Schema.decodeUnknownEither(DepositBody)
const decodePayout = Schema.decodeUnknownEither(PayoutBody)
const decodeRefund = Schema.decodeUnknownEither(RefundBody)

const readDeposit = (body: unknown): Either.Either<Ordered, string> =>
  Either.mapBoth(decodeDeposit(body), {
    onLeft: ({ message }) => message,
    onRight: ({ depositId: id, payer, ...rest }) => ({ id, phone: payer.address.value, body: rest })
  })

const readPayout = (body: unknown): Either.Either<Ordered, string> =>
  Either.mapBoth(decodePayout(body), {
    onLeft: ({ message }) => message,
    onRight: ({ payoutId: id, recipient, ...rest }) => ({ id, phone: recipient.address.value, body: rest })
  })

const guarded = authorizedBy(hasBearer(apiToken), problem(401, 2, "Authentication error"))

const creation = (name: string, id: string, status: string, rest: object): FakeReply => ({
  status: 200,
  body: { [name]: id, status, ...rest }
})

const rejected = (name: string, id: string, rejectionCode: string): FakeReply =>
  creation(name, id, "REJECTED", { rejectionReason: { rejectionCode, rejectionMessage: `Rejected: ${rejectionCode}` } })

const declines = {
  deposit: { declined_instrument: "INVALID_PAYER_FORMAT", declined_provider: "CORRESPONDENT_TEMPORARILY_UNAVAILABLE" },
  payout: { declined_instrument: "INVALID_RECIPIENT_FORMAT", declined_provider: "BALANCE_INSUFFICIENT" },
  refund: { declined_instrument: "REFUNDS_NOT_ALLOWED", declined_provider: "CORRESPONDENT_TEMPORARILY_UNAVAILABLE" }
} as const

const declineOf = (kind: keyof typeof declines, scenario: Scenario): string | undefined =>
  scenario === "declined_instrument" || scenario === "declined_provider" ? declines[kind][scenario] : undefined

const entryKinds = { deposit: "payin", payout: "payout", refund: "refund" } as const

const create =
  (
    world: FakeWorld,
    kind: "deposit" | "payout",
    name: string,
    read: (body: unknown) => Either.Either<Ordered, string>
  ) =>
  (request: FakeRequest, scenario: Scenario): FakeReply => {
    const order = read(jsonBody(request))
    if (Either.isLeft(order)) return problem(400, 1, `Invalid input: ${order.left}`)
    const { body, id, phone } = order.right
    const created = world.now().toISOString()
    const known = world.books.byReference(entryKinds[kind], id)
    if (known !== undefined) return creation(name, id, "DUPLICATE_IGNORED", { created: known.kept["created"] })
    const money = moneyIn(request)
    const refusal = rejectionOf(kind, order.right) ?? declineOf(kind, scenario)
    if (refusal !== undefined || money === undefined) return rejected(name, id, refusal ?? "INVALID_CURRENCY")
    world.take({ id, reference: id, kind: entryKinds[kind], money, kept: { body, phone, created } })
    return creation(name, id, "ACCEPTED", { created })
  }

const givenBack = (world: FakeWorld, deposit: Entry): bigint =>
  world.books
    .all()
    .filter(({ of, state }) => of === deposit.id && state !== "failed")
    .reduce((sum, { asked }) => sum + asked.minor, 0n)

const refundMoney = (world: FakeWorld, request: FakeRequest): Money | undefined => {
  const body = decodeRefund(jsonBody(request))
  if (Either.isLeft(body)) return undefined
  const deposit = world.books.byReference("payin", body.right.depositId)
  if (deposit === undefined) return undefined
  return body.right.amount === undefined
    ? deposit.moved
    : Option.getOrUndefined(moneyOfMajor(body.right.amount, deposit.asked.currency))
}

const refund =
  (world: FakeWorld) =>
  (request: FakeRequest, scenario: Scenario): FakeReply => {
    const body = decodeRefund(jsonBody(request))
    if (Either.isLeft(body)) return problem(400, 1, `Invalid input: ${body.left.message}`)
    const { depositId, metadata, refundId: id } = body.right
    const created = world.now().toISOString()
    const known = world.books.byReference("refund", id)
    if (known !== undefined) return creation("refundId", id, "DUPLICATE_IGNORED", { created: known.kept["created"] })
    const deposit = world.books.byReference("payin", depositId)
    if (deposit === undefined) return rejected("refundId", id, "DEPOSIT_NOT_FOUND")
    if (deposit.state !== "completed") return rejected("refundId", id, "DEPOSIT_NOT_COMPLETED")
    const money = refundMoney(world, request)
    const left = deposit.moved.minor - givenBack(world, deposit)
    if (left === 0n) return rejected("refundId", id, "ALREADY_REFUNDED")
    if (money === undefined) return rejected("refundId", id, "INVALID_AMOUNT")
    if (money.minor > left) return rejected("refundId", id, "AMOUNT_TOO_LARGE")
    const refusal = declineOf("refund", scenario)
    if (refusal !== undefined) return rejected("refundId", id, refusal)
    const kept = { ...deposit.kept, body: { ...(deposit.kept["body"] as object), metadata }, created }
    world.take({ id, reference: id, kind: "refund", money, of: deposit.id, kept })
    return creation("refundId", id, "ACCEPTED", { created })
  }

const lookUp =
  (world: FakeWorld, kind: Entry["kind"]): FakeRoute["answer"] =>
  ({ params }) => {
    const entry = world.books.byReference(kind, params["id"] ?? "")
    return { status: 200, body: entry === undefined ? [] : [writeTransaction(entry)] }
  }

const configuration = {
  merchantId: "CORRIDOR_FAKE",
  merchantName: "Corridor",
  countries: [...new Set(listed.map(({ alpha3 }) => alpha3))].map((country) => ({
    country,
    correspondents: listed
      .filter(({ alpha3 }) => alpha3 === country)
      .map(({ code: correspondent, currency }) => ({
        correspondent,
        currency,
        ownerName: "Corridor",
        operationTypes: ["DEPOSIT", "PAYOUT", "REFUND"].map((operationType) => ({
          operationType,
          minTransactionLimit: "1",
          maxTransactionLimit: "1000000"
        }))
      }))
  }))
}

const wallets = {
  balances: [...new Map(listed.map(({ alpha3, currency }) => [alpha3, currency]))].map(([country, currency]) => ({
    country,
    balance: "1000000.00",
    currency,
    mno: ""
  }))
}

export const pawapayFake: Fake = {
  name: "pawapay",
  credentials: { api_token: apiToken },
  routes: (world) => [
    {
      method: "POST",
      path: "/deposits",
      moves: moneyIn,
      answer: guarded(create(world, "deposit", "depositId", readDeposit))
    },
    { method: "GET", path: "/deposits/:id", answer: guarded(lookUp(world, "payin")) },
    {
      method: "POST",
      path: "/payouts",
      moves: moneyIn,
      answer: guarded(create(world, "payout", "payoutId", readPayout))
    },
    { method: "GET", path: "/payouts/:id", answer: guarded(lookUp(world, "payout")) },
    {
      method: "POST",
      path: "/refunds",
      moves: (request) => refundMoney(world, request),
      answer: guarded(refund(world))
    },
    { method: "GET", path: "/refunds/:id", answer: guarded(lookUp(world, "refund")) },
    { method: "GET", path: "/active-conf", answer: guarded(() => ({ status: 200, body: configuration })) },
    { method: "GET", path: "/v1/wallet-balances", answer: guarded(() => ({ status: 200, body: wallets })) },
    { method: "GET", path: "/public-key/http", answer: () => ({ status: 200, body: [{ id: keyId, key: publicPem }] }) }
  ],
  callbackOf: (entry, world) => {
    if (entry.state === "waiting" || entry.state === "processing") return undefined
    const body = JSON.stringify(writeTransaction(entry))
    return { headers: signedHeaders(world.callbackUrl, body, world.now()), body }
  }
}
