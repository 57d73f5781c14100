/** A fake of Circle Mint that speaks its wire: everything in `data`, keys in bodies, callbacks as Amazon SNS sends them. */
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
import { depositAddress } from "../../src/providers/sandbox/SimulatorAnswers.ts"
import { moneyOfCircle, derivedUuid, networkOfChain } from "../../src/providers/circle/CircleRequests.ts"
import {
  AddressBody,
  ChainTransfer,
  type FakeRecipient,
  IntentBody,
  MockWire,
  RecipientBody,
  TransferBody,
  WireBody,
  writeArrival,
  writeDeposit,
  writeIntent,
  writePayment,
  writeTransfer,
  fakeSigner
} from "./CircleFakeBodies.ts"
import { moneyOfMajor } from "../../src/providers/client/WireValues.ts"
import type { SnsMessage } from "../../src/providers/circle/CircleSignatures.ts"

const apiKey = "SAND_API_KEY:fake:circle"

const topic = "arn:aws:sns:us-east-1:908968368384:sandbox_platform-notifications-topic"

const problem = (status: number, message: string, code = status): FakeReply => ({ status, body: { code, message } })

const decodeIntent = Schema.decodeUnknownEither(IntentBody)
const decodeRecipient = Schema.decodeUnknownEither(RecipientBody)
const decodeTransfer = Schema.decodeUnknownEither(TransferBody)
const decodeAddress = Schema.decodeUnknownEither(AddressBody, { onExcessProperty: "error" })
const decodeChainTransfer = Schema.decodeUnknownEither(ChainTransfer, { onExcessProperty: "error" })
const decodeWire = Schema.decodeUnknownEither(WireBody, { onExcessProperty: "error" })
const decodeMockWire = Schema.decodeUnknownEither(MockWire, { onExcessProperty: "error" })
const decodeAmount = Schema.decodeUnknownOption(
  Schema.Struct({ amount: Schema.Struct({ amount: Schema.String, currency: Schema.String }) })
)

const moneyIn = (request: FakeRequest): Money | undefined =>
  Option.getOrUndefined(Option.flatMap(decodeAmount(jsonBody(request)), ({ amount }) => moneyOfCircle(amount)))

const guarded = authorizedBy(hasBearer(apiKey), problem(401, "Malformed authorization."))

/** One body for a key: the same is answered as before, another is a conflict. */
const makeKeys = () => {
  const bodies = new Map<string, string>()
  return (kind: string, key: string, { body }: FakeRequest): "new" | "same" | "other" => {
    const known = bodies.get(`${kind} ${key}`)
    if (known === undefined) bodies.set(`${kind} ${key}`, body)
    return known === undefined ? "new" : known === body ? "same" : "other"
  }
}

const conflict = problem(409, "The idempotency key was used for another request.")

const isDeposit = ({ kept }: Entry): boolean => kept["wire"] !== undefined

const isArrival = ({ kept }: Entry): boolean => kept["address"] !== undefined

/** The payment of an intent, and whatever else was paid to its address or given back of it. */
const movedUnder = ({ books }: FakeWorld, { id }: Entry): ReadonlyArray<Entry> =>
  books.all().filter((one) => (one.id === id || one.of === id) && one.state === "completed")

const intents = (world: FakeWorld, seen: ReturnType<typeof makeKeys>): ReadonlyArray<FakeRoute> => {
  const create = (request: FakeRequest): FakeReply => {
    const body = decodeIntent(jsonBody(request))
    const money = moneyIn(request)
    if (Either.isLeft(body)) return problem(400, body.left.message, 2)
    if (money === undefined) return problem(400, "The amount is invalid.", 2)
    const { idempotencyKey, paymentMethods, type } = body.right
    if (seen("intent", idempotencyKey, request) === "other") return conflict
    const id = derivedUuid("fake intent", idempotencyKey)
    // Without a type it is continuous: it takes whatever comes, and is never complete.
    const isContinuous = type !== "transient"
    const kept = { chain: paymentMethods[0].chain, isContinuous }
    const order = { id, reference: idempotencyKey, kind: "payin", money, kept, waits: isContinuous } as const
    const entry = world.takeOnce(order)
    return { status: 201, body: { data: writeIntent(entry, movedUnder(world, entry), true) } }
  }
  return [
    { method: "POST", path: "/v1/paymentIntents", moves: moneyIn, answer: guarded(create) },
    {
      method: "GET",
      path: "/v1/paymentIntents/:id",
      answer: guarded(({ params }) => {
        const entry = world.books.byId(params["id"] ?? "")
        return entry?.kind === "payin" && entry.of === null && !isArrival(entry) && !isDeposit(entry)
          ? { status: 200, body: { data: writeIntent(entry, movedUnder(world, entry)) } }
          : problem(404, "Not found.")
      })
    },
    {
      method: "GET",
      path: "/v1/payments",
      answer: guarded(({ query }) => {
        const entry = world.books.byId(query.get("paymentIntentId") ?? "")
        const data = entry?.kind === "payin" ? movedUnder(world, entry).map((one) => writePayment(one, entry)) : []
        return { status: 200, body: { data } }
      })
    }
  ]
}

