/**
 * Connects payments of withdrawals to their virtual account: blocks dispatch while the account is frozen, publishes
 * events on completion and return, records an operator's decision as a row, and replays the answer to a withdrawal.
 */
import { Clock, Effect, Layer, Option } from "effect"
import { Ids, TransactionId } from "../../domain/Ids.ts"
import { combine, kindOf } from "../../domain/Ledger.ts"
import { Money } from "../../domain/Money.ts"
import { Ledger } from "../../money/ledger/Ledger.ts"
import { FundingEvents } from "../../payments/settlement/PaymentEvents.ts"
import type { Payment } from "../../payments/store/Payment.ts"
import type { StoredEvent } from "../../webhooks/Webhook.ts"
import { transactionEvent, movementAnswerText } from "./VirtualAccountView.ts"
import { settlementRow, RecordMovement } from "./RecordMovement.ts"
import {
  ledgerAccountOf,
  ensureCanPay,
  VirtualAccountStore,
  withPaymentState,
  VirtualTransactionStore
} from "./VirtualAccountStore.ts"
import type { ReplayedAnswer } from "../../payments/read/Payments.ts"

const nothing: ReadonlyArray<StoredEvent> = []

/** The balance including the amount and fee that this change returns. */
const withReturned = ({ currency, minor }: Money, { amount, total_fees }: Payment): Money =>
  new Money({ currency, minor: minor + amount.minor + (total_fees?.minor ?? 0n) })

export const WithdrawalEvents = Layer.effect(
  FundingEvents,
  Effect.gen(function* () {
    const accounts = yield* VirtualAccountStore
    const transactions = yield* VirtualTransactionStore
    const ledger = yield* Ledger
    const ids = yield* Ids
    const record = yield* RecordMovement
    const withdrawal = ({ funding, org_id, payment_id }: Payment) =>
      funding === null || kindOf(funding) !== "virtual"
        ? Effect.succeedNone
        : transactions.findByPayment(org_id, payment_id)

    return {
      admit: Effect.fnUntraced(function* (payment) {
        const found = yield* withdrawal(payment)
        if (Option.isNone(found)) return
        const account = yield* accounts.lock(payment.org_id, found.value.account_id)
        yield* ensureCanPay(Option.getOrThrow(account))
      }),
      of: Effect.fnUntraced(function* (payment, previous) {
        const { status } = payment
        if (status === previous || (status !== "completed" && status !== "refunded")) return nothing
        const found = yield* withdrawal(payment)
        if (Option.isNone(found)) return nothing
        const now = yield* ledger.balance(ledgerAccountOf(found.value))
        // The hold has already left the account: completion does not change the balance.
        const balance = status === "refunded" ? withReturned(now, payment) : now
        const at = new Date(yield* Clock.currentTimeMillis)
        const transaction = withPaymentState(found.value, payment)
        const { test: _test, ...event } = transactionEvent(yield* ids.next, transaction, balance, at)
        return [{ ...event, payment_id: payment.payment_id }]
      }),
      settled: Effect.fnUntraced(function* (payment, entries, note) {
        const found = yield* withdrawal(payment)
        if (Option.isNone(found)) return
        const books = ledgerAccountOf(found.value)
        const rows = yield* Effect.forEach(
          entries.flatMap((entry) =>
            combine(entry.postings).flatMap(({ account, amount }) =>
              account === books ? [{ reference: entry.entry_id, amount }] : []
            )
          ),
          (moved) => Effect.map(ids.make(TransactionId), (id) => settlementRow(id, found.value, moved, note))
        )
        // The payment's own change has posted the entries.
        yield* Effect.catchTag(record([], rows), "InsufficientFunds", Effect.die)
      })
    }
  })
).pipe(Layer.provide(RecordMovement.layer))

/** Answer to a repeated withdrawal request whose first answer was lost. */
export const replayedWithdrawalAnswer = Effect.map(
  VirtualTransactionStore,
  (transactions): ReplayedAnswer =>
    ({ org_id, payment_id }) =>
      Effect.map(
        transactions.findByPayment(org_id, payment_id),
        Option.map((found) => movementAnswerText("withdraw", found))
      )
)
