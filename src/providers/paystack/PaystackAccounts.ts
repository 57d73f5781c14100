/** Dedicated accounts of Paystack: bank details for a virtual account, and the transfers that arrive there. */
import { Clock, Duration, Effect, Either, Option, Schema } from "effect"
import { incomingTransferOverlap, refundProcessing } from "../../domain/policies/PaymentPolicies.ts"
import { sha256Hex } from "../../domain/Digest.ts"
import {
  knownDetails,
  listAll,
  listBetween,
  makeReversals,
  namesOf,
  notListed,
  notMade,
  type RefundOf,
  unanswered,
  type AccountHolder,
  type AccountIssuer,
  type DetailsOrder,
  type IncomingTransfer,
  type IssueAnswer,
  Issued,
  MaybeIssued,
  NotIssued
} from "../port/AccountIssuer.ts"
import { type Call, get, postJson, type ProviderCall, type ProviderReply, withQuery } from "../client/ProviderHttp.ts"
import { isOk, readOk } from "../client/ProviderReplies.ts"
import { enclosed, moneyOfMinor, optional, optionalText, objectReader } from "../client/WireValues.ts"
import { isOurs } from "./PaystackMovements.ts"
import { PAYSTACK_DIGITS } from "./PaystackRequests.ts"

export const dedicatedCurrencies = ["NGN", "GHS"]

