/** Builds and records movements on virtual accounts: ledger entries, a row for each account, an event for each row. */
import { Clock, Context, Effect, Layer, type BigDecimal, Either, Option } from "effect"
import { type InsufficientFunds, Invalid, RateMismatch } from "../../domain/Failure.ts"
import { type AccountId, Ids, type OrgId, TransactionId } from "../../domain/Ids.ts"
import { type Entry, type EntryKind, LedgerAccount, move, type Posting } from "../../domain/Ledger.ts"
import { Ledger } from "../../money/ledger/Ledger.ts"
import { EventPublisher } from "../../webhooks/EventPublisher.ts"
import { IncomingTransferStore } from "./IncomingTransferStore.ts"
import { transactionEvent } from "./VirtualAccountView.ts"
import {
  ledgerAccountOf,
  type NewVirtualTransaction,
  railIn,
  type VirtualTransaction,
  VirtualTransactionStore,
  type VirtualAccount
} from "./VirtualAccountStore.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"
import type { AnyCurrencyCode } from "../../domain/Currency.ts"
import { given, type Rate, worse } from "../../domain/Exchange.ts"
import { checkLocked, type LockedRate } from "../../domain/LockedRate.ts"
import { Money } from "../../domain/Money.ts"
import { checkLockedAmount, type LiveValues, type LockLimits } from "../../money/rates/RateLockStore.ts"
import { type Beneficiary, methodOfAccount } from "../../payments/beneficiaries/Beneficiary.ts"
import { toPlainText } from "../../domain/Decimal.ts"
import { notLocked } from "../../payments/initiate/PaymentPlan.ts"
import type { Payment } from "../../payments/store/Payment.ts"

const REPAYMENT = "Repayment of a returned transfer"

type CreditedAccount = Pick<VirtualAccount, "account_id" | "currency" | "org_id" | "user_id">

/** Runs inside a transaction that has locked the accounts and posts nothing else. */
export class RecordMovement extends Context.Tag("corridor/RecordMovement")<
  RecordMovement,
  (
    entries: ReadonlyArray<Entry>,
    rows: ReadonlyArray<NewVirtualTransaction>,
    /** Credit that has no line of its own: what a withdrawal gave back. */
    returned?: NewVirtualTransaction
  ) => Stored<ReadonlyArray<VirtualTransaction>, InsufficientFunds>
>() {
  static readonly layer = Layer.effect(
    RecordMovement,
    Effect.gen(function* () {
      const transactions = yield* VirtualTransactionStore
      const ledger = yield* Ledger
      const events = yield* EventPublisher
      const transfers = yield* IncomingTransferStore
      const ids = yield* Ids

      /** Pays what an account owes for returned transfers to the organisation, out of its credits. */
      const repaid = Effect.fnUntraced(function* (row: NewVirtualTransaction, credited: bigint) {
        const { account_id, currency, org_id, payment_rail, reference } = row
        if (credited <= 0n) return []
        // Other rows of the change may have taken money from the account too.
        const { minor: balance } = yield* ledger.balance(ledgerAccountOf(row))
        const upTo = new Money({ currency, minor: balance < credited ? balance : credited })
        const paid = upTo.isPositive ? yield* transfers.payOwed(org_id, account_id, upTo) : Money.zero(currency)
        if (paid.isZero) return []
        const transaction_id = yield* ids.make(TransactionId)
        yield* ledger.post([
          {
            entry_id: yield* ids.next,
            org_id,
            kind: "receivable_payment",
            payment_id: null,
            reference: transaction_id,
            postings: move(ledgerAccountOf(row), LedgerAccount.settlement(org_id, currency), paid)
          }
        ])
        const about = { transaction_id, payment_rail, reference, description: REPAYMENT }
        return [completedRow(row, { ...about, type: "debit", amount: paid })]
      })

      /** By account, what the rows add to it. */
      const creditsOf = (rows: ReadonlyArray<NewVirtualTransaction>) => {
        const credits = new Map<AccountId, { readonly row: NewVirtualTransaction; readonly minor: bigint }>()
        for (const row of rows.filter(({ status }) => status === "completed")) {
          const { amount, fee, type } = row
          const minor = type === "credit" ? amount.minor - fee.minor : -amount.minor
          credits.set(row.account_id, { row, minor: (credits.get(row.account_id)?.minor ?? 0n) + minor })
        }
        return Array.from(credits.values())
      }

      return Effect.fnUntraced(function* (
        entries: ReadonlyArray<Entry>,
        rows: ReadonlyArray<NewVirtualTransaction>,
        returned?: NewVirtualTransaction
      ) {
        yield* ledger.post(entries)
        const credits = creditsOf(returned === undefined ? rows : [...rows, returned])
        const repayments = yield* Effect.forEach(credits, ({ minor, row }) => repaid(row, minor))
        const written = yield* transactions.insert([...rows, ...repayments.flat()])
        const balances = yield* ledger.balances(written.map(ledgerAccountOf))
        const at = new Date(yield* Clock.currentTimeMillis)
        yield* Effect.forEach(
          written,
          (transaction) =>
            Effect.flatMap(ids.next, (id) =>
              events.publishEvent(transactionEvent(id, transaction, balances.get(ledgerAccountOf(transaction))!, at))
            ),
          { discard: true }
        )
        return written
      })
    })
  )
}

