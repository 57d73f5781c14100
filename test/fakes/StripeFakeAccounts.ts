/** Cash balances of customers at the fake of Stripe: bank details, transfers to them, and payments from them. */
import { Either, Schema } from "effect"
import type { FakeCallback, FakeReply, FakeRequest, FakeRoute, FakeWorld } from "./Fake.ts"
import type { Entry } from "./FakeLedger.ts"
import { missing, moneyOf, type NewIntent, ok, taken, wrong } from "./StripeFakeForms.ts"
import { addressOf, idOf, secretOf } from "./StripeFakeIntents.ts"
import { amountText } from "../../src/providers/stripe/StripeRequests.ts"
import { Option } from "effect"

/** Fields that an entry of a transfer keeps. */
interface Cash {
  readonly customer: string
  readonly sender: string
  /** Moved on to the balance by a payment. */
  isApplied: boolean
}

const cashOf = ({ kept }: Entry): Cash | undefined => kept["cash"] as Cash | undefined

export const isCash = (entry: Entry): boolean => cashOf(entry) !== undefined

const upTo = (length: number) => Schema.String.pipe(Schema.maxLength(length))

const Instructions = Schema.Struct({
  currency: upTo(3),
  funding_type: Schema.Literal("bank_transfer"),
  bank_transfer: Schema.Struct({
    type: upTo(40),
    eu_bank_transfer: Schema.optional(Schema.Struct({ country: Schema.Literal("BE", "DE", "ES", "FR", "IE", "NL") }))
  })
})

const Funding = Schema.Struct({ amount: upTo(20), currency: upTo(3), reference: Schema.optional(upTo(500)) })

const instructions = taken(Instructions)
const funding = taken(Funding)

const counted = (entry: Entry): number => Number(Option.getOrThrow(amountText(entry.moved)))

const transactionOf = (entry: Entry, type: "funded" | "return_initiated") => ({
  id: idOf("ccsbtxn", `${entry.id} ${type}`),
  object: "customer_cash_balance_transaction",
  created: Math.floor(entry.createdAt.getTime() / 1000),
  currency: entry.moved.currency.toLowerCase(),
  customer: cashOf(entry)!.customer,
  ending_balance: 0,
  livemode: false,
  net_amount: type === "funded" ? counted(entry) : -counted(entry),
  type,
  ...(type === "funded"
    ? {
        funded: {
          bank_transfer: {
            type: "eu_bank_transfer",
            reference: entry.reference,
            eu_bank_transfer: { bic: "FAKEDEFF", iban_last4: "7089", sender_name: cashOf(entry)!.sender }
          }
        }
      }
    : {})
})

const typeOf = ({ state }: Entry): "funded" | "return_initiated" =>
  state === "returned" ? "return_initiated" : "funded"

/** Event of a transfer as it stands. */
export const cashEventOf = (entry: Entry): readonly [type: string, object: unknown] => [
  "customer_cash_balance_transaction.created",
  transactionOf(entry, typeOf(entry))
]