const pageOf = <A extends { readonly id: string }>(all: ReadonlyArray<A>, query: URLSearchParams): ReadonlyArray<A> => {
  const start = all.findIndex(({ id }) => id === query.get("pageAfter")) + 1
  return all.slice(start, start + Number(query.get("pageSize") ?? "50"))
}

const writeMoved = (entry: Entry) => (isArrival(entry) ? writeArrival(entry) : writeTransfer(entry))

const transfers = (world: FakeWorld, seen: ReturnType<typeof makeKeys>): ReadonlyArray<FakeRoute> => {
  const recipients = new Map<string, FakeRecipient>()
  const addRecipient = (request: FakeRequest): FakeReply => {
    const body = decodeRecipient(jsonBody(request))
    if (Either.isLeft(body)) return problem(400, body.left.message, 2)
    const { address, chain, currency, description, idempotencyKey } = body.right
    const id = derivedUuid("fake recipient", chain, address)
    const key = seen("recipient", idempotencyKey, request)
    if (key === "other" || (key === "new" && recipients.has(id))) return conflict
    const recipient = { id, address, chain, currency: currency ?? "USD", description, status: "active" }
    recipients.set(id, recipient)
    return { status: 200, body: { data: recipient } }
  }
  const create = (request: FakeRequest, scenario: Scenario): FakeReply => {
    const body = decodeTransfer(jsonBody(request))
    const money = moneyIn(request)
    if (Either.isLeft(body)) return problem(400, body.left.message, 2)
    if (money === undefined) return problem(400, "The amount is invalid.", 2)
    const { destination, idempotencyKey } = body.right
    const recipient = recipients.get(destination.addressId)
    if (recipient === undefined) return problem(404, "Address not found.")
    if (seen("transfer", idempotencyKey, request) === "other") return conflict
    const id = derivedUuid("fake transfer", idempotencyKey)
    const entry = world.takeOnce({ id, reference: idempotencyKey, kind: "payout", money, kept: { recipient } })
    if (scenario === "declined_instrument" || scenario === "declined_provider") entry.state = "failed"
    return { status: 201, body: { data: writeTransfer(entry) } }
  }
  const path = "/v1/businessAccount/transfers"
  const recipientPath = "/v1/businessAccount/wallets/addresses/recipient"
  return [
    { method: "POST", path: recipientPath, answer: guarded(addRecipient) },
    {
      method: "GET",
      path: recipientPath,
      answer: guarded(({ query }) => ({ status: 200, body: { data: pageOf([...recipients.values()], query) } }))
    },
    { method: "POST", path, moves: moneyIn, answer: guarded(create) },
    {
      method: "GET",
      path: `${path}/:id`,
      answer: guarded(({ params }) => {
        const entry = world.books.byId(params["id"] ?? "")
        return entry?.kind === "payout" || (entry !== undefined && isArrival(entry))
          ? { status: 200, body: { data: writeMoved(entry) } }
          : problem(404, "Not found.")
      })
    }
  ]
}

const deposits = (world: FakeWorld, seen: ReturnType<typeof makeKeys>): ReadonlyArray<FakeRoute> => {
  const addresses = new Map<string, { address: string; currency: string; chain: string }>()
  const create = (request: FakeRequest): FakeReply => {
    const body = decodeAddress(jsonBody(request))
    if (Either.isLeft(body)) return problem(400, body.left.message, 2)
    const { chain, currency, idempotencyKey } = body.right
    if (seen("address", idempotencyKey, request) === "other") return conflict
    const address = depositAddress(networkOfChain(chain) ?? "ETHEREUM", idempotencyKey)
    addresses.set(idempotencyKey, { address, currency, chain })
    return { status: 201, body: { data: { address, currency, chain } } }
  }
  const receive = (request: FakeRequest): FakeReply => {
    const body = decodeChainTransfer(jsonBody(request))
    if (Either.isLeft(body)) return problem(400, body.left.message, 2)
    const { address, amount, chain = "ETH", currency = "USD", sender } = body.right
    const money = Option.getOrThrow(moneyOfCircle({ amount, currency }))
    const id = derivedUuid("fake arrival", `${world.books.all().length}`)
    const kept = { address, chain, currency, ...(sender === undefined ? {} : { sender }) }
    world.take({ id, reference: id, kind: "payin", money, kept })
    return { status: 201, body: { data: { id } } }
  }
  const list = ({ query }: FakeRequest): FakeReply => {
    const from = new Date(query.get("from") ?? 0)
    const all = world.books
      .all()
      .filter((entry) => entry.createdAt >= from && (entry.kind === "payout" || isArrival(entry)))
      .toReversed()
    return { status: 200, body: { data: pageOf(all, query).map(writeMoved) } }
  }
  const path = "/v1/businessAccount/wallets/addresses/deposit"
  return [
    { method: "POST", path, answer: guarded(create) },
    { method: "GET", path, answer: guarded(() => ({ status: 200, body: { data: [...addresses.values()] } })) },
    { method: "GET", path: "/v1/businessAccount/transfers", answer: guarded(list) },
    { method: "POST", path: "/demo-chain/transfers", answer: guarded(receive) }
  ]
}