/** Amounts of a transfer. */
interface TransferAmounts {
  readonly paid: Money
  readonly received: Money
  /** Null if both accounts have one currency. */
  readonly rate: Rate | null
  /** The rate lock to use up; null if both accounts have one currency. */
  readonly orgRateId: string | null
}

/** Side of a transfer: a virtual account, or the settlement account of its organisation. */
interface TransferSide {
  readonly ledger: LedgerAccount
  readonly currency: AnyCurrencyCode
  /** Null: settlement. */
  readonly account: VirtualAccount | null
}

export const accountSide = (account: VirtualAccount): TransferSide => ({
  ledger: ledgerAccountOf(account),
  currency: account.currency,
  account
})

export const settlementSide = (orgId: OrgId, currency: AnyCurrencyCode): TransferSide => ({
  ledger: LedgerAccount.settlement(orgId, currency),
  currency,
  account: null
})

/** Name of the settlement account in `from_account_id` and `to_account_id`. */
export const SETTLEMENT = "settlement"

export interface TransferAccounts {
  readonly from: TransferSide
  readonly to: TransferSide
}

interface TransferCurrencies {
  readonly from: Pick<TransferSide, "currency">
  readonly to: Pick<TransferSide, "currency">
}

export const amountInCurrencyOf = (
  { currency }: Pick<TransferSide, "currency">,
  amount: BigDecimal.BigDecimal
): Either.Either<Money, Invalid> =>
  Either.mapLeft(Money.fromDecimal(amount, currency), (why) => new Invalid({ message: `amount: ${why}.` }))

/** The rate lock that a transfer names. None: not a lock of this organisation, or no live rate. */
interface TransferRate {
  readonly lock: Option.Option<LockedRate>
  readonly values: Option.Option<LiveValues>
  readonly limits: LockLimits
}

/** Uses the worse of locked and live rate: a transfer never gains by its lock. */
const exchanged = (
  paid: Money,
  { to }: TransferCurrencies,
  named: TransferRate
): Either.Either<TransferAmounts, Invalid | RateMismatch> =>
  Either.gen(function* () {
    const { limits, lock, values } = named
    if (Option.isNone(lock) || Option.isNone(values)) return yield* Either.left(notLocked())
    const locked = yield* Either.mapLeft(
      checkLocked(lock.value, paid.currency, to.currency),
      (message) => new RateMismatch({ message })
    )
    yield* checkLockedAmount(locked, paid, values.value, limits)
    const rate = worse(locked.rate, values.value.live)
    const received = given(paid, { ...locked, rate })
    return received.isZero
      ? yield* Either.left(new Invalid({ message: `amount: rounds to zero in ${to.currency}; send more.` }))
      : { paid, received, rate, orgRateId: locked.orgRateId }
  })

/** `named`: undefined if the request names no rate. */
export const transferAmounts = (
  amount: BigDecimal.BigDecimal,
  sides: TransferCurrencies,
  named: TransferRate | undefined
): Either.Either<TransferAmounts, Invalid | RateMismatch> =>
  Either.gen(function* () {
    const { from, to } = sides
    const paid = yield* amountInCurrencyOf(from, amount)
    if (from.currency === to.currency) return { paid, received: paid, rate: null, orgRateId: null }
    if (named !== undefined) return yield* exchanged(paid, sides, named)
    const message = `org_rate_id: is needed from ${from.currency} to ${to.currency}: look the rate up first.`
    return yield* Either.left(new Invalid({ message }))
  })

/** Posts through `fx` if the currencies differ. */
const transferPostings = (
  { from, to }: TransferAccounts,
  { paid, received }: TransferAmounts
): ReadonlyArray<Posting> =>
  from.currency === to.currency
    ? move(from.ledger, to.ledger, paid)
    : [
        ...move(from.ledger, LedgerAccount.fx(from.currency), paid),
        ...move(LedgerAccount.fx(to.currency), to.ledger, received)
      ]

/** Ledger entry and rows of one movement. */
interface MovementRecord {
  readonly entry: Entry
  readonly rows: ReadonlyArray<NewVirtualTransaction>
}

type Described = Pick<
  NewVirtualTransaction,
  "transaction_id" | "type" | "amount" | "description" | "payment_rail" | "reference"
>

