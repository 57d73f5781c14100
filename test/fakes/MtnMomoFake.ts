/** Fake of MTN MoMo: collections and disbursements, with unsigned callbacks. */
import { Either, Schema, Option } from "effect"
import { sha256Hex } from "../../src/domain/Digest.ts"
import type { Fake, FakeCallback, FakeReply, FakeRequest, FakeRoute, FakeWorld } from "./Fake.ts"
import type { Entry } from "./FakeLedger.ts"
import type { Scenario } from "./MagicAmounts.ts"
import { shortText, moneyOfMajor } from "../../src/providers/client/WireValues.ts"
import { currencyOf, type Product } from "../../src/providers/mtnMomo/MtnMomoRequests.ts"
import type { Money } from "../../src/domain/Money.ts"
import { urlOf } from "../../src/domain/Url.ts"

/** Headers and bodies that the fake of MTN accepts, and its forms of refusal. */
export const refused = (status: number, code: string, message: string): FakeReply => ({
  status,
  body: { code, message }
})

export const gateway = (status: number, message: string): FakeReply => ({
  status,
  body: { statusCode: status, message }
})

const Amount = Schema.String.pipe(Schema.pattern(/^\d+(\.\d+)?$/))
const text = Schema.optional(Schema.String.pipe(Schema.maxLength(160)))

const Party = Schema.Struct({
  partyIdType: Schema.Literal("MSISDN"),
  partyId: Schema.String.pipe(Schema.pattern(/^[1-9]\d{6,14}$/))
})

const common = {
  amount: Amount,
  currency: Schema.String.pipe(Schema.pattern(/^[A-Z]{3}$/)),
  externalId: Schema.NonEmptyString,
  payerMessage: text,
  payeeNote: text
}

export const RequestToPay = Schema.Struct({ ...common, payer: Party })
export const Transfer = Schema.Struct({ ...common, payee: Party })
export const Refund = Schema.Struct({ ...common, referenceIdToRefund: Schema.UUID })

/** Amount as it is written: MTN takes amounts as text alone, so that a number must not pass for one. */
const parsed = (body: string): Either.Either<unknown, string> =>
  Either.try({ try: () => JSON.parse(body) as unknown, catch: () => "the body is not JSON" })

const uuid4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/

export const moneyIn = ({ body }: FakeRequest): Money | undefined =>
  Either.getRight(parsed(body)).pipe(
    Option.flatMap(Schema.decodeUnknownOption(Schema.Struct({ amount: Amount, currency: Schema.String }))),
    Option.flatMap(({ amount, currency }) => moneyOfMajor(amount, currency)),
    Option.getOrUndefined
  )

export interface Taken<A> {
  readonly reference: string
  readonly body: A
  readonly money: Money
}

/** The order that a request holds, or what MTN says of one that is wrong. */
export const readOrder = <A extends { readonly amount: string; readonly currency: string }>(
  schema: Schema.Schema<A>,
  { body, headers }: FakeRequest
): Either.Either<Taken<A>, FakeReply> => {
  const reference = headers["x-reference-id"] ?? ""
  if (!uuid4.test(reference)) return Either.left(gateway(400, "X-Reference-Id is not a UUID of version 4"))
  const callback = headers["x-callback-url"]
  if (callback !== undefined && urlOf(callback) === undefined) {
    return Either.left(refused(400, "INVALID_CALLBACK_URL_HOST", "Callback URL is not valid."))
  }
  const decoded = Either.flatMap(parsed(body), (json) => Schema.decodeUnknownEither(schema)(json))
  if (Either.isLeft(decoded)) return Either.left(gateway(400, String(decoded.left)))
  const { amount, currency } = decoded.right
  if (currency !== currencyOf(headers["x-target-environment"] ?? "")) {
    return Either.left(refused(500, "INVALID_CURRENCY", "Currency not supported."))
  }
  return Option.match(moneyOfMajor(amount, currency), {
    onNone: () => Either.left(gateway(400, "the amount is none of that currency")),
    onSome: (money) => Either.right({ reference, body: decoded.right, money })
  })
}

const credentials = {
  api_user: "6f2d3c1e-8a4b-4f70-9d15-2b7e90c4a861",
  api_key: "fake-mtn-momo-api-key-for-tests",
  collection_key: "fake-mtn-momo-collection-key",
  disbursement_key: "fake-mtn-momo-disbursement-key",
  target_environment: "mtnuganda"
}

/** The API user of another account, with the same keys: for a configuration that brings one of its own. */
export const anotherApiUser = "0d9a5b52-3f7c-4c1e-8b6a-51c2e7f0a934"

const TOKEN_SECONDS = 3600

const keyOf = (product: Product): string =>
  product === "collection" ? credentials.collection_key : credentials.disbursement_key

const productOf = (kind: Entry["kind"]): Product => (kind === "payin" ? "collection" : "disbursement")

