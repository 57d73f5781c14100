/** Audits writes and deletions: checks retention, keeps deleted rows, and records times and rates. */
import { Duration } from "effect"
import { unmatchedCallbackRetention } from "../../../src/domain/policies/PaymentPolicies.ts"
import { deadLetterRetention, webhookRetention } from "../../../src/domain/policies/WebhookPolicies.ts"
import { kindOf } from "../../../src/domain/Ledger.ts"
import { ledgerTables } from "../../../src/money/ledger/LedgerMemory.ts"
import { signedAmount } from "../../../src/domain/Movement.ts"
import type { Books, Payment } from "../../../src/payments/store/Payment.ts"
import { booksIn } from "../../../src/payments/store/AttemptQueueMemory.ts"
import type { StoredDelivery, WebhookEvent } from "../../../src/webhooks/Webhook.ts"
import { liveValues, rateTables } from "../business/RateChanges.ts"
import type { ValueHistory, CurrencyValues } from "../invariants/ConversionGains.ts"
import { refundProblem } from "../invariants/ChargeRules.ts"
import type { Orders } from "../providers/ProviderOrders.ts"
import type { SimulationEnvironment } from "./SimulationEnvironment.ts"
import type { World } from "./SimulationWorld.ts"

/** A refund within this time after completion uses the payment's rate. */
const ORIGINAL_RATE = Duration.hours(24)

export interface DeletedRows {
  readonly events: Map<string, WebhookEvent>
  readonly deliveries: Map<string, StoredDelivery>
}

type Rows = Map<unknown, unknown>

const isOlder = (env: SimulationEnvironment, since: Date, than: Duration.Duration): boolean =>
  env.time.now - since.getTime() >= Duration.toMillis(than)

/** `mayGo`: whether a row may be deleted now. */
const checkDeletions = <Row>(
  env: SimulationEnvironment,
  name: string,
  rows: Rows,
  mayGo: (row: Row, key: unknown) => boolean
): void => {
  const drop = rows.delete.bind(rows)
  rows.delete = (key) => {
    const row = rows.get(key)
    if (row !== undefined) {
      env.count(`fault: forgotten of ${name}`)
      if (!mayGo(row as Row, key)) env.problem(`a row of ${name} was forgotten that is still needed`)
    }
    return drop(key)
  }
}

const keptTables = ["payments", "attempts", "history", "operatorItems", "paymentFees"] as const

const isDeliveryExpired = (env: SimulationEnvironment, { status, updated_at }: StoredDelivery): boolean =>
  status !== "pending" && isOlder(env, updated_at, status === "delivered" ? webhookRetention : deadLetterRetention)

export interface WriteLog {
  /** Time of each version of a payment, by the database's clock. */
  readonly writtenAt: ReadonlyMap<string, number>
  /** Events while an endpoint was disabled, by endpoint. */
  readonly missedEvents: ReadonlyMap<string, ReadonlySet<string>>
  readonly valued: ValueHistory
}

const observeSet = <Row>(rows: ReadonlyMap<string, Row>, seen: (row: Row, before: Row | undefined) => void): void => {
  const table = rows as Map<string, Row>
  const set = table.set.bind(table)
  table.set = (key, row) => {
    seen(row, table.get(key))
    return set(key, row)
  }
}

const exchangeTables = { ...ledgerTables, ...rateTables }

/** A payment is priced when it is created, and again when a review approves it. */
const isPriced = (before: Payment | undefined, { next_action, status }: Payment): boolean =>
  before === undefined ||
  (before.status === "initiated" && before.next_action === "wait" && (next_action !== "wait" || status !== "initiated"))

