/** Dedicated accounts at the fake of Paystack, and transfers to them. */
import { Schema } from "effect"
import type { FakeRoute, FakeWorld } from "./Fake.ts"
import type { Entry } from "./FakeLedger.ts"
import {
  bodyAs,
  codeWith,
  fine,
  found,
  guarded,
  moneyIn,
  number,
  numericId,
  reading,
  refusal,
  transactionOf
} from "./PaystackFakeBodies.ts"

const Text = Schema.String.pipe(Schema.minLength(1))

export const NewCustomer = Schema.Struct({
  email: Schema.String.pipe(Schema.pattern(/^[^@\s]{1,64}@[^@\s]+$/)),
  first_name: Text,
  last_name: Text,
  phone: Schema.optional(Text)
})

export const NewDedicated = Schema.Struct({
  customer: Schema.String.pipe(Schema.pattern(/^CUS_/)),
  preferred_bank: Schema.optional(Text)
})

/** Transfer by Paystack's demo bank. */
const Transfer = Schema.Struct({
  account_number: Text,
  amount: Schema.String,
  currency: Schema.optional(Schema.String),
  sender: Text,
  reference: Text
})

interface FakeCustomer {
  readonly about: typeof NewCustomer.Type
  readonly code: string
  account: string | null
}

const readCustomer = bodyAs(NewCustomer)
const readDedicated = bodyAs(NewDedicated)
const readTransfer = bodyAs(Transfer)

export const isDedicated = ({ kept }: Entry): boolean => kept["channel"] === "dedicated_nuban"

export const dedicatedAccounts = (world: FakeWorld): ReadonlyArray<FakeRoute> => {
  const customers = new Map<string, FakeCustomer>()

  const accountOf = ({ about, account, code }: FakeCustomer) => ({
    bank: { name: "Test Bank", id: 24, slug: "test-bank" },
    account_name: `CORRIDOR FAKE / ${about.first_name} ${about.last_name}`.toUpperCase(),
    account_number: account,
    assigned: true,
    currency: "NGN",
    active: true,
    id: number(numericId(`dedicated ${code}`)),
    customer: { id: number(numericId(code)), customer_code: code, email: about.email }
  })

  const customerOf = (customer: FakeCustomer) => ({
    ...customer.about,
    customer_code: customer.code,
    id: number(numericId(customer.code)),
    integration: 1,
    domain: "test",
    dedicated_account: customer.account === null ? null : accountOf(customer)
  })

  /** An address that is known gets the customer that it has. */
  const create = reading(readCustomer, (about) => {
    const known = customers.get(about.email) ?? { about, code: codeWith("CUS_", about.email), account: null }
    customers.set(about.email, known)
    return fine("Customer created", customerOf(known))
  })

  const issue = reading(readDedicated, ({ customer: code }) => {
    const customer = [...customers.values()].find((one) => one.code === code)
    if (customer === undefined) return refusal("Customer not found", "customer_not_found", 404)
    if (customer.about.phone === undefined) return refusal("Customer phone number is required", "invalid_params")
    if (customer.account !== null) return refusal("Customer already has a dedicated account", "duplicate_account")
    customer.account = numericId(`dedicated ${code}`).slice(0, 10)
    return fine("NUBAN successfully created", accountOf(customer))
  })

  const transfer = reading(readTransfer, ({ account_number, amount, currency = "NGN", reference, sender }) => {
    const customer = [...customers.values()].find(({ account }) => account === account_number)
    const kept = {
      channel: "dedicated_nuban",
      email: customer?.about.email ?? "unknown@example.com",
      customerCode: customer?.code ?? "CUS_of_somebody_else",
      sender
    }
    const money = moneyIn(amount, currency)
    return fine("Sent", {
      id: world.take({ id: numericId(reference), reference, kind: "payin", money, kept }).id
    })
  })

  const list = guarded(({ query }) => {
    const from = new Date(query.get("from") ?? 0)
    const to = new Date(query.get("to") ?? 8.64e15)
    const [page, perPage] = [Number(query.get("page") ?? "1"), Number(query.get("perPage") ?? "50")]
    const all = world.books
      .all()
      .filter((entry) => entry.kind === "payin" && entry.state === "completed")
      .filter(({ createdAt }) => createdAt >= from && createdAt <= to)
    return fine("Transactions retrieved", all.slice((page - 1) * perPage, page * perPage).map(transactionOf))
  })

  return [
    { method: "POST", path: "/customer", answer: create },
    {
      method: "GET",
      path: "/customer/:email",
      answer: guarded(({ params }) => {
        const known = customers.get(decodeURIComponent(params["email"] ?? ""))
        return known === undefined
          ? refusal("Customer not found", "customer_not_found", 404)
          : fine("Customer retrieved", customerOf(known))
      })
    },
    { method: "POST", path: "/dedicated_account", answer: issue },
    { method: "GET", path: "/transaction", answer: list },
    {
      method: "GET",
      path: "/transaction/:id",
      answer: guarded(({ params }) =>
        found(world.books.byId(params["id"] ?? ""), "Transaction retrieved", transactionOf, "Transaction not found")
      )
    },
    { method: "POST", path: "/demo-bank/transfers", answer: transfer }
  ]
}