const wires = (world: FakeWorld, seen: ReturnType<typeof makeKeys>): ReadonlyArray<FakeRoute> => {
  const linked = new Map<string, typeof WireBody.Type>()
  const trackingRefOf = (id: string): string => `CIR${id.slice(0, 8).toUpperCase()}`
  const link = (request: FakeRequest): FakeReply => {
    const body = decodeWire(jsonBody(request))
    if (Either.isLeft(body)) return problem(400, body.left.message, 2)
    const { accountNumber, bankAddress, billingDetails, idempotencyKey, routingNumber } = body.right
    if (seen("wire", idempotencyKey, request) === "other") return conflict
    // One bank account is one, however often it is linked.
    const id = derivedUuid("fake wire", routingNumber, accountNumber)
    linked.set(id, body.right)
    const time = world.now().toISOString()
    const data = {
      ...{ id, status: "complete", description: `BANK ****${accountNumber.slice(-4)}`, trackingRef: trackingRefOf(id) },
      ...{ fingerprint: derivedUuid("fingerprint", id), billingDetails, bankAddress, createDate: time },
      ...{ updateDate: time, transferTypesInfo: { wire: { currencies: ["USD"] } } }
    }
    return { status: 201, body: { data } }
  }
  const instruct = ({ params }: FakeRequest): FakeReply => {
    const id = params["id"] ?? ""
    if (!linked.has(id)) return problem(404, "Not found.")
    const beneficiaryBank = {
      ...{ name: "FAKE BANK", swiftCode: "FAKEUS33XXX", routingNumber: "322286803", accountNumber: "11111111" },
      ...{ currency: "USD", address: "1 MONEY STREET", city: "BOSTON", postalCode: "02110", country: "US" }
    }
    const beneficiary = { name: "CIRCLE INTERNET FINANCIAL INC", address1: "99 HIGH STREET", address2: "BOSTON MA" }
    return { status: 200, body: { data: { trackingRef: trackingRefOf(id), beneficiary, beneficiaryBank } } }
  }
  const receive = (request: FakeRequest): FakeReply => {
    const body = decodeMockWire(jsonBody(request))
    if (Either.isLeft(body)) return problem(400, body.left.message, 2)
    const { amount, trackingRef } = body.right
    const money = Option.getOrUndefined(moneyOfMajor(amount.amount, amount.currency))
    if (money === undefined) return problem(400, "The amount is invalid.", 2)
    const id = derivedUuid("fake deposit", `${world.books.all().length}`)
    const wire = [...linked.keys()].find((one) => trackingRefOf(one) === trackingRef) ?? derivedUuid("somebody else")
    world.take({ id, reference: id, kind: "payin", money, kept: { wire } })
    return { status: 201, body: { data: { ...body.right, status: "pending" } } }
  }
  const list = ({ query }: FakeRequest): FakeReply => {
    const from = new Date(query.get("from") ?? 0)
    const all = world.books.all().filter((entry) => isDeposit(entry) && entry.createdAt >= from)
    return { status: 200, body: { data: pageOf(all.toReversed(), query).map(writeDeposit) } }
  }
  const path = "/v1/businessAccount/banks/wires"
  return [
    { method: "POST", path, answer: guarded(link) },
    { method: "GET", path: `${path}/:id/instructions`, answer: guarded(instruct) },
    { method: "GET", path: "/v1/businessAccount/deposits", answer: guarded(list) },
    { method: "POST", path: "/v1/mocks/payments/wire", answer: guarded(receive) }
  ]
}

const clientId = "eb941173-3261-462d-b5ed-b9cf51720122"

const envelope = (world: FakeWorld, id: string, about: Partial<SnsMessage> & Pick<SnsMessage, "Type" | "Message">) => {
  const { certificatePath, sign } = fakeSigner()
  return sign({
    MessageId: derivedUuid("fake message", id),
    TopicArn: topic,
    Timestamp: world.now().toISOString(),
    SignatureVersion: "1",
    SigningCertURL: `${world.url}${certificatePath}`,
    ...about
  })
}

