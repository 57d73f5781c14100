/**
 * Account numbers of Flutterwave for virtual accounts. A number is permanent, and every transfer to it is a transaction
 * under the `tx_ref` that the number was made with.
 */
import { Clock, Duration, Effect, Option, Schema } from "effect"
import { refundProcessing } from "../../domain/policies/PaymentPolicies.ts"
import { type Call, get, postJson, type ProviderCall, type ProviderReply } from "../client/ProviderHttp.ts"
import { isOk } from "../client/ProviderReplies.ts"
import { optional, optionalText, objectReader } from "../client/WireValues.ts"
import {
  type AccountIssuer,
  type DetailsOrder,
  type IncomingTransfer,
  type IssueAnswer,
  Issued,
  MaybeIssued,
  NotIssued,
  knownDetails,
  listAll,
  listBetween,
  makeReversals,
  notListed,
  namesOf,
  notMade,
  type RefundOf,
  unanswered
} from "../port/AccountIssuer.ts"
import { Proof, type ProvedTransfer } from "../port/Callback.ts"
import { answerOf, isDuplicate, messageIn, pages, refundState } from "./FlutterwaveAnswers.ts"
import { moneyIn, Refund, referenceOf, transactionOf } from "./FlutterwaveMovements.ts"
import { isNotFound } from "./FlutterwaveReports.ts"
import { cut, digits, refundsPath, successfulPath, verifyIdPath } from "./FlutterwaveRequests.ts"

export const numberedCurrencies = ["NGN"]

/** Marks transactions of virtual accounts; those of payments have a bare UUID. */
const PREFIX = "account-"

export const isOfAccount = (txRef: string | undefined): boolean => txRef?.startsWith(PREFIX) === true

const numberIn = answerOf(
  Schema.Struct({
    data: Schema.Struct({
      account_number: Schema.String.pipe(Schema.pattern(/^\d+$/)),
      bank_name: optionalText,
      note: optionalText
    })
  })
)

/** `meta` has another form for each payment method. */
const Transaction = Schema.Struct({
  id: Schema.String,
  tx_ref: optionalText,
  status: Schema.String,
  amount: optionalText,
  currency: optionalText,
  payment_type: optionalText,
  created_at: optionalText,
  meta: optional(Schema.Unknown)
})
type Transaction = typeof Transaction.Type

const senderIn = objectReader({ originatorname: Schema.String })

const transactionIn = answerOf(Schema.Struct({ data: Transaction }))
const transactionsIn = answerOf(Schema.Struct({ data: Schema.Array(Transaction), ...pages }))
const refundsIn = answerOf(
  Schema.Struct({ data: Schema.Array(Schema.Struct({ ...Refund.fields, created_at: optionalText })), ...pages })
)

/** Repeated, it may make another number. Transfers to both carry the same `tx_ref`. */
export const createNumber = ({ holder, reference }: DetailsOrder, bvn: string): ProviderCall => {
  const { first, last } = namesOf(holder)
  return postJson("create account number", "/v3/virtual-account-numbers", {
    email: holder.email,
    is_permanent: true,
    bvn,
    tx_ref: `${PREFIX}${reference}`,
    narration: cut(holder.name),
    firstname: cut(first),
    lastname: cut(last),
    ...(holder.phone === null ? {} : { phonenumber: digits(holder.phone) })
  })
}

/** Money that came under the mark of virtual accounts; null: anything else, or an amount that cannot be read. */
const transferOf = ({ amount, currency, id, meta, payment_type, status, tx_ref }: Transaction) => {
  const money = moneyIn(amount, currency)
  if (!isOfAccount(tx_ref) || status.toLowerCase() !== "successful" || money?.isPositive !== true) return null
  const transfer: IncomingTransfer = {
    id,
    kind: "collection",
    // A payer can pay under any tx_ref by other means, such as a card: that is no transfer to the account.
    providerReference: payment_type === "bank_transfer" ? tx_ref! : null,
    amount: money,
    sender: Option.getOrNull(Option.map(senderIn(meta), ({ originatorname }) => originatorname))
  }
  return transfer
}

/** Refunds of payins have our reference. */
const refundOf = (refund: Refund): ReadonlyArray<RefundOf> => {
  const of = transactionOf(refund)
  return refundState(refund.status) !== "completed" || of === undefined || referenceOf(refund) !== undefined
    ? []
    : [{ id: refund.id, of, amount: ({ currency }) => moneyIn(refund.amount_refunded, currency) }]
}

