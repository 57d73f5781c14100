/** Records that the rules read, from memory tables or PostgreSQL. */
import type { PaymentId } from "../../../src/domain/Ids.ts"
import type { StoredPosting } from "../../../src/money/ledger/LedgerStore.ts"
import type { Attempt, Books, HistoryRow, Payment, StoredOperatorItem } from "../../../src/payments/store/Payment.ts"
import type { VirtualAccount, VirtualTransaction } from "../../../src/treasury/accounts/VirtualAccountStore.ts"
import type { StoredDelivery, WebhookEvent } from "../../../src/webhooks/Webhook.ts"

/** Endpoint with the ids of the events that it accepted. */
export interface Endpoint {
  readonly orgId: string
  readonly webhookId: string
  /** Subscribed events. */
  readonly events: ReadonlyArray<string>
  readonly taken: ReadonlySet<string>
  /** Events while it was disabled, which it does not get. */
  readonly missedEvents?: ReadonlySet<string>
}

export interface Records {
  readonly payments: ReadonlyArray<Payment>
  readonly attempts: ReadonlyArray<Attempt>
  readonly history: ReadonlyArray<HistoryRow>
  readonly items: ReadonlyArray<StoredOperatorItem>
  readonly events: ReadonlyArray<WebhookEvent>
  readonly deliveries: ReadonlyArray<StoredDelivery>
  readonly postings: ReadonlyArray<StoredPosting>
  readonly books: (paymentId: PaymentId) => Books
  readonly virtualAccounts: ReadonlyArray<VirtualAccount>
  readonly virtualTransactions: ReadonlyArray<VirtualTransaction>
  readonly endpoints: ReadonlyArray<Endpoint>
  /** Minor units that each provider holds for a payment, by ledger account. */
  readonly holdings: (paymentId: PaymentId) => ReadonlyMap<string, bigint>
}

/** Records of one payment. */
export interface Dossier {
  readonly payment: Payment
  readonly attempts: ReadonlyArray<Attempt>
  readonly history: ReadonlyArray<HistoryRow>
  readonly items: ReadonlyArray<StoredOperatorItem>
  readonly events: ReadonlyArray<WebhookEvent>
  readonly postings: ReadonlyArray<StoredPosting>
  readonly books: Books
  readonly held: ReadonlyMap<string, bigint>
}

const byPayment = <A extends { readonly payment_id: PaymentId | null }>(rows: ReadonlyArray<A>) => {
  const groups = new Map<PaymentId | null, Array<A>>()
  for (const row of rows) {
    const group = groups.get(row.payment_id)
    if (group === undefined) groups.set(row.payment_id, [row])
    else group.push(row)
  }
  return (paymentId: PaymentId): ReadonlyArray<A> => groups.get(paymentId) ?? []
}

export const dossiersOf = (records: Records): ReadonlyArray<Dossier> => {
  const attempts = byPayment(records.attempts)
  const history = byPayment(records.history)
  const items = byPayment(records.items)
  const events = byPayment(records.events)
  const postings = byPayment(records.postings)
  return records.payments.map((payment) => ({
    payment,
    attempts: attempts(payment.payment_id),
    history: history(payment.payment_id).toSorted((a, b) => a.version - b.version),
    items: items(payment.payment_id),
    events: events(payment.payment_id),
    postings: postings(payment.payment_id),
    books: records.books(payment.payment_id),
    held: records.holdings(payment.payment_id)
  }))
}
