/** Forms that the fake of Stripe accepts: names nest by brackets, and no name that Stripe does not know. */
import { Either, ParseResult, Schema, Option } from "effect"
import type { FakeReply, FakeRequest, FakeRoute } from "./Fake.ts"
import type { Money } from "../../src/domain/Money.ts"
import { moneyIn } from "../../src/providers/stripe/StripeRequests.ts"

type Tree = { [name: string]: Tree | string | Array<Tree | string> }

const namesIn = (name: string): ReadonlyArray<string> => name.replaceAll("]", "").split("[")

const put = (tree: Tree, [first = "", ...rest]: ReadonlyArray<string>, value: string): void => {
  if (rest.length === 0) {
    tree[first] = value
  } else if (/^\d*$/.test(rest[0] ?? "")) {
    const known = tree[first]
    const items = Array.isArray(known) ? known : []
    tree[first] = items
    if (rest.length === 1) return void items.push(value)
    const item = items[Number(rest[0])]
    const inner: Tree = typeof item === "object" ? item : {}
    items[Number(rest[0])] = inner
    put(inner, rest.slice(1), value)
  } else {
    const known = tree[first]
    const inner: Tree = typeof known === "object" && !Array.isArray(known) ? known : {}
    tree[first] = inner
    put(inner, rest, value)
  }
}

export const formIn = (text: string): Tree => {
  const tree: Tree = {}
  for (const [name, value] of new URLSearchParams(text)) put(tree, namesIn(name), value)
  return tree
}

const upTo = (length: number) => Schema.String.pipe(Schema.maxLength(length))
const amount = Schema.String.pipe(Schema.pattern(/^[1-9]\d{0,11}$/))
const currency = Schema.String.pipe(Schema.pattern(/^[a-z]{3}$/))
const yes = Schema.Literal("true", "false")
const some = Schema.optional
const metadata = some(Schema.Record({ key: upTo(40), value: upTo(500) }))

const MethodData = Schema.Struct({
  type: Schema.Literal("card", "customer_balance"),
  card: some(
    Schema.Struct({
      number: Schema.String.pipe(Schema.pattern(/^\d{12,19}$/)),
      exp_month: Schema.String,
      exp_year: Schema.String,
      cvc: some(Schema.String)
    })
  ),
  billing_details: some(Schema.Struct({ name: some(upTo(5000)), email: some(Schema.String) }))
})

const transferTypes = ["eu", "gb", "jp", "mx", "us"].map((where) => `${where}_bank_transfer`)

const MethodOptions = Schema.Struct({
  customer_balance: some(
    Schema.Struct({
      funding_type: some(Schema.Literal("bank_transfer")),
      bank_transfer: some(
        Schema.Struct({
          type: Schema.Literal(...transferTypes),
          eu_bank_transfer: some(Schema.Struct({ country: Schema.Literal("BE", "DE", "ES", "FR", "IE", "NL") }))
        })
      )
    })
  )
})

export const NewIntent = Schema.Struct({
  amount,
  currency,
  confirm: some(yes),
  customer: some(upTo(5000)),
  description: some(upTo(1000)),
  metadata,
  payment_method: some(upTo(5000)),
  payment_method_data: some(MethodData),
  payment_method_options: some(MethodOptions),
  payment_method_types: some(Schema.Array(upTo(5000))),
  return_url: some(Schema.String)
})
export type NewIntent = typeof NewIntent.Type

export const Confirmation = Schema.Struct({
  client_secret: some(Schema.String),
  payment_method: some(upTo(5000)),
  payment_method_data: some(MethodData),
  return_url: some(Schema.String)
})

