/**
 * Connects payments to virtual accounts.
 *
 * - A withdrawal: blocks dispatch while the account is frozen, publishes events on completion and return, records an
 *   operator's decision as a row, replays the answer.
 * - A payin to an account: writes a row and its event for every entry that moves money of the account.
 */
import { Clock, type Context, Effect, Layer, Option } from "effect"
import { AccountId, idOrNil, Ids, TransactionId } from "../../domain/Ids.ts"
import { combine, type Entry, virtualAccountIn } from "../../domain/Ledger.ts"
import { Money } from "../../domain/Money.ts"
import { Ledger } from "../../money/ledger/Ledger.ts"
import { creditsAccount, FundingEvents } from "../../payments/settlement/PaymentEvents.ts"
import type { Payment } from "../../payments/store/Payment.ts"
import type { StoredEvent } from "../../webhooks/Webhook.ts"
import { transactionEvent, withdrawalAnswer } from "./VirtualAccountView.ts"
import { payinRow, settlementRow, RecordMovement } from "./RecordMovement.ts"
import {
  ledgerAccountOf,
  ensureCanPay,
  ensureCanReceive,
  type NewVirtualTransaction,
  VirtualAccountStore,
  withPaymentState,
  VirtualTransactionStore
} from "./VirtualAccountStore.ts"
import type { ReplayedAnswer } from "../../payments/read/Payments.ts"

const accountIn = (payment: Payment): AccountId => virtualAccountIn(payment.funding) ?? idOrNil(AccountId)("")

const nothing: ReadonlyArray<StoredEvent> = []

/** Amount by which each entry changes the account. */
const movedOn = ({ funding }: Payment, entries: ReadonlyArray<Entry>) =>
  entries.flatMap((entry) =>
    combine(entry.postings).flatMap(({ account, amount }) => (account === funding ? [{ entry, amount }] : []))
  )

/** Decided by a person or a rule; the status of a withdrawal does not show it. */
const isDecided = ({ kind }: Entry): boolean => kind === "adjustment"

export const withdrawalEvents = Effect.gen(function* () {
  const accounts = yield* VirtualAccountStore
  const transactions = yield* VirtualTransactionStore
  const ledger = yield* Ledger
  const ids = yield* Ids
  const record = yield* RecordMovement
  const withdrawal = ({ funding, org_id, payment_id }: Payment) =>
    virtualAccountIn(funding) === null ? Effect.succeedNone : transactions.findByPayment(org_id, payment_id)

  const events: Context.Tag.Service<FundingEvents> = {
    admit: Effect.fnUntraced(function* (payment) {
      if (creditsAccount(payment)) {
        const credited = Option.getOrThrow(yield* accounts.lock(payment.org_id, accountIn(payment)))
        // A refund of a completed payin pays; anything else collects.
        return void (yield* payment.status === "completed" ? ensureCanPay(credited) : ensureCanReceive(credited))
      }
      const found = yield* withdrawal(payment)
      if (Option.isNone(found)) return
      const account = yield* accounts.lock(payment.org_id, found.value.account_id)
      yield* ensureCanPay(Option.getOrThrow(account))
    }),
    of: Effect.fnUntraced(function* (payment, previous, entries) {
      const { status } = payment
      if (status === previous || (status !== "completed" && status !== "refunded")) return nothing
      const found = yield* withdrawal(payment)
      if (Option.isNone(found)) return nothing
      const { currency, minor } = yield* ledger.balance(ledgerAccountOf(found.value))
      const moved = movedOn(payment, entries).reduce((sum, { amount }) => sum + amount.minor, 0n)
      const balance = new Money({ currency, minor: minor + moved })
      const at = new Date(yield* Clock.currentTimeMillis)
      const transaction = withPaymentState(found.value, payment)
      const { test: _test, ...event } = transactionEvent(yield* ids.next, transaction, balance, at)
      return [{ ...event, payment_id: payment.payment_id }]
    }),
    posted: Effect.fnUntraced(function* (payment, entries, note) {
      const moved = movedOn(payment, entries)
      if (moved.length === 0) return
      const found = yield* withdrawal(payment)
      const account = creditsAccount(payment)
        ? yield* accounts.find(Option.some(payment.org_id), accountIn(payment))
        : Option.none()
      const rows = yield* Effect.forEach(moved, ({ amount, entry }) =>
        Effect.map(ids.make(TransactionId), (id): ReadonlyArray<NewVirtualTransaction> => {
          if (Option.isSome(account)) return [payinRow(id, account.value, payment, { entry, amount }, note)]
          if (Option.isNone(found) || !isDecided(entry)) return []
          return [settlementRow(id, found.value, { reference: entry.entry_id, amount }, note ?? "adjusted")]
        })
      )
      const back = moved.reduce((sum, { amount, entry }) => (isDecided(entry) ? sum : sum + amount.minor), 0n)
      const returned =
        Option.isSome(account) || Option.isNone(found) || back <= 0n
          ? undefined
          : settlementRow(
              yield* ids.make(TransactionId),
              found.value,
              {
                reference: payment.payment_id,
                amount: new Money({ currency: payment.amount.currency, minor: back })
              },
              ""
            )
      if (rows.flat().length === 0 && returned === undefined) return
      // The payment's own change has posted the entries.
      yield* Effect.catchTag(record([], rows.flat(), returned), "InsufficientFunds", Effect.die)
    }),
    creditedAccount: Effect.fnUntraced(function* (orgId, accountId) {
      const found = yield* accounts.find(Option.some(orgId), idOrNil(AccountId)(accountId))
      return Option.map(found, (account) => ({
        ledger: ledgerAccountOf(account),
        currency: account.currency,
        isClosed: account.status === "closed"
      }))
    })
  }
  return events
})

export const WithdrawalEvents = Layer.effect(FundingEvents, withdrawalEvents).pipe(Layer.provide(RecordMovement.layer))

/** Answer to a repeated withdrawal request whose first answer was lost. */
export const replayedWithdrawalAnswer = Effect.map(
  VirtualTransactionStore,
  (transactions): ReplayedAnswer =>
    ({ org_id, payment_id }) =>
      Effect.map(transactions.findByPayment(org_id, payment_id), Option.map(withdrawalAnswer.textOf))
)
