/**
 * Bank details of Stripe for virtual accounts. A transfer lands on the cash balance of the account's customer at
 * Stripe. A payment moves it to our balance. Stripe returns the rest of the cash balance to its sender.
 */
import { Effect, Either, Option, Schema } from "effect"
import {
  knownDetails,
  listAll,
  notListed,
  notMade,
  unanswered,
  type AccountIssuer,
  type DetailsOrder,
  type IncomingTransfer,
  type IssueAnswer,
  Issued,
  MaybeIssued,
  type TransferKind
} from "../port/AccountIssuer.ts"
import { type Call, get, type ProviderCall, type ProviderReply, withQuery } from "../client/ProviderHttp.ts"
import { isOk, readOk } from "../client/ProviderReplies.ts"
import { optional, optionalText, orNull, objectReader } from "../client/WireValues.ts"
import { accountIn } from "./StripeAnswers.ts"
import { amountText, bankTransferType, type Form, moneyIn, post } from "./StripeRequests.ts"
import { BankAddress } from "./StripeSchemas.ts"

export const issuedCurrencies = ["EUR", "GBP", "JPY", "MXN", "USD"]

/** Marks the customer of a virtual account, and payments that only move its money on. */
const ACCOUNT = "virtual_account"
const SWEEP = "sweep"

const Customer = Schema.Struct({
  id: Schema.String,
  deleted: optional(Schema.Boolean),
  metadata: orNull(Schema.Record({ key: Schema.String, value: Schema.String }))
})
const customerIn = Schema.decodeUnknownOption(Customer)
const customersIn = objectReader({ data: Schema.Array(Customer) })
const instructionsIn = objectReader({
  bank_transfer: Schema.Struct({ financial_addresses: Schema.Array(BankAddress) })
})
const messageIn = objectReader({ error: Schema.Struct({ message: Schema.String }) })
const cashIn = objectReader({ available: orNull(Schema.Record({ key: Schema.String, value: Schema.String })) })

const Sender = optional(Schema.Struct({ sender_name: optionalText }))

export const CashTransaction = Schema.Struct({
  id: Schema.String,
  object: Schema.Literal("customer_cash_balance_transaction"),
  type: Schema.String,
  currency: Schema.String,
  customer: Schema.String,
  net_amount: Schema.String,
  funded: optional(
    Schema.Struct({
      bank_transfer: optional(
        Schema.Struct({
          eu_bank_transfer: Sender,
          gb_bank_transfer: Sender,
          jp_bank_transfer: Sender,
          us_bank_transfer: Sender
        })
      )
    })
  )
})
type CashTransaction = typeof CashTransaction.Type

export const cashTransactionIn = Schema.decodeUnknownOption(CashTransaction)
const eventsIn = objectReader({
  has_more: Schema.Boolean,
  data: Schema.Array(Schema.Struct({ id: Schema.String, data: Schema.Struct({ object: Schema.Unknown }) }))
})

/** Types of transactions on the cash balance. All others move money between it and our own balance. */
const kinds: Readonly<Record<string, TransferKind>> = {
  funded: "collection",
  funding_reversed: "reversal",
  return_initiated: "reversal",
  return_canceled: "reinstatement"
}

/** `insteadOf`: the customer of an earlier try, which was deleted. */
export const createCustomer = ({ holder, reference }: DetailsOrder, insteadOf?: string): ProviderCall => {
  const form: Form = {
    name: holder.name.slice(0, 256),
    email: holder.email.slice(0, 512),
    ...(holder.phone === null ? {} : { phone: holder.phone.slice(0, 20) }),
    [`metadata[${ACCOUNT}]`]: reference
  }
  const key = insteadOf === undefined ? `${reference}-account` : `${reference}-account-${insteadOf}`
  return post("create customer", "/v1/customers", form, key)
}