export const makeCashBalances = (
  world: FakeWorld,
  customers: Map<string, unknown>,
  signed: (type: string, object: unknown, about: string, world: FakeWorld) => FakeCallback
) => {
  const { books } = world
  const ofCustomer = (customer: string) =>
    books.all().filter((entry) => cashOf(entry)?.customer === customer && entry.state === "completed")
  const waiting = (customer: string, currency: string) =>
    ofCustomer(customer).filter((entry) => !cashOf(entry)!.isApplied && entry.moved.currency.toLowerCase() === currency)
  const available = (customer: string, currency: string) =>
    waiting(customer, currency).reduce((sum, entry) => sum + counted(entry), 0)

  const known = (answer: (id: string, request: FakeRequest) => FakeReply) => (request: FakeRequest) => {
    const id = request.params["id"] ?? ""
    return customers.has(id) && !isDeleted(id) ? answer(id, request) : missing(id)
  }

  const isDeleted = (id: string) => (customers.get(id) as { readonly deleted?: true } | undefined)?.deleted === true

  const routes: ReadonlyArray<FakeRoute> = [
    {
      method: "GET",
      path: "/v1/customers/search",
      answer: ({ query }) => {
        const reference = /^metadata\['virtual_account'\]:'([^']*)'$/.exec(query.get("query") ?? "")?.[1]
        const found = [...customers.values()].filter(
          (one) => (one as { metadata?: Record<string, string> }).metadata?.["virtual_account"] === reference
        )
        return ok({
          object: "search_result",
          url: "/v1/customers/search",
          has_more: false,
          next_page: null,
          data: found
        })
      }
    },
    {
      method: "GET",
      path: "/v1/customers/:id",
      answer: ({ params }) => {
        const id = params["id"] ?? ""
        return customers.has(id) ? ok(customers.get(id)) : missing(id)
      }
    },
    {
      method: "DELETE",
      path: "/v1/customers/:id",
      answer: known((id) => {
        const deleted = { id, object: "customer", deleted: true }
        customers.set(id, deleted)
        return ok(deleted)
      })
    },
    {
      method: "POST",
      path: "/v1/customers/:id/funding_instructions",
      answer: known((id, { body }) =>
        Either.merge(
          Either.map(instructions(body), ({ bank_transfer, currency }) =>
            ok({
              object: "funding_instructions",
              bank_transfer: {
                country: bank_transfer.eu_bank_transfer?.country ?? "US",
                financial_addresses: [addressOf(bank_transfer.type, `${id} ${currency}`)],
                type: bank_transfer.type
              },
              currency,
              funding_type: "bank_transfer",
              livemode: false
            })
          )
        )
      )
    },
    {
      method: "GET",
      path: "/v1/customers/:id/cash_balance",
      answer: known((id) => {
        const held = [...new Set(ofCustomer(id).map(({ moved }) => moved.currency.toLowerCase()))]
        const left = held.map((currency) => [currency, available(id, currency)])
        const settings = { reconciliation_mode: "automatic", using_merchant_default: true }
        return ok({
          object: "cash_balance",
          available: Object.fromEntries(left),
          customer: id,
          livemode: false,
          settings
        })
      })
    },
    {
      method: "GET",
      path: "/v1/events",
      answer: ({ path, query }) => {
        const from = Number(query.get("created[gte]") ?? "0")
        const until = Number(query.get("created[lte]") ?? "Infinity")
        const [most, after] = [Number(query.get("limit") ?? "10"), query.get("starting_after")]
        const data = books
          .all()
          .filter((entry) => isCash(entry) && (entry.state === "completed" || entry.state === "returned"))
          .filter(({ createdAt }) => {
            const at = Math.floor(createdAt.getTime() / 1000)
            return at >= from && at <= until
          })
          .flatMap((entry) => {
            const types = entry.state === "returned" ? (["funded", "return_initiated"] as const) : (["funded"] as const)
            return types.map((type) => ({
              id: idOf("evt", `${entry.id} ${type}`),
              object: "event",
              type: "customer_cash_balance_transaction.created",
              data: { object: transactionOf(entry, type) }
            }))
          })
        const newest = data.toReversed()
        const left = newest.slice(after === null ? 0 : newest.findIndex(({ id }) => id === after) + 1)
        return ok({ object: "list", url: path, has_more: left.length > most, data: left.slice(0, most) })
      }
    },
    {
      method: "POST",
      path: "/v1/test_helpers/customers/:id/fund_cash_balance",
      answer: known((id, { body }) =>
        Either.merge(
          Either.map(funding(body), ({ amount, currency, reference }) => {
            const money = moneyOf(amount, currency)
            if (money === undefined) return wrong(400, "Invalid currency")
            const name = `${reference ?? ""} ${id} ${books.all().length}`
            const cash: Cash = { customer: id, sender: "Sample Business GmbH", isApplied: false }
            const entry = world.take({ id: idOf("ccsb", name), reference: name, kind: "payin", money, kept: { cash } })
            return ok(transactionOf(entry, "funded"))
          })
        )
      )
    },
    {
      method: "POST",
      path: "/v1/test_helpers/customers/:id/return_cash_balance",
      answer: known((id) => {
        const [entry] = ofCustomer(id)
        if (entry === undefined) return wrong(400, "There is nothing to return.")
        entry.state = "returned"
        const [type, object] = cashEventOf(entry)
        const { body, headers } = signed(type, object, `${entry.id} returned`, world)
        return ok({ body, headers })
      })
    }
  ]

  /** A payment from the cash balance moves money within Stripe: it adds nothing to what Stripe holds. */
  const applied = (intent: NewIntent): FakeReply | undefined => {
    const customer = intent.customer ?? ""
    if (intent.metadata?.["sweep"] === undefined) return undefined
    const entries = waiting(customer, intent.currency)
    if (available(customer, intent.currency) !== Number(intent.amount)) return wrong(400, "The cash balance differs.")
    for (const entry of entries) cashOf(entry)!.isApplied = true
    const id = idOf("pi", JSON.stringify(intent))
    return ok({
      id,
      object: "payment_intent",
      amount: Number(intent.amount),
      amount_received: Number(intent.amount),
      client_secret: secretOf(id),
      currency: intent.currency,
      customer,
      livemode: false,
      metadata: intent.metadata,
      status: "succeeded"
    })
  }

  return { routes, applied }
}