/** Flutterwave lists by days, the newest first: a page that ends before this time is the last one of interest. */
const isPast = (rows: ReadonlyArray<{ readonly created_at?: string | undefined }>, since: Date): boolean => {
  const at = (row: (typeof rows)[number] | undefined) => Date.parse(row?.created_at ?? "")
  return at(rows[0]) >= at(rows.at(-1)) && at(rows.at(-1)) < since.getTime()
}

interface Listed<A> {
  readonly data: ReadonlyArray<A>
  readonly meta?: { readonly page_info?: { readonly total_pages?: string | undefined } | undefined } | undefined
}

export const accountNumbers = (call: Call, bvn: string | undefined) => {
  const paged =
    <A extends { readonly created_at?: string | undefined }>(
      request: (page: string) => ProviderCall,
      read: (reply: ProviderReply) => Listed<A> | undefined,
      since: Date
    ) =>
    (from: string | null) =>
      Effect.gen(function* () {
        const page = from ?? "1"
        const reply = yield* call(request(page))
        const listed = read(reply)
        if (listed === undefined) return yield* Effect.fail({ reason: messageIn(reply) ?? `HTTP ${reply.status}` })
        const { data, meta } = listed
        const last = Number(meta?.page_info?.total_pages ?? Number.POSITIVE_INFINITY)
        const isLast = data.length === 0 || Number(page) >= last || isPast(data, since)
        return { items: data, next: isLast ? null : `${Number(page) + 1}` }
      })

  const lookUp = (id: string) => call(get("look up transaction", verifyIdPath(id)))

  const reversals = makeReversals((id) =>
    Effect.flatMap(lookUp(id), (reply) => {
      // A transaction that is not there must not keep transfers from being booked.
      if (isNotFound(reply)) return Effect.succeed(null)
      const read = transactionIn(reply)
      return read === undefined
        ? Effect.fail({ reason: `HTTP ${reply.status}` })
        : Effect.succeed(transferOf(read.data))
    })
  )

  const issuer: AccountIssuer = {
    currencies: numberedCurrencies,
    issue: (order) =>
      Effect.gen(function* () {
        if (bvn === undefined) return new NotIssued({ reason: "FLUTTERWAVE_BVN is not set, and numbers need it" })
        const reply = yield* Effect.mapError(call(createNumber(order, bvn)), unanswered)
        const made = numberIn(reply)?.data
        if (made === undefined) {
          // Flutterwave holds the number of an earlier try.
          if (isDuplicate(reply)) return new MaybeIssued({ reason: "Flutterwave has this reference already" })
          return isOk(reply)
            ? new MaybeIssued({ reason: "Flutterwave's answer cannot be read" })
            : notMade(reply, messageIn(reply))
        }
        const { account_number, bank_name, note } = made
        const account_name = /bank transfer to (.+)$/i.exec(note ?? "")?.[1] ?? order.holder.name
        return new Issued({
          providerReference: `${PREFIX}${order.reference}`,
          details: knownDetails({ account_name, account_number, bank_name })
        })
      }).pipe(Effect.merge) as Effect.Effect<IssueAnswer>,
    incoming: (since, until) =>
      Effect.gen(function* () {
        const end = until ?? new Date(yield* Clock.currentTimeMillis)
        const arrived = yield* listAll(
          paged((page) => get("list transactions", `${successfulPath(since, end)}&page=${page}`), transactionsIn, since)
        )
        // Listed by the time at which they were made, and completed days later.
        const made = new Date(since.getTime() - Duration.toMillis(refundProcessing))
        const refunds = yield* listBetween(made, end, (from, to) =>
          paged((page) => get("list refunds", `${refundsPath(from, to)}&page=${page}`), refundsIn, from)
        )
        const returned = yield* reversals(refunds.flatMap(refundOf))
        return [...arrived.flatMap((one) => transferOf(one) ?? []), ...returned]
      }).pipe(Effect.mapError(notListed))
  }

  /** The transfer that a callback names, as the look-up shows it; none: it could not be looked up. */
  const transferAt = (id: string): Effect.Effect<Option.Option<ReadonlyArray<ProvedTransfer>>> =>
    Effect.gen(function* () {
      const reply = yield* lookUp(id)
      const proof = yield* Proof.lookedUp(reply)
      const transfer = transferOf((yield* Option.fromNullable(transactionIn(reply))).data)
      return transfer === null ? [] : [{ ...transfer, proof }]
    }).pipe(Effect.option)

  return { issuer, transferAt }
}