/** Finds the customer of an earlier try after its idempotency key was forgotten; the index behind it lags. */
const searchCustomer = ({ reference }: DetailsOrder): ProviderCall =>
  get(
    "search customers",
    withQuery("/v1/customers/search", { query: `metadata['${ACCOUNT}']:'${reference}'`, limit: "1" })
  )

const customerPath = (id: string, below = ""): string => `/v1/customers/${encodeURIComponent(id)}${below}`

/** Repeated, Stripe answers with the same details. */
const fundingInstructions = (customer: string, { country, currency }: DetailsOrder): ProviderCall => {
  const { eu_bank_transfer, type } = bankTransferType(currency, country)
  const form: Form = {
    currency: currency.toLowerCase(),
    funding_type: "bank_transfer",
    "bank_transfer[type]": type,
    ...(eu_bank_transfer === undefined ? {} : { "bank_transfer[eu_bank_transfer][country]": eu_bank_transfer })
  }
  return post("issue bank details", customerPath(customer, "/funding_instructions"), form)
}

const PER_PAGE = 100

const seconds = (at: Date): string => `${Math.floor(at.getTime() / 1000)}`

const listEvents = (since: Date, until: Date | undefined, after: string | null): ProviderCall =>
  get(
    "list events",
    withQuery("/v1/events", {
      type: "customer_cash_balance_transaction.created",
      "created[gte]": seconds(since),
      "created[lte]": until && seconds(until),
      limit: `${PER_PAGE}`,
      starting_after: after ?? undefined
    })
  )

const refusedBy = (reply: ProviderReply) => notMade(reply, Option.getOrUndefined(messageIn(reply.json))?.error.message)

/** A return takes from the cash balance. An amount against its type stays below zero, and is not booked. */
export const transferOf = (transaction: CashTransaction): IncomingTransfer | undefined => {
  const { currency, customer, funded, id, net_amount, type } = transaction
  const kind = Object.hasOwn(kinds, type) ? kinds[type] : undefined
  const net = Option.getOrUndefined(moneyIn(net_amount, currency))
  if (kind === undefined || net === undefined || net.isZero) return undefined
  const senders = Object.values(funded?.bank_transfer ?? {})
  const sender = senders.find((one) => one?.sender_name !== undefined)?.sender_name ?? null
  return { id, kind, providerReference: customer, amount: kind === "reversal" ? net.negate() : net, sender }
}

/** Owner of a customer: a virtual account, a single payment, or deleted at Stripe. */
type Ownership = "account" | "other" | "deleted"

const transferAs = (transfer: IncomingTransfer, ownership: Ownership): IncomingTransfer =>
  ownership === "deleted" ? { ...transfer, isUncertain: true } : transfer