const statusOf = ({ state }: Entry): "PENDING" | "SUCCESSFUL" | "FAILED" => {
  if (state === "completed") return "SUCCESSFUL"
  return state === "failed" || state === "returned" ? "FAILED" : "PENDING"
}

const financialId = ({ reference }: Entry): string => (BigInt(`0x${sha256Hex(reference)}`) % 10_000_000_000n).toString()

const failure = (kind: Entry["kind"]) =>
  kind === "payin"
    ? { code: "APPROVAL_REJECTED", message: "The payer did not approve the request." }
    : { code: "PAYEE_NOT_ALLOWED_TO_RECEIVE", message: "Payee is unable to receive the transfer." }

/** The same in answers and callbacks. */
const resultOf = (entry: Entry): Readonly<Record<string, unknown>> => {
  const status = statusOf(entry)
  const { amount: _amount, ...sent } = entry.kept["body"] as Readonly<Record<string, unknown>>
  return {
    ...sent,
    amount: shortText(status === "SUCCESSFUL" ? entry.moved : entry.asked),
    status,
    ...(status === "SUCCESSFUL" ? { financialTransactionId: financialId(entry) } : {}),
    ...(status === "FAILED" ? { reason: failure(entry.kind) } : {})
  }
}

const declines: Readonly<Record<Product, Partial<Record<Scenario, FakeReply>>>> = {
  collection: {
    declined_instrument: refused(500, "PAYER_NOT_FOUND", "Payer does not exist"),
    declined_provider: refused(500, "PAYEE_NOT_ALLOWED_TO_RECEIVE", "Payee is unable to receive the payment.")
  },
  disbursement: {
    declined_instrument: refused(500, "PAYEE_NOT_FOUND", "Payee does not exist"),
    declined_provider: refused(500, "NOT_ENOUGH_FUNDS", "The payer does not have enough funds.")
  }
}

interface OrderKind<A> {
  readonly kind: Entry["kind"]
  readonly path: string
  readonly schema: Schema.Schema<A>
  /** Problems of a well-formed order. */
  readonly problem?: (order: Taken<A>, world: FakeWorld) => FakeReply | undefined
  readonly of?: (order: Taken<A>) => string
}

const payins: OrderKind<typeof RequestToPay.Type> = {
  kind: "payin",
  path: "/collection/v1_0/requesttopay",
  schema: RequestToPay
}

const payouts: OrderKind<typeof Transfer.Type> = {
  kind: "payout",
  path: "/disbursement/v1_0/transfer",
  schema: Transfer
}

const refunds: OrderKind<typeof Refund.Type> = {
  kind: "refund",
  path: "/disbursement/v1_0/refund",
  schema: Refund,
  of: ({ body }) => body.referenceIdToRefund,
  problem: ({ body, money }, { books }) => {
    const taken = books.byReference("payin", body.referenceIdToRefund)
    if (taken?.state !== "completed") return refused(404, "RESOURCE_NOT_FOUND", "Requested resource was not found.")
    const given = books
      .all()
      .filter(({ kind, of, state }) => kind === "refund" && of === taken.id && state !== "failed")
      .reduce((sum, { asked }) => sum + asked.minor, 0n)
    return given + money.minor > taken.moved.minor
      ? gateway(400, "it is more than is left of what was paid")
      : undefined
  }
}

interface ApiUser {
  readonly host: string
  /** None before it is made. */
  readonly key: string | undefined
}

const NewApiUser = Schema.Struct({ providerCallbackHost: Schema.String.pipe(Schema.pattern(/^[a-z0-9.-]+$/)) })
const decodeApiUser = Schema.decodeUnknownEither(NewApiUser, { onExcessProperty: "error" })

/** API users, which MTN's sandbox alone lets its customers make. */
const provisioning = (users: Map<string, ApiUser>): ReadonlyArray<FakeRoute> => {
  const notFound = refused(404, "RESOURCE_NOT_FOUND", "Requested resource was not found.")
  const path = "/v1_0/apiuser"
  return [
    {
      method: "POST",
      path,
      answer: ({ body, headers }) => {
        const id = headers["x-reference-id"] ?? ""
        const user = Either.flatMap(parsed(body), decodeApiUser)
        if (!uuid4.test(id) || Either.isLeft(user)) return gateway(400, "Bad request")
        if (users.has(id)) return refused(409, "RESOURCE_ALREADY_EXIST", "Duplicated reference id.")
        users.set(id, { host: user.right.providerCallbackHost, key: undefined })
        return { status: 201 }
      }
    },
    {
      method: "GET",
      path: `${path}/:id`,
      answer: ({ params }) => {
        const user = users.get(params["id"] ?? "")
        return user === undefined
          ? notFound
          : { status: 200, body: { providerCallbackHost: user.host, targetEnvironment: "sandbox" } }
      }
    },
    {
      method: "POST",
      path: `${path}/:id/apikey`,
      answer: ({ params: { id = "" } }) => {
        const user = users.get(id)
        if (user === undefined) return notFound
        const key = sha256Hex(`key of ${id} after ${user.key}`).slice(0, 32)
        users.set(id, { ...user, key })
        return { status: 201, body: { apiKey: key } }
      }
    }
  ]
}

