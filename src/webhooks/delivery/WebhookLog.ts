/** Lists events and deliveries, replays a delivery, and sends test events. */
import { Clock, Context, Effect, Either, Layer } from "effect"
import { type OrgId, type PaymentId, type WebhookId, Ids } from "../../domain/Ids.ts"
import type { TransactionData } from "../../contract/api/WebhookLogApi.ts"
import { orNotFound } from "../../platform/database/DatabaseFailure.ts"
import { newEvent } from "../EventPublisher.ts"
import { AuditLog } from "../../platform/audit/AuditLog.ts"
import { Transactor } from "../../platform/database/Transactor.ts"
import { organizationOf, type Permit } from "../../domain/Access.ts"
import { toWireText, WireNumber } from "../../domain/Decimal.ts"
import { Invalid } from "../../domain/Failure.ts"
import { Money } from "../../domain/Money.ts"
import type { Window } from "../../platform/database/Query.ts"
import { type DeliveryFilter, DeliveryStore } from "./DeliveryStore.ts"
import { LATENCY_SAMPLE, type Period, periodsOf, trendsOf } from "./DeliveryTrends.ts"
import { WorkQueues } from "../../platform/database/WorkQueues.ts"
import { type EventFilter, EventStore, MAX_PAYLOAD_BYTES } from "../EventStore.ts"
import { traced } from "../../platform/observability/Spans.ts"

type Transaction = typeof TransactionData.Type

const testType = "transaction.updated"

const testData = ({ amount, currency, ...transaction }: Transaction) =>
  Either.map(Money.fromDecimal(amount, currency), (money) => ({
    transaction_id: transaction.transaction_id,
    status: transaction.status,
    amount: new WireNumber(toWireText(money.toShown())),
    currency,
    updated_at: transaction.updated_at,
    test: true
  }))

const make = Effect.gen(function* () {
  const eventStore = yield* EventStore
  const deliveryStore = yield* DeliveryStore
  const audit = yield* AuditLog
  const ids = yield* Ids
  const { atomically } = yield* Transactor
  const { announce } = yield* WorkQueues

  const findDelivery = (permit: Permit<"webhooks"> | Permit<"webhook_log">, id: string) =>
    orNotFound("delivery")(deliveryStore.find(permit.scope, id))

  return {
    notify: traced("WebhookLog.notify")(function* (permit: Permit<"webhooks">, transaction: Transaction) {
      const org_id = yield* organizationOf(permit)
      const data = yield* Either.mapLeft(
        testData(transaction),
        (reason) => new Invalid({ message: `transaction_data.amount: ${reason}.` })
      )
      const event_id = yield* ids.next
      const created_at = new Date(yield* Clock.currentTimeMillis)
      const event = { ...newEvent({ event_id, event_type: testType, org_id }, data, created_at), test: true }
      if (Buffer.byteLength(event.payload) > MAX_PAYLOAD_BYTES) {
        const message = `transaction_data: the event would be larger than ${MAX_PAYLOAD_BYTES / 1024} KiB.`
        return yield* new Invalid({ message })
      }
      return { event_id, endpoints: yield* atomically(Effect.zipLeft(eventStore.insert(event), announce("webhooks"))) }
    }),
    events: (permit: Permit<"webhook_log">, filter: EventFilter, window: Window) =>
      eventStore.list(permit.scope, filter, window),
    deliveries: (permit: Permit<"webhook_log">, filter: DeliveryFilter, window: Window) =>
      deliveryStore.list(permit.scope, filter, window),
    delivery: findDelivery,
    /** Deliveries of a payment that the permit's holder may read. */
    deliveriesOf: (
      _permit: Permit<"any">,
      { org_id, payment_id }: { readonly org_id: OrgId; readonly payment_id: PaymentId },
      eventTimes: ReadonlyArray<Date>
    ) => deliveryStore.ofPayment(org_id, payment_id, eventTimes),
    /** The caller has found the endpoint in the permit's scope. */
    trends: traced("WebhookLog.trends")(function* (permit: Permit<"webhook_log">, webhookId: WebhookId, per: Period) {
      const periods = periodsOf(per, new Date(yield* Clock.currentTimeMillis))
      const counts = yield* deliveryStore.counts(permit.scope, webhookId, per, periods[0]!)
      return trendsOf(per, periods, counts, yield* deliveryStore.latencies(permit.scope, webhookId, LATENCY_SAMPLE))
    }),
    /** Endpoints that need attention. */
    issues: (permit: Permit<"operations">, window: Window) => deliveryStore.issues(permit.scope, window),
    /** Does nothing to a pending delivery. */
    replay: traced("WebhookLog.replay")(function* (permit: Permit<"webhooks">, id: string) {
      const { org_id } = yield* findDelivery(permit, id)
      if (yield* deliveryStore.requeue(permit.scope, id)) {
        yield* audit.record(permit, { action: "delivery.replayed", org: org_id, subject: ["delivery", id] })
        yield* announce("webhooks")
      }
      return yield* findDelivery(permit, id)
    }, atomically)
  }
})

export class WebhookLog extends Context.Tag("corridor/WebhookLog")<WebhookLog, Effect.Effect.Success<typeof make>>() {
  static readonly layer = Layer.effect(WebhookLog, make)
}
