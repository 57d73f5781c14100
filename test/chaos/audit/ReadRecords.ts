/** Reads all records of PostgreSQL for the rules, and what the fakes hold. */
import { PgClient } from "@effect/sql-pg"
import { SqlClient } from "@effect/sql"
import { Effect, Redacted, Schema } from "effect"
import type { Dossier, Endpoint, Records } from "../../simulation/invariants/RecordRules.ts"
import type { PaymentId } from "../../../src/domain/Ids.ts"
import { storedPostings } from "../../../src/money/ledger/LedgerSql.ts"
import {
  attemptColumns,
  attemptOf,
  booksColumns,
  booksOf,
  paymentOf,
  selectedColumns
} from "../../../src/payments/store/PaymentRow.ts"
import { type Attempt, HistoryRow, StoredOperatorItem } from "../../../src/payments/store/Payment.ts"
import { rowsAs } from "../../../src/platform/database/Query.ts"
import type { StartedFake } from "../../fakes/AllFakes.ts"
import { wireReference } from "../../../src/providers/port/ProviderWrappers.ts"
import { VirtualAccount, storedTransactions } from "../../../src/treasury/accounts/VirtualAccountStore.ts"
import { StoredDelivery, WebhookEvent } from "../../../src/webhooks/Webhook.ts"
import { noBooks } from "../../../src/payments/store/Change.ts"

const history = rowsAs(HistoryRow)
const items = rowsAs(StoredOperatorItem)
const events = rowsAs(WebhookEvent)
const deliveries = rowsAs(StoredDelivery)
const accounts = rowsAs(VirtualAccount)

/** Fakes append a number to repeated references. */
const referenceIn = (text: string): string => text.split(" ", 1)[0]!

interface FakeHoldings {
  readonly holdings: Records["holdings"]
  /** Entries that no attempt caused. */
  readonly unmatched: ReadonlyArray<string>
}

/** Holdings of each fake by payment, matched by our reference or the provider's id. */
export const holdingsOf = (fakes: ReadonlyArray<StartedFake>, attempts: ReadonlyArray<Attempt>): FakeHoldings => {
  const byReference = new Map(attempts.map((attempt) => [wireReference(attempt.attempt_id), attempt]))
  const byId = new Map(attempts.map((attempt) => [`${attempt.provider} ${attempt.provider_payment_id}`, attempt]))
  const sums = new Map<PaymentId, Map<string, bigint>>()
  const unmatched: Array<string> = []
  for (const { fake, running } of fakes) {
    for (const { id, kind, moved, reference, state, takenBack } of running.books.all()) {
      const found = byReference.get(referenceIn(reference)) ?? byId.get(`${fake.name} ${id}`)
      if (found === undefined)
        unmatched.push(`${fake.name} has a ${kind} ${reference} (${state}) that no attempt caused`)
      if (found === undefined || state !== "completed") continue
      const account = `provider/${fake.name}/${moved.currency}`
      const own = sums.get(found.payment_id) ?? new Map<string, bigint>()
      own.set(account, (own.get(account) ?? 0n) + (kind === "payin" ? moved.minor - takenBack : -moved.minor))
      sums.set(found.payment_id, own)
    }
  }
  return { holdings: (paymentId) => sums.get(paymentId) ?? new Map(), unmatched }
}

export interface Read extends Records, Pick<FakeHoldings, "unmatched"> {
  /** Idempotency key of the request that made the payment. */
  readonly keyOf: (payment: Dossier["payment"]) => string | null
}

const keyIn = Schema.is(Schema.Struct({ key: Schema.String }))

/** Stored as reference of initiations, metadata of ramps, description of withdrawals. */
const keyOf: Read["keyOf"] = ({ client_reference, description, metadata }) =>
  client_reference ?? (keyIn(metadata) ? metadata.key : description)

export const readRows = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const payments = yield* sql.unsafe<object>(`select ${selectedColumns()} from payments`)
  const attempts = yield* sql.unsafe<object>(`select ${attemptColumns()} from attempts`)
  const recorded = yield* sql.unsafe<{ readonly payment_id: PaymentId }>(
    `select p.payment_id, ${booksColumns("p.")} from payments p`
  )
  const books = new Map(recorded.map((row) => [row.payment_id, booksOf(row)]))
  return {
    books: (paymentId: PaymentId) => books.get(paymentId) ?? noBooks,
    payments: payments.map(paymentOf),
    attempts: attempts.map(attemptOf),
    history: yield* Effect.flatMap(sql`select * from payment_history`, history),
    items: yield* Effect.flatMap(sql`select * from operator_items`, items),
    events: yield* Effect.flatMap(
      sql`select event_id, org_id, event_type, payment_id, event_payload(e) as payload, test, created_at from events e`,
      events
    ),
    deliveries: yield* Effect.flatMap(sql`select * from webhook_deliveries`, deliveries),
    postings: yield* Effect.flatMap(sql`select * from ledger_postings`, storedPostings),
    virtualAccounts: yield* Effect.flatMap(sql`select * from virtual_accounts`, accounts),
    virtualTransactions: yield* Effect.flatMap(sql`select * from virtual_transactions`, storedTransactions)
  }
}).pipe(Effect.orDie)

export const readRecords = (
  url: string,
  fakes: ReadonlyArray<StartedFake>,
  endpoints: ReadonlyArray<Endpoint>
): Effect.Effect<Read> =>
  Effect.gen(function* () {
    const rows = yield* readRows
    const { holdings, unmatched } = holdingsOf(fakes, rows.attempts)
    return {
      ...rows,
      endpoints,
      holdings,
      unmatched,
      keyOf
    }
  }).pipe(Effect.provide(PgClient.layer({ url: Redacted.make(url), maxConnections: 1 })), Effect.orDie)