/** Records currency values when payments are priced, transfers posted, and late refunds requested. */
const recordRates = ({ database, env, tables }: World): ValueHistory => {
  const { ledgerPostings, rates } = database.open(exchangeTables)
  const payments = new Map<string, CurrencyValues>()
  const entries = new Map<string, CurrencyValues>()
  const completedAt = new Map<string, number>()
  /** Values at the time of refunds that are requested more than a day after completion. */
  const late = new Map<string, CurrencyValues>()
  observeSet(tables.payments, (payment, before) => {
    const { payment_id, refunds, status } = payment
    if (isPriced(before, payment)) payments.set(payment_id, liveValues(rates))
    if (status === "completed" && before?.status !== "completed") completedAt.set(payment_id, env.time.now)
    const isLate = env.time.now - (completedAt.get(payment_id) ?? Infinity) >= Duration.toMillis(ORIGINAL_RATE)
    for (const { refund_id } of refunds.slice(before?.refunds.length ?? 0))
      if (isLate) late.set(refund_id, liveValues(rates))
  })
  observeSet(ledgerPostings, ({ account, entry_id, kind, payment_id, reference }) => {
    if (kindOf(account) !== "fx" || entries.has(entry_id)) return
    if (payment_id === null) entries.set(entry_id, liveValues(rates))
    const values = kind === "refund" ? late.get(reference ?? "") : undefined
    if (values !== undefined) entries.set(entry_id, values)
  })
  return { payments, entries }
}

/** Amount that a ramp lacks: collections less reversals, plus what its organisation bore. */
const shortfallOf = ({ amount, taken_by }: Payment, { allocations, movements }: Books): bigint => {
  const here = movements
    .filter(
      ({ amount: moved, attempt_id, state }) =>
        state === "settled" && attempt_id === taken_by && moved.currency === amount.currency
    )
    .reduce((sum, one) => sum + signedAmount(one).minor, 0n)
  const borne = allocations
    .filter((one) => one.from === "clearing" && one.attempt_id === taken_by && one.amount.currency === amount.currency)
    .reduce((sum, one) => sum + one.amount.minor, 0n)
  return amount.minor - (here - borne)
}

export const auditWrites = (world: World, orders: Orders): WriteLog => {
  const { env, tables } = world
  const valued = recordRates(world)
  const writtenAt = new Map<string, number>()
  const missedEvents = new Map<string, Set<string>>()
  observeSet(tables.payments, (payment, before) => {
    const isNew = payment.status === "completed" && before?.status !== "completed"
    if (isNew && !orders.hasMoved(payment.payment_id))
      env.problem(`an ${payment.direction} payment is completed, and no provider has moved money`)
    writtenAt.set(`${payment.payment_id} ${payment.version}`, env.time.now)
    const problem = refundProblem(payment)
    if (problem !== undefined) env.problem(problem)
  })
  observeSet(tables.attempts, (attempt, before) => {
    const isSent = attempt.leg === "settlement" && attempt.sends > (before?.sends ?? 0)
    const payment = isSent ? tables.payments.get(attempt.payment_id) : undefined
    const lacking = payment === undefined ? 0n : shortfallOf(payment, booksIn(tables, payment.payment_id))
    if (lacking > 0n) env.problem(`the second leg of a ramp is sent while ${lacking} of its money were taken back`)
  })
  observeSet(tables.events, ({ event_id }, before) => {
    if (before !== undefined) return
    for (const { status, webhook_id } of tables.webhooks.values()) {
      if (status === "active") continue
      const events = missedEvents.get(webhook_id) ?? new Set()
      missedEvents.set(webhook_id, events.add(event_id))
    }
  })
  return { writtenAt, missedEvents, valued }
}

export const auditDeletions = ({ env, tables }: World): DeletedRows => {
  const deleted: DeletedRows = { events: new Map(), deliveries: new Map() }
  const { callbacks, events, webhookDeliveries } = tables
  for (const name of keptTables) checkDeletions(env, name, tables[name] as Rows, () => false)
  checkDeletions<{ readonly payment_id: string | null; readonly received_at: Date }>(
    env,
    "callbacks",
    callbacks as Rows,
    ({ payment_id, received_at }) => payment_id === null && isOlder(env, received_at, unmatchedCallbackRetention)
  )
  checkDeletions<WebhookEvent>(env, "events", events as Rows, (event) => {
    deleted.events.set(event.event_id, event)
    return (
      isOlder(env, event.created_at, webhookRetention) &&
      !Array.from(webhookDeliveries.values()).some(({ event_id }) => event_id === event.event_id)
    )
  })
  checkDeletions<StoredDelivery>(env, "deliveries", webhookDeliveries as Rows, (delivery) => {
    deleted.deliveries.set(delivery.delivery_id, delivery)
    return isDeliveryExpired(env, delivery)
  })
  return deleted
}