const routes = (world: FakeWorld): ReadonlyArray<FakeRoute> => {
  const { books, now, take } = world
  const tokens = new Map<string, number>()
  const host = urlOf(world.callbackUrl)?.hostname ?? ""
  const users = new Map<string, ApiUser>(
    [credentials.api_user, anotherApiUser].map((user) => [user, { host, key: credentials.api_key }])
  )

  const subscribed = (product: Product, { headers }: FakeRequest): FakeReply | undefined =>
    headers["ocp-apim-subscription-key"] === keyOf(product)
      ? undefined
      : gateway(401, "Access denied due to invalid subscription key.")

  const admitted = (product: Product, request: FakeRequest): FakeReply | undefined => {
    const token = request.headers["authorization"]?.replace(/^Bearer /, "") ?? ""
    if (!token.startsWith(product) || (tokens.get(token) ?? 0) <= now().getTime()) {
      return gateway(401, "Unauthorized. The token is missing, wrong or has expired.")
    }
    return currencyOf(request.headers["x-target-environment"] ?? "") === undefined
      ? refused(500, "NOT_ALLOWED_TARGET_ENVIRONMENT", "Access to target environment is forbidden.")
      : undefined
  }

  const guarded =
    (product: Product, answer: FakeRoute["answer"]): FakeRoute["answer"] =>
    (request, scenario) =>
      subscribed(product, request) ?? admitted(product, request) ?? answer(request, scenario)

  const token = (product: Product): FakeRoute => ({
    method: "POST",
    path: `/${product}/token/`,
    answer: (request) => {
      const refusal = subscribed(product, request)
      if (refusal !== undefined) return refusal
      const known = [...users].map(([user, { key }]) => `Basic ${Buffer.from(`${user}:${key}`).toString("base64")}`)
      if (!known.includes(request.headers["authorization"] ?? "")) {
        return { status: 401, body: { error: "login_failed" } }
      }
      const access_token = `${product}.${sha256Hex(`${product} ${tokens.size} ${now().getTime()}`)}`
      tokens.set(access_token, now().getTime() + TOKEN_SECONDS * 1000)
      return { status: 200, body: { access_token, token_type: "access_token", expires_in: TOKEN_SECONDS } }
    }
  })

  const order = <A extends { readonly amount: string; readonly currency: string }>({
    kind,
    of,
    path,
    problem,
    schema
  }: OrderKind<A>): ReadonlyArray<FakeRoute> => {
    const product = productOf(kind)
    const accept = (taken: Taken<A>, { headers }: FakeRequest, scenario: Scenario): FakeReply => {
      const { body, money, reference } = taken
      if (books.byReference(kind, reference) !== undefined) {
        return refused(409, "RESOURCE_ALREADY_EXIST", "Duplicated reference id. Creation of resource failed.")
      }
      const refusal = problem?.(taken, world) ?? declines[product][scenario]
      if (refusal !== undefined) return refusal
      const callbackUrl = headers["x-callback-url"] ?? world.callbackUrl
      take({
        id: reference,
        reference,
        kind,
        money,
        kept: { body, callbackUrl },
        ...(of === undefined ? {} : { of: of(taken) })
      })
      return { status: 202 }
    }
    return [
      {
        method: "POST",
        path,
        moves: moneyIn,
        answer: guarded(product, (request, scenario) =>
          Either.match(readOrder(schema, request), {
            onLeft: (refusal) => refusal,
            onRight: (taken) => accept(taken, request, scenario)
          })
        )
      },
      {
        method: "GET",
        path: `${path}/:reference`,
        answer: guarded(product, ({ params }) => {
          const entry = books.byReference(kind, params["reference"] ?? "")
          return entry === undefined
            ? refused(404, "RESOURCE_NOT_FOUND", "Requested resource was not found.")
            : { status: 200, body: resultOf(entry) }
        })
      }
    ]
  }

  const balance = (product: Product): FakeRoute => ({
    method: "GET",
    path: `/${product}/v1_0/account/balance`,
    answer: guarded(product, ({ headers }) => ({
      status: 200,
      body: { availableBalance: "1000000", currency: currencyOf(headers["x-target-environment"] ?? "") }
    }))
  })

  return [
    token("collection"),
    token("disbursement"),
    ...order(payins),
    ...order(payouts),
    ...order(refunds),
    balance("collection"),
    balance("disbursement"),
    ...provisioning(users).map((route) => ({
      ...route,
      answer: (request: FakeRequest, scenario: Scenario) =>
        subscribed("collection", request) ?? route.answer(request, scenario)
    }))
  ]
}

const callbackOf = (entry: Entry): FakeCallback | undefined => ({
  method: "PUT",
  headers: { "content-type": "application/json" },
  body: JSON.stringify(resultOf(entry))
})

export const mtnMomoFake: Fake = { name: "mtn_momo", credentials, routes, callbackOf }
