/** Movements at Flutterwave: transactions, refunds and chargebacks, each under its own id. */
import { Option, Schema } from "effect"
import type { Movement, MovementState } from "../../domain/Movement.ts"
import { Report } from "../../domain/Outcome.ts"
import type { ProviderReply } from "../client/ProviderHttp.ts"
import { moneyOfMajor, optionalText } from "../client/WireValues.ts"
import { answerOf, refundState } from "./FlutterwaveAnswers.ts"

export const moneyIn = (amount: string | undefined, currency: string | undefined) =>
  Option.getOrUndefined(moneyOfMajor(amount, currency))

export const Transaction = Schema.Struct({
  id: optionalText,
  tx_ref: Schema.String,
  flw_ref: optionalText,
  status: Schema.String,
  amount: optionalText,
  currency: optionalText,
  app_fee: optionalText,
  processor_response: optionalText,
  created_at: optionalText
})
export type Transaction = typeof Transaction.Type

const isSuccessful = ({ status }: Transaction): boolean => status.toLowerCase() === "successful"

export const collectionOf = (transaction: Transaction): ReadonlyArray<Movement> => {
  const { amount: said, currency, id } = transaction
  const amount = moneyIn(said, currency)
  return !isSuccessful(transaction) || id === undefined || amount?.isPositive !== true
    ? []
    : [{ kind: "collection", id, amount, state: "settled" }]
}

const transactionsIn = answerOf(Schema.Struct({ data: Schema.Array(Transaction) }))

/** Transactions of a reference that brought money: a payer can pay under one reference more than once. */
export const paidUnder =
  (reference: string) =>
  (reply: ProviderReply): ReadonlyArray<Transaction> =>
    (transactionsIn(reply)?.data ?? []).filter((one) => one.tx_ref === reference && collectionOf(one).length > 0)

/** The answer to its order says `tx_id` and `comments`; lists and look-ups say `transaction_id` and `comment`. */
export const Refund = Schema.Struct({
  id: Schema.String,
  status: Schema.String,
  tx_id: optionalText,
  transaction_id: optionalText,
  amount_refunded: optionalText,
  comments: optionalText,
  comment: optionalText
})
export type Refund = typeof Refund.Type

export const transactionOf = ({ transaction_id, tx_id }: Refund): string | undefined => tx_id ?? transaction_id

export const commentsOf = ({ comment = "", comments }: Refund): string => comments ?? comment

const refundStates = { completed: "settled", failed: "failed", processing: "pending" } as const

/** A refund does not name its currency, which is that of its transaction. */
export const refundMovement = ({ amount_refunded, id, status }: Refund, currency: string): Movement => {
  const state: MovementState = refundStates[refundState(status)]
  const amount = moneyIn(amount_refunded, currency)
  return { kind: "refund", id, amount: amount?.isPositive === true ? amount : null, state }
}

const ourReference = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}(?= |$)/

/** Our reference, which the comments of a refund of ours begin with. */
export const referenceOf = (refund: Refund): string | undefined => ourReference.exec(commentsOf(refund))?.[0]

export const refundsAmong = (
  refunds: ReadonlyArray<Refund>,
  transactions: ReadonlyArray<Transaction>
): ReadonlyArray<Movement> =>
  refunds.flatMap((refund) => {
    const paid = transactions.find(({ id }) => id !== undefined && id === transactionOf(refund))
    const movement = paid?.currency === undefined ? undefined : refundMovement(refund, paid.currency)
    const ours = referenceOf(refund)
    return movement === undefined || movement.amount === null
      ? []
      : [{ ...movement, ...(ours === undefined ? {} : { refund: ours }) }]
  })

const Chargeback = Schema.Struct({
  id: Schema.String,
  status: Schema.String,
  flw_ref: optionalText,
  amount: optionalText
})

/** Chargebacks: one, or a list. */
const chargebacksIn = answerOf(Schema.Struct({ data: Schema.Union(Schema.Array(Chargeback), Chargeback) }))

/** An open chargeback only holds the money. */
const taken: ReadonlySet<string> = new Set(["lost", "accepted"])

export const reversalsOf =
  ({ currency, flw_ref }: Transaction) =>
  (reply: ProviderReply): ReadonlyArray<Movement> =>
    [chargebacksIn(reply)?.data ?? []].flat().flatMap((one): ReadonlyArray<Movement> => {
      const amount = moneyIn(one.amount, currency)
      return one.flw_ref === flw_ref && taken.has(one.status.toLowerCase()) && amount?.isPositive === true
        ? [{ kind: "reversal", id: one.id, amount, state: "settled" }]
        : []
    })

/** Adds what else was found of a payin to what one of its transactions says. */
export const withOthers = (
  said: Report,
  transactions: ReadonlyArray<Transaction>,
  others: ReadonlyArray<Movement>
): Report => {
  const known = said.movements ?? []
  const isNew = ({ id, kind }: Movement) => !known.some((one) => one.id === id && one.kind === kind)
  const movements = [...known, ...transactions.flatMap(collectionOf).filter(isNew), ...others]
  const isPaid = movements.some(({ kind }) => kind === "collection")
  return isPaid && movements.length > known.length
    ? new Report({ ...said, state: "completed", reason: null, movements })
    : said
}
