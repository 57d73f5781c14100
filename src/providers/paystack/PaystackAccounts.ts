/** Dedicated accounts of Paystack: bank details for a virtual account, and the transfers that arrive there. */
import { Effect, Option, Schema } from "effect"
import { sha256Hex } from "../../domain/Digest.ts"
import { listAll, notMade, unanswered } from "../client/AccountReplies.ts"
import {
  get,
  postJson,
  type ProviderCall,
  type ProviderReply,
  withQuery,
  type CallFailed
} from "../client/ProviderHttp.ts"
import { isOk } from "../client/ProviderReplies.ts"
import { moneyOfMinor, optional, optionalText } from "../client/WireValues.ts"
import {
  type AccountHolder,
  type AccountIssuer,
  type DetailsOrder,
  type IncomingTransfer,
  type IssueAnswer,
  Issued,
  MaybeIssued,
  NotIssued
} from "../port/AccountIssuer.ts"
import { PAYSTACK_DIGITS } from "./PaystackRequests.ts"

export const dedicatedCurrencies = ["NGN", "GHS"]

const Dedicated = Schema.Struct({
  account_name: optionalText,
  account_number: Schema.String,
  currency: optionalText,
  bank: optional(Schema.Struct({ name: optionalText, slug: optionalText })),
  // As a customer's record names the bank.
  provider: optional(Schema.Struct({ bank_name: optionalText, provider_slug: optionalText }))
})

const Customer = Schema.Struct({ customer_code: Schema.String, dedicated_account: optional(Dedicated) })

const Transaction = Schema.Struct({
  id: Schema.String,
  status: optionalText,
  amount: optionalText,
  currency: optionalText,
  channel: optionalText,
  customer: optional(Schema.Struct({ customer_code: optionalText })),
  authorization: optional(Schema.Struct({ sender_name: optionalText, account_name: optionalText }))
})

const dataAs = <A, I>(schema: Schema.Schema<A, I>) => {
  const read = Schema.decodeUnknownOption(Schema.Struct({ data: schema }))
  return ({ json }: ProviderReply) => Option.map(read(json), ({ data }) => data)
}

const customerIn = dataAs(Customer)
const dedicatedIn = dataAs(Dedicated)
const transactionsIn = dataAs(Schema.Array(Transaction))
const messageIn = Schema.decodeUnknownOption(Schema.Struct({ message: Schema.String }))
const refusedBy = (reply: ProviderReply) =>
  notMade(reply, Option.getOrUndefined(Option.map(messageIn(reply.json), ({ message }) => message)))

/**
 * Address of the customer at Paystack. Customers are known by their address there, and each has one dedicated account, so
 * the holder's address gets a tag of the virtual account.
 */
export const taggedAddress = ({ email }: AccountHolder, reference: string): string => {
  const at = email.lastIndexOf("@")
  return `${email.slice(0, at)}+${sha256Hex(reference).slice(0, 12)}${email.slice(at)}`.toLowerCase()
}

const namesOf = ({ name }: AccountHolder) => {
  const [first = name, ...rest] = name.trim().split(/\s+/)
  return { first_name: first, last_name: rest.length === 0 ? first : rest.join(" ") }
}

export const createCustomer = ({ holder, reference }: DetailsOrder): ProviderCall =>
  postJson("create customer", "/customer", {
    email: taggedAddress(holder, reference),
    ...namesOf(holder),
    ...(holder.phone === null ? {} : { phone: holder.phone })
  })

export const fetchCustomer = ({ holder, reference }: DetailsOrder): ProviderCall =>
  get("fetch customer", `/customer/${encodeURIComponent(taggedAddress(holder, reference))}`)

export const createDedicated = (customer: string): ProviderCall =>
  postJson("create dedicated account", "/dedicated_account", { customer })

const PER_PAGE = 100