const headersOf = ({ MessageId, Type }: SnsMessage) => ({
  "content-type": "text/plain; charset=UTF-8",
  "x-amz-sns-message-type": Type,
  "x-amz-sns-message-id": MessageId,
  "x-amz-sns-topic-arn": topic
})

/** Notification of a new subscription. */
export const confirmationOf = (world: FakeWorld, token: string) => {
  const message = envelope(world, token, {
    Type: "SubscriptionConfirmation",
    Message: `You have chosen to subscribe to the topic ${topic}.`,
    SubscribeURL: `${world.url}/?Action=ConfirmSubscription&TopicArn=${topic}&Token=${token}`,
    Token: token
  })
  return { headers: headersOf(message), body: JSON.stringify(message) }
}

const decodeSubscription = Schema.decodeUnknownEither(
  Schema.Struct({ endpoint: Schema.String.pipe(Schema.pattern(/^https:\/\/|^http:\/\/127\.0\.0\.1[:/]/)) }),
  { onExcessProperty: "error" }
)

/** Limit of Circle's sandbox. */
const MOST_SUBSCRIPTIONS = 3

/** Each is confirmed by who answers at its address, whom Amazon SNS asks for it. */
const subscriptions = (world: FakeWorld): ReadonlyArray<FakeRoute> => {
  const all = new Map<string, { readonly endpoint: string; status: "pending" | "confirmed" }>()
  const shown = (token: string) => {
    const { endpoint, status } = all.get(token)!
    return {
      id: derivedUuid("fake subscription", token),
      endpoint,
      subscriptionDetails: [{ url: `${topic}:${token}`, status }]
    }
  }
  const path = "/v1/notifications/subscriptions"
  return [
    { method: "GET", path, answer: guarded(() => ({ status: 200, body: { data: [...all.keys()].map(shown) } })) },
    {
      method: "POST",
      path,
      answer: guarded((request) => {
        const body = decodeSubscription(jsonBody(request))
        if (Either.isLeft(body)) return problem(400, body.left.message, 2)
        if (all.size >= MOST_SUBSCRIPTIONS) return problem(429, "The limit of subscriptions is reached.")
        const { endpoint } = body.right
        const token = derivedUuid("fake token", `${all.size}`, endpoint)
        all.set(token, { endpoint, status: "pending" })
        world.callBack(endpoint, () => confirmationOf(world, token))
        return { status: 200, body: { data: shown(token) } }
      })
    },
    {
      method: "GET",
      path: "/",
      answer: ({ query }) => {
        const token = query.get("Token")
        if (query.get("Action") !== "ConfirmSubscription" || token === null) return problem(404, "Not found.")
        all.set(token, { endpoint: all.get(token)?.endpoint ?? world.callbackUrl, status: "confirmed" })
        return { status: 200, body: "<ConfirmSubscriptionResponse/>" }
      }
    }
  ]
}

export const circleFake: Fake = {
  name: "circle",
  credentials: { api_key: apiKey },
  routes: (world) => {
    const seen = makeKeys()
    const { certificate, certificatePath } = fakeSigner()
    return [
      { method: "GET", path: "/ping", answer: () => ({ status: 200, body: { message: "pong" } }) },
      ...intents(world, seen),
      ...transfers(world, seen),
      ...deposits(world, seen),
      ...wires(world, seen),
      {
        method: "GET",
        path: "/v1/businessAccount/balances",
        answer: guarded(() => ({
          status: 200,
          body: { data: { available: [{ amount: "1000000.00", currency: "USD" }], unsettled: [] } }
        }))
      },
      {
        method: "GET",
        path: "/v1/configuration",
        answer: guarded(() => ({ status: 200, body: { data: { payments: { masterWalletId: "1000000001" } } } }))
      },
      ...subscriptions(world),
      { method: "GET", path: certificatePath, answer: () => ({ status: 200, body: certificate }) }
    ]
  },
  callbackOf: (entry, world) => {
    const intent = entry.of === null ? entry : world.books.byId(entry.of)
    const moves = intent === undefined || entry.state === "processing" ? [] : movedUnder(world, intent)
    const about = isDeposit(entry)
      ? { notificationType: "deposits", deposit: writeDeposit(entry) }
      : intent?.kind === "payin" && !isArrival(entry)
        ? { notificationType: "paymentIntents", paymentIntent: writeIntent(intent, moves) }
        : { notificationType: "transfers", transfer: writeMoved(entry) }
    const message = envelope(world, `${entry.id} ${entry.state}`, {
      Type: "Notification",
      Message: JSON.stringify({ clientId, version: 1, ...about })
    })
    return { headers: headersOf(message), body: JSON.stringify(message) }
  }
}