/** Form of a page: one line with a price of its own. */
export const NewSession = Schema.Struct({
  mode: Schema.Literal("payment"),
  adaptive_pricing: some(Schema.Struct({ enabled: yes })),
  payment_method_types: some(Schema.Array(Schema.Literal("card"))),
  line_items: Schema.Array(
    Schema.Struct({
      quantity: Schema.Literal("1"),
      price_data: Schema.Struct({
        currency,
        unit_amount: amount,
        product_data: Schema.Struct({ name: upTo(5000) })
      })
    })
  ),
  success_url: upTo(5000),
  cancel_url: some(upTo(5000)),
  client_reference_id: some(upTo(200)),
  customer_email: some(Schema.String),
  expires_at: some(Schema.String.pipe(Schema.pattern(/^\d+$/))),
  payment_intent_data: some(Schema.Struct({ description: some(upTo(1000)), metadata })),
  metadata
})
export type NewSession = typeof NewSession.Type

/** Form of a refund: of an intent, or of one of its charges. */
export const NewRefund = Schema.Struct({
  charge: some(upTo(5000)),
  payment_intent: some(upTo(5000)),
  amount: some(amount),
  metadata
})

export const NewCustomer = Schema.Struct({
  name: some(upTo(256)),
  email: some(upTo(512)),
  phone: some(upTo(20)),
  metadata
})

export const Nothing = Schema.Struct({})

export interface FakeError {
  readonly type: "card_error" | "invalid_request_error" | "idempotency_error"
  readonly message: string
  readonly code?: string
  readonly decline_code?: string
  readonly param?: string
  readonly payment_intent?: unknown
}

export const refused = (status: number, error: FakeError): FakeReply => ({ status, body: { error } })

/** The first thing that is wrong with it, in the shape of Stripe's errors. */
const problem = (error: ParseResult.ParseError): FakeReply => {
  const [issue] = ParseResult.ArrayFormatter.formatErrorSync(error)
  const [first, ...rest] = (issue?.path ?? []).map(String)
  const param = `${first ?? ""}${rest.map((name) => `[${name}]`).join("")}`
  const about = { type: "invalid_request_error", param } as const
  switch (issue?._tag) {
    case "Missing":
      return refused(400, { ...about, code: "parameter_missing", message: `The parameter ${param} is missing.` })
    case "Unexpected":
      return refused(400, { ...about, code: "parameter_unknown", message: `The parameter ${param} is not known.` })
    default:
      return refused(400, { ...about, code: "parameter_invalid", message: `The parameter ${param} is not valid.` })
  }
}

export const taken = <A, I>(schema: Schema.Schema<A, I>) => {
  const decode = Schema.decodeUnknownEither(schema, { onExcessProperty: "error" })
  return (body: string): Either.Either<A, FakeReply> => Either.mapLeft(decode(formIn(body)), problem)
}

/** Rules of all routes of the fake of Stripe: who may call them, and the answer to a repeated key. */
export const credentials = { secret_key: "sk_test_fake_of_corridor", webhook_secret: "whsec_fake_of_corridor" }

export const ok = (body: unknown): FakeReply => ({ status: 200, body })

export const wrong = (status: number, message: string, code?: string): FakeReply =>
  refused(status, { type: "invalid_request_error", message, ...(code === undefined ? {} : { code }) })

export const missing = (id: string): FakeReply => wrong(404, `No such object: '${id}'`, "resource_missing")

export const moneyOf = (amount: unknown, currency: unknown): Money | undefined =>
  typeof amount === "string" && typeof currency === "string"
    ? Option.getOrUndefined(moneyIn(amount, currency))
    : undefined

/** A key is as good as forgotten only a day later, which no fake lives to see. */
export const remembering = () => {
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
          message: "The key was used before, with other parameters."
        })
  }
}

const isOurs = ({ headers }: FakeRequest): boolean => headers["authorization"] === `Bearer ${credentials.secret_key}`

/** Stripe knows who asks before it looks at what is asked. */
export const guarded = (route: FakeRoute): FakeRoute => ({
  ...route,
  answer: (request, scenario) =>
    isOurs(request) ? route.answer(request, scenario) : wrong(401, "The key is not valid.")
})