export const listTransactions = (since: Date, page: string): ProviderCall =>
  get(
    "list transactions",
    withQuery("/transaction", { from: since.toISOString(), status: "success", perPage: `${PER_PAGE}`, page })
  )

const issuedAs = (customer: string, account: typeof Dedicated.Type, { currency }: DetailsOrder): IssueAnswer => {
  const { account_name, account_number, bank, provider } = account
  if ((account.currency ?? currency) !== currency) {
    return new NotIssued({ reason: `the account that Paystack issued is in ${account.currency}` })
  }
  const details = {
    account_name,
    account_number,
    bank_name: bank?.name ?? provider?.bank_name,
    bank_code: bank?.slug ?? provider?.provider_slug
  }
  const known = Object.entries(details).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
  return new Issued({ providerReference: customer, details: Object.fromEntries(known) as Record<string, string> })
}

const DEDICATED = "dedicated_nuban"

/** A transaction of a dedicated account; undefined: of anything else, or without an amount that can be read. */
export const transferIn = (data: unknown): IncomingTransfer | undefined => {
  const read = Option.getOrUndefined(Schema.decodeUnknownOption(Transaction)(data))
  return read === undefined ? undefined : transferOf(read)
}

const transferOf = (transaction: typeof Transaction.Type): IncomingTransfer | undefined => {
  const { amount, authorization, channel, currency, customer, id, status } = transaction
  const money = Option.getOrUndefined(moneyOfMinor(amount, currency, PAYSTACK_DIGITS))
  if (channel !== DEDICATED || status !== "success" || money?.isPositive !== true) return undefined
  return {
    id,
    kind: "collection",
    providerReference: customer?.customer_code ?? null,
    amount: money,
    sender: authorization?.sender_name ?? authorization?.account_name ?? null
  }
}

export const dedicatedAccounts = (
  call: (request: ProviderCall) => Effect.Effect<ProviderReply, CallFailed>
): AccountIssuer => {
  /** The customer of an earlier try is found by its address, with the account if it has one. */
  const customerFor = (order: DetailsOrder): Effect.Effect<typeof Customer.Type, IssueAnswer> =>
    Effect.gen(function* () {
      const found = yield* Effect.mapError(call(fetchCustomer(order)), unanswered)
      const known = isOk(found) ? customerIn(found) : Option.none()
      if (Option.isSome(known)) return known.value
      if (found.status !== 404 && found.status !== 400) return yield* Effect.fail(refusedBy(found))
      const made = yield* Effect.mapError(call(createCustomer(order)), unanswered)
      const created = isOk(made) ? customerIn(made) : Option.none()
      return Option.isSome(created) ? created.value : yield* Effect.fail(refusedBy(made))
    })

  return {
    currencies: dedicatedCurrencies,
    issue: (order) =>
      Effect.gen(function* () {
        const { customer_code, dedicated_account } = yield* customerFor(order)
        if (dedicated_account !== undefined) return issuedAs(customer_code, dedicated_account, order)
        const reply = yield* Effect.mapError(call(createDedicated(customer_code)), unanswered)
        if (!isOk(reply)) return refusedBy(reply)
        return Option.match(dedicatedIn(reply), {
          onNone: (): IssueAnswer => new MaybeIssued({ reason: "Paystack's answer cannot be read" }),
          onSome: (account) => issuedAs(customer_code, account, order)
        })
      }).pipe(Effect.merge),
    incoming: (since) =>
      Effect.map(
        listAll((from) =>
          Effect.gen(function* () {
            const page = from ?? "1"
            const reply = yield* call(listTransactions(since, page))
            const read = isOk(reply) ? transactionsIn(reply) : Option.none()
            if (Option.isNone(read)) return yield* Effect.fail({ reason: `HTTP ${reply.status}` })
            const next = read.value.length < PER_PAGE ? null : `${Number(page) + 1}`
            return { items: read.value, next }
          })
        ),
        (all) => all.flatMap((one) => transferOf(one) ?? [])
      )
  }
}