const Dedicated = Schema.Struct({
  account_name: optionalText,
  account_number: Schema.String,
  currency: optionalText,
  bank: optional(Schema.Struct({ name: optionalText, slug: optionalText })),
  // Bank, as a customer's record names it.
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

/** Refund as in a list: the transaction is an object or its id. */
const Refund = Schema.Struct({
  id: Schema.String,
  status: optionalText,
  amount: optionalText,
  currency: optionalText,
  merchant_note: optionalText,
  transaction: optional(Schema.Union(Schema.String, Schema.Struct({ id: Schema.String })))
})
type Refund = typeof Refund.Type

const customerIn = enclosed(Customer)
const dedicatedIn = enclosed(Dedicated)
const transactionIn = enclosed(Transaction)
const refundsIn = enclosed(Schema.Array(Refund))
const transactionsIn = enclosed(Schema.Array(Transaction))
const messageIn = objectReader({ message: Schema.String })
const refusedBy = (reply: ProviderReply) => notMade(reply, Option.getOrUndefined(messageIn(reply.json))?.message)

/**
 * Address of the customer at Paystack. Customers are known by their address there, and each has one dedicated account, so
 * the holder's address gets a tag of the virtual account.
 */
export const taggedAddress = ({ email }: AccountHolder, reference: string): string => {
  const at = email.lastIndexOf("@")
  return `${email.slice(0, at)}+${sha256Hex(reference).slice(0, 12)}${email.slice(at)}`.toLowerCase()
}

export const createCustomer = ({ holder, reference }: DetailsOrder): ProviderCall => {
  const { first, last } = namesOf(holder)
  return postJson("create customer", "/customer", {
    email: taggedAddress(holder, reference),
    first_name: first,
    last_name: last,
    ...(holder.phone === null ? {} : { phone: holder.phone })
  })
}

const fetchCustomer = ({ holder, reference }: DetailsOrder): ProviderCall =>
  get("fetch customer", `/customer/${encodeURIComponent(taggedAddress(holder, reference))}`)

const createDedicated = (customer: string): ProviderCall =>
  postJson("create dedicated account", "/dedicated_account", { customer })

const PER_PAGE = 100

/** Query of a page of a list between two times. */
const between = (since: Date, until: Date | undefined, page: string) => ({
  from: since.toISOString(),
  to: until?.toISOString(),
  perPage: `${PER_PAGE}`,
  page
})

const listTransactions = (since: Date, until: Date | undefined, page: string): ProviderCall =>
  get("list transactions", withQuery("/transaction", between(since, until, page)))

const fetchTransaction = (id: string): ProviderCall =>
  get("fetch transaction", `/transaction/${encodeURIComponent(id)}`)

export const listRefunds = (since: Date, until: Date | undefined, page: string): ProviderCall =>
  get("list refunds", withQuery("/refund", between(since, until, page)))

const issuedAs = (customer: string, account: typeof Dedicated.Type, { currency }: DetailsOrder): IssueAnswer => {
  const { account_name, account_number, bank, provider } = account
  if ((account.currency ?? currency) !== currency) {
    return new NotIssued({ reason: `the account that Paystack issued is in ${account.currency}` })
  }
  const details = knownDetails({
    account_name,
    account_number,
    bank_name: bank?.name ?? provider?.bank_name,
    bank_code: bank?.slug ?? provider?.provider_slug
  })
  return new Issued({ providerReference: customer, details })
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
  // A reversed transaction had arrived in full before.
  const hasArrived = status === "success" || status === "reversed"
  if (channel !== DEDICATED || !hasArrived || money?.isPositive !== true) return undefined
  return {
    id,
    kind: "collection",
    providerReference: customer?.customer_code ?? null,
    amount: money,
    sender: authorization?.sender_name ?? authorization?.account_name ?? null
  }
}

/** A refund made in the dashboard, once it is paid. */
const refundOf = ({ amount, currency, id, merchant_note, status, transaction }: Refund): ReadonlyArray<RefundOf> => {
  const of = typeof transaction === "object" ? transaction.id : transaction
  const money = Option.getOrUndefined(moneyOfMinor(amount, currency, PAYSTACK_DIGITS))
  return status !== "processed" || isOurs(merchant_note) || of === undefined ? [] : [{ id, of, amount: () => money }]
}

export const dedicatedAccounts = (call: Call): AccountIssuer => {
  const reversals = makeReversals((id) =>
    Effect.flatMap(call(fetchTransaction(id)), (reply) => {
      // A transaction that Paystack does not have must not keep transfers from being booked.
      if (reply.status === 400 || reply.status === 404) return Either.right(null)
      return Either.map(readOk(reply, transactionIn), (transaction) => transferOf(transaction) ?? null)
    })
  )

  /** Pages are numbered from 1; one that is not full is the last. */
  const paged =
    <A>(request: (page: string) => ProviderCall, read: (json: unknown) => Option.Option<ReadonlyArray<A>>) =>
    (from: string | null) =>
      Effect.gen(function* () {
        const page = from ?? "1"
        const items = yield* readOk(yield* call(request(page)), read)
        return { items, next: items.length < PER_PAGE ? null : `${Number(page) + 1}` }
      })

  /** The customer of an earlier try is found by its address, with the account if it has one. */
  const customerFor = (order: DetailsOrder): Effect.Effect<typeof Customer.Type, IssueAnswer> =>
    Effect.gen(function* () {
      const found = yield* Effect.mapError(call(fetchCustomer(order)), unanswered)
      const known = readOk(found, customerIn)
      if (Either.isRight(known)) return known.right
      if (found.status !== 404 && found.status !== 400) return yield* Effect.fail(refusedBy(found))
      const made = yield* Effect.mapError(call(createCustomer(order)), unanswered)
      return yield* Either.mapLeft(readOk(made, customerIn), () => refusedBy(made))
    })

  return {
    currencies: dedicatedCurrencies,
    needsPhone: true,
    issue: (order) =>
      Effect.gen(function* () {
        const { customer_code, dedicated_account } = yield* customerFor(order)
        if (dedicated_account !== undefined) return issuedAs(customer_code, dedicated_account, order)
        const reply = yield* Effect.mapError(call(createDedicated(customer_code)), unanswered)
        if (!isOk(reply)) return refusedBy(reply)
        return Option.match(dedicatedIn(reply.json), {
          onNone: (): IssueAnswer => new MaybeIssued({ reason: "Paystack's answer cannot be read" }),
          onSome: (account) => issuedAs(customer_code, account, order)
        })
      }).pipe(Effect.merge),
    incoming: (since, until) =>
      Effect.gen(function* () {
        const arrived = yield* listAll(paged((page) => listTransactions(since, until, page), transactionsIn))
        // Listed by the time at which they were made, and processed days later.
        const made = new Date(since.getTime() - Duration.toMillis(refundProcessing))
        // Paystack's clock may be ahead.
        const soon = new Date((yield* Clock.currentTimeMillis) + Duration.toMillis(incomingTransferOverlap))
        const refunds = yield* listBetween(made, until ?? soon, (from, to) =>
          paged((page) => listRefunds(from, to, page), refundsIn)
        )
        const returned = yield* reversals(refunds.flatMap(refundOf))
        return [...arrived.flatMap((one) => transferOf(one) ?? []), ...returned]
      }).pipe(Effect.mapError(notListed))
  }
}