export const customerAccounts = (call: Call) => {
  const ownershipOf = (customer: string): Effect.Effect<Ownership, { readonly reason: string }> =>
    Effect.gen(function* () {
      const reply = yield* call(get("get customer", customerPath(customer)))
      if (reply.status === 404) return "deleted"
      const { deleted, metadata } = yield* readOk(reply, customerIn)
      return deleted === true ? "deleted" : metadata?.[ACCOUNT] === undefined ? "other" : "account"
    })

  const createdCustomer = (order: DetailsOrder, insteadOf?: string): Effect.Effect<string, IssueAnswer> =>
    Effect.gen(function* () {
      const made = yield* Effect.mapError(call(createCustomer(order, insteadOf)), unanswered)
      return (yield* Either.mapLeft(readOk(made, customerIn), () => refusedBy(made))).id
    })

  const customerFor = (order: DetailsOrder): Effect.Effect<string, IssueAnswer> =>
    Effect.gen(function* () {
      const found = yield* Effect.mapError(call(searchCustomer(order)), unanswered)
      const known = Option.getOrUndefined(Either.getRight(readOk(found, customersIn)))?.data[0]
      return known === undefined ? yield* createdCustomer(order) : known.id
    })

  /** A customer that was deleted is replaced: its idempotency key still answers with its id. */
  const instructionsFor = (order: DetailsOrder) =>
    Effect.gen(function* () {
      const ask = (id: string) => Effect.mapError(call(fundingInstructions(id, order)), unanswered)
      const first = yield* customerFor(order)
      const reply = yield* ask(first)
      if (reply.status !== 404) return { customer: first, reply }
      const customer = yield* createdCustomer(order, first)
      return { customer, reply: yield* ask(customer) }
    })

  /** Moves the cash balance of a customer on to our balance. What is not there is not taken: it is repeatable. */
  const sweep = (customer: string, currency: string, key: string): Effect.Effect<void, { readonly reason: string }> =>
    Effect.gen(function* () {
      const cash = yield* call(get("get cash balance", customerPath(customer, "/cash_balance")))
      const { available } = yield* readOk(cash, cashIn)
      const money = Option.getOrUndefined(moneyIn(available?.[currency] ?? "0", currency))
      const amount = money?.isPositive === true ? Option.getOrUndefined(amountText(money)) : undefined
      if (amount === undefined) return
      const form: Form = {
        amount,
        currency,
        customer,
        "payment_method_types[]": "customer_balance",
        "payment_method_data[type]": "customer_balance",
        [`metadata[${SWEEP}]`]: key,
        confirm: "true"
      }
      const paid = yield* call(post("move cash balance", "/v1/payment_intents", form, `${key}-${amount}-${SWEEP}`))
      if (!isOk(paid)) return yield* Effect.fail({ reason: refusedBy(paid).reason })
    })

  const issuer: AccountIssuer = {
    currencies: issuedCurrencies,
    issue: (order) =>
      Effect.gen(function* () {
        const { customer, reply } = yield* instructionsFor(order)
        if (!isOk(reply)) return refusedBy(reply)
        const addresses = Option.map(
          instructionsIn(reply.json),
          ({ bank_transfer }) => bank_transfer.financial_addresses
        )
        const account = Option.getOrElse(addresses, () => [])
          .map(accountIn)
          .find((one) => one !== undefined)
        if (account === undefined) return new MaybeIssued({ reason: "Stripe's answer names no account that is known" })
        return new Issued({ providerReference: customer, details: knownDetails(account) })
      }).pipe(Effect.merge),
    incoming: (since, until) =>
      Effect.gen(function* () {
        const events = yield* listAll((after) =>
          Effect.gen(function* () {
            const { data, has_more } = yield* readOk(yield* call(listEvents(since, until, after)), eventsIn)
            return { items: data, next: has_more ? (data.at(-1)?.id ?? null) : null }
          })
        )
        // Stripe lists the newest first; a transfer is booked before its return.
        const all = events.toReversed().flatMap(({ data }) => Option.toArray(cashTransactionIn(data.object)))
        const known = new Map<string, Ownership>()
        const found: Array<IncomingTransfer> = []
        for (const transaction of all) {
          const { currency, customer, id, type } = transaction
          if (transferOf(transaction) === undefined) continue
          const ownership = known.get(customer) ?? (yield* ownershipOf(customer))
          known.set(customer, ownership)
          if (ownership === "other") continue
          found.push(transferAs(transferOf(transaction)!, ownership))
          // A sum that cannot be swept, such as one below Stripe's least amount, must not keep transfers from being booked.
          if (type === "funded" && ownership === "account") {
            yield* Effect.catchAll(sweep(customer, currency, id), ({ reason }) =>
              Effect.logWarning(`Stripe did not move the cash balance of ${customer}: ${reason}`)
            )
          }
        }
        return found
      }).pipe(Effect.mapError(notListed))
  }

  /** The transfer of a callback; undefined: of no virtual account. */
  const transferFrom = (transaction: CashTransaction) =>
    Effect.gen(function* () {
      const transfer = transferOf(transaction)
      if (transfer === undefined) return undefined
      const ownership = yield* ownershipOf(transaction.customer)
      return ownership === "other" ? undefined : transferAs(transfer, ownership)
    })

  return { issuer, transferFrom }
}
