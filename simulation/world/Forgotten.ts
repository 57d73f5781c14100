/** Watches what is deleted: what must stay for ever stays, what may go goes in its time, and all of it is remembered here. */
import { Duration } from "effect"
import { strayCallbackRetention } from "../../src/domain/policies/Payments.ts"
import { deadLetterRetention, webhookRetention } from "../../src/domain/policies/Webhooks.ts"
import type { StoredDelivery, WebhookEvent } from "../../src/webhooks/Webhook.ts"
import { refundProblem } from "../invariants/Charges.ts"
import type { Orders } from "../providers/Orders.ts"
import type { Outside } from "./Outside.ts"
import type { World } from "./World.ts"

export interface Forgotten {
  readonly events: Map<string, WebhookEvent>
  readonly deliveries: Map<string, StoredDelivery>
}

type Rows = Map<unknown, unknown>

const isOlder = (outside: Outside, since: Date, than: Duration.Duration): boolean =>
  outside.time.now - since.getTime() >= Duration.toMillis(than)

/** `mayGo`: whether a row may be deleted now. */
const watch = <Row>(outside: Outside, name: string, rows: Rows, mayGo: (row: Row, key: unknown) => boolean): void => {
  const drop = rows.delete.bind(rows)
  rows.delete = (key) => {
    const row = rows.get(key)
    if (row !== undefined) {
      outside.count(`fault: forgotten of ${name}`)
      if (!mayGo(row as Row, key)) outside.problem(`a row of ${name} was forgotten that is still needed`)
    }
    return drop(key)
  }
}

const kept = ["payments", "attempts", "history", "operatorItems", "paymentFees"] as const

const mayDelivery = (outside: Outside, { status, updated_at }: StoredDelivery): boolean =>
  status !== "pending" && isOlder(outside, updated_at, status === "delivered" ? webhookRetention : deadLetterRetention)

/** What is noticed as it is written. */
export interface Watched {
  /** When each version of a payment was written, by the clock of the database. */
  readonly writtenAt: ReadonlyMap<string, number>
  /** Events that came while an endpoint was disabled, by the endpoint. */
  readonly missed: ReadonlyMap<string, ReadonlySet<string>>
}

const onSet = <Row>(rows: ReadonlyMap<string, Row>, seen: (row: Row, before: Row | undefined) => void): void => {
  const table = rows as Map<string, Row>
  const set = table.set.bind(table)
  table.set = (key, row) => {
    seen(row, table.get(key))
    return set(key, row)
  }
}

export const watchWriting = ({ outside, tables }: World, orders: Orders): Watched => {
  const writtenAt = new Map<string, number>()
  const missed = new Map<string, Set<string>>()
  onSet(tables.payments, (payment, before) => {
    const isNew = payment.status === "completed" && before?.status !== "completed"
    if (isNew && !orders.hasMoved(payment.payment_id))
      outside.problem(`an ${payment.direction} payment counts as completed, and nobody has moved anything`)
    writtenAt.set(`${payment.payment_id} ${payment.version}`, outside.time.now)
    const problem = refundProblem(payment)
    if (problem !== undefined) outside.problem(problem)
  })
  onSet(tables.events, ({ event_id }, before) => {
    if (before !== undefined) return
    for (const { status, webhook_id } of tables.webhooks.values()) {
      if (status === "active") continue
      const events = missed.get(webhook_id) ?? new Set()
      missed.set(webhook_id, events.add(event_id))
    }
  })
  return { writtenAt, missed }
}

export const watchForgetting = ({ outside, tables }: World): Forgotten => {
  const forgotten: Forgotten = { events: new Map(), deliveries: new Map() }
  const { callbacks, events, webhookDeliveries } = tables
  for (const name of kept) watch(outside, name, tables[name] as Rows, () => false)
  watch<{ readonly payment_id: string | null; readonly received_at: Date }>(
    outside,
    "callbacks",
    callbacks as Rows,
    ({ payment_id, received_at }) => payment_id === null && isOlder(outside, received_at, strayCallbackRetention)
  )
  watch<WebhookEvent>(outside, "events", events as Rows, (event) => {
    forgotten.events.set(event.event_id, event)
    return (
      isOlder(outside, event.created_at, webhookRetention) &&
      !Array.from(webhookDeliveries.values()).some(({ event_id }) => event_id === event.event_id)
    )
  })
  watch<StoredDelivery>(outside, "deliveries", webhookDeliveries as Rows, (delivery) => {
    forgotten.deliveries.set(delivery.delivery_id, delivery)
    return mayDelivery(outside, delivery)
  })
  return forgotten
}