/** A row that is final when written. */
export const completedRow = (
  { account_id, currency, org_id, user_id }: CreditedAccount,
  described: Described
): NewVirtualTransaction => ({
  ...described,
  account_id,
  org_id,
  user_id,
  currency,
  fee: Money.zero(currency),
  status: "completed",
  payment_id: null,
  rate: null
})

/** A pending row, whose status follows the payment. */
export const withdrawalRow = (
  account: VirtualAccount,
  { amount, description, payment_id, transaction_id }: Payment,
  { account_type }: Beneficiary
): NewVirtualTransaction => {
  const about = {
    transaction_id,
    amount,
    description,
    payment_rail: methodOfAccount[account_type],
    reference: payment_id
  }
  return { ...completedRow(account, { ...about, type: "debit" }), status: "pending", payment_id }
}

const rails = { bank_transfer: "bank_transfer", card: "card", mobile_money: "mobile_money" } as const

const descriptions: Partial<Record<EntryKind, string>> = {
  payin: "Payment",
  refund_hold: "Refund of payment",
  refund_release: "Returned refund of payment",
  reserve_hold: "Reserve of payment",
  reserve_release: "Release from the reserve of payment"
}

/** Row of the account that a payin's ledger entry credits. */
export const payinRow = (
  transaction_id: TransactionId,
  account: VirtualAccount,
  payment: Payment,
  { amount, entry }: { readonly amount: Money; readonly entry: Entry },
  note: string | null
): NewVirtualTransaction => {
  const { payment_id, payment_method, target, total_fees } = payment
  const fee = total_fees ?? Money.zero(account.currency)
  const isCompletion = entry.kind === "payin" && amount.minor === target.minor - fee.minor
  const about = `${descriptions[entry.kind] ?? "Adjustment of payment"} ${payment_id}`
  const row = completedRow(account, {
    transaction_id: isCompletion ? payment.transaction_id : transaction_id,
    type: amount.isNegative ? "debit" : "credit",
    amount: isCompletion ? target : amount.isNegative ? amount.negate() : amount,
    description: note === null ? about : `${about}: ${note}`,
    payment_rail: rails[payment_method as keyof typeof rails],
    reference: payment_id
  })
  return isCompletion ? { ...row, fee } : row
}

/** Cost or return of a withdrawal by an operator's decision, which the payment's status does not show. */
export const settlementRow = (
  transaction_id: TransactionId,
  withdrawal: VirtualTransaction,
  { amount, reference }: Pick<NewVirtualTransaction, "amount" | "reference">,
  note: string
): NewVirtualTransaction =>
  completedRow(withdrawal, {
    transaction_id,
    reference,
    payment_rail: withdrawal.payment_rail,
    type: amount.isNegative ? "debit" : "credit",
    amount: amount.isNegative ? amount.negate() : amount,
    description: `Withdrawal ${withdrawal.transaction_id}: ${note}`
  })

const nameOf = ({ account }: TransferSide): string => account?.account_id ?? SETTLEMENT

/** A row for each virtual account, the debit first. `ids`: of the entry, the debit and the credit. */
export const transferRecord = (
  org_id: OrgId,
  [entry_id, debited, credited]: readonly [string, TransactionId, TransactionId],
  sides: TransferAccounts,
  amounts: TransferAmounts
): MovementRecord => {
  const { from, to } = sides
  const rate = amounts.rate === null ? null : toPlainText(amounts.rate)
  const row = ({ account }: TransferSide, described: Omit<Described, "payment_rail" | "reference">) =>
    account === null
      ? []
      : [{ ...completedRow(account, { ...described, payment_rail: "internal", reference: entry_id }), rate }]
  const debit = { type: "debit", amount: amounts.paid, description: `Transfer to ${nameOf(to)}` } as const
  const credit = { type: "credit", amount: amounts.received, description: `Transfer from ${nameOf(from)}` } as const
  return {
    entry: {
      entry_id,
      org_id,
      kind: "transfer",
      payment_id: null,
      reference: from.account === null ? credited : debited,
      postings: transferPostings(sides, amounts)
    },
    rows: [...row(from, { ...debit, transaction_id: debited }), ...row(to, { ...credit, transaction_id: credited })]
  }
}

/** `ids`: of the entry and the credit. */
export const depositRecord = (
  [entry_id, transaction_id]: readonly [string, TransactionId],
  account: VirtualAccount,
  amount: Money
): MovementRecord => ({
  entry: {
    entry_id,
    org_id: account.org_id,
    kind: "deposit",
    payment_id: null,
    reference: transaction_id,
    postings: move(LedgerAccount.provider("fiat", account.currency), ledgerAccountOf(account), amount)
  },
  rows: [
    completedRow(account, {
      transaction_id,
      type: "credit",
      amount,
      description: "Simulated deposit",
      payment_rail: railIn(account.currency),
      reference: entry_id
    })
  ]
})
