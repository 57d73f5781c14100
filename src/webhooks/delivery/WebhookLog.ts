/** Lists events and deliveries, replays a delivery, and sends test events. */
import { Clock, Context, Effect, Either, Layer, Option } from "effect"
import { type OrgId, type PaymentId, Ids } from "../../domain/Ids.ts"
import type { TransactionData } from "../../contract/api/WebhookLogApi.ts"
import { AuditLog } from "../../platform/audit/AuditLog.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"
import { afterCommit, Transactor } from "../../platform/database/Transactor.ts"
import type { Permit } from "../../domain/Access.ts"
import { stringifyWire, toWireText, WireNumber } from "../../domain/Decimal.ts"
import { Invalid, type NotFound, notFound } from "../../domain/Failure.ts"
import { Money } from "../../domain/Money.ts"
import type { Window } from "../../platform/database/Query.ts"
import {
  type Delivery,
  type DeliveryFilter,
  DeliveryStore,
  type PaymentDelivery,
  type WebhookIssue
} from "./DeliveryStore.ts"
import { DeliveryWakeUp } from "../DeliveryWakeUp.ts"
import { type EventFilter, EventStore, MAX_PAYLOAD_BYTES } from "../EventStore.ts"
import type { WebhookEvent } from "../Webhook.ts"

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

export class WebhookLog extends Context.Tag("corridor/WebhookLog")<
  WebhookLog,
  {
    readonly notify: (
      permit: Permit<"webhooks">,
      transaction: Transaction
    ) => Stored<{ readonly event_id: string; readonly endpoints: number }, Invalid>
    readonly events: (
      permit: Permit<"webhook_log">,
      filter: EventFilter,
      window: Window
    ) => Stored<ReadonlyArray<WebhookEvent>>
    readonly deliveries: (
      permit: Permit<"webhook_log">,
      filter: DeliveryFilter,
      window: Window
    ) => Stored<ReadonlyArray<Delivery>>
    readonly delivery: (permit: Permit<"webhook_log">, deliveryId: string) => Stored<Delivery, NotFound>
    /** Deliveries of a payment that the permit's holder may read. */
    readonly deliveriesOf: (
      permit: Permit<"any">,
      payment: { readonly org_id: OrgId; readonly payment_id: PaymentId },
      eventTimes: ReadonlyArray<Date>
    ) => Stored<ReadonlyArray<PaymentDelivery>>
    /** Endpoints that need attention. */
    readonly issues: (permit: Permit<"operations">, window: Window) => Stored<ReadonlyArray<WebhookIssue>>
    /** Does nothing to a pending delivery. */
    readonly replay: (permit: Permit<"webhooks">, deliveryId: string) => Stored<Delivery, NotFound>
  }
>() {
  static readonly layer = Layer.effect(
    WebhookLog,
    Effect.gen(function* () {
      const eventStore = yield* EventStore
      const deliveryStore = yield* DeliveryStore
      const audit = yield* AuditLog
      const ids = yield* Ids
      const { atomically } = yield* Transactor
      const { wake } = yield* DeliveryWakeUp

      const findDelivery = (permit: Permit<"webhooks"> | Permit<"webhook_log">, id: string) =>
        Effect.flatMap(
          deliveryStore.find(permit.scope, id),
          Option.match({ onNone: () => Effect.fail(notFound("delivery")), onSome: Effect.succeed })
        )

      return {
        notify: Effect.fn("WebhookLog.notify")(function* (permit, transaction) {
          const org_id = Option.getOrUndefined(permit.scope)
          if (org_id === undefined) {
            return yield* new Invalid({ message: "org_id: is required." })
          }
          const data = yield* Either.mapLeft(
            testData(transaction),
            (reason) => new Invalid({ message: `transaction_data.amount: ${reason}.` })
          )
          const event_id = yield* ids.next
          const created_at = new Date(yield* Clock.currentTimeMillis)
          const payload = stringifyWire({
            event_id,
            event_type: testType,
            org_id,
            created_at: created_at.toISOString(),
            data
          })
          if (Buffer.byteLength(payload) > MAX_PAYLOAD_BYTES) {
            return yield* new Invalid({
              message: `transaction_data: the event would be larger than ${MAX_PAYLOAD_BYTES / 1024} KiB.`
            })
          }
          const event = { event_id, org_id, event_type: testType, payment_id: null, payload, created_at, test: true }
          return { event_id, endpoints: yield* atomically(Effect.zipLeft(eventStore.insert(event), afterCommit(wake))) }
        }),
        events: (permit, filter, window) => eventStore.list(permit.scope, filter, window),
        deliveries: (permit, filter, window) => deliveryStore.list(permit.scope, filter, window),
        delivery: findDelivery,
        deliveriesOf: (_permit, { org_id, payment_id }, eventTimes) =>
          deliveryStore.ofPayment(org_id, payment_id, eventTimes),
        issues: (permit, window) => deliveryStore.issues(permit.scope, window),
        replay: Effect.fn("WebhookLog.replay")(function* (permit, id) {
          return yield* atomically(
            Effect.gen(function* () {
              const { org_id } = yield* findDelivery(permit, id)
              if (yield* deliveryStore.requeue(permit.scope, id)) {
                yield* audit.record(permit, { action: "delivery.replayed", org: org_id, subject: ["delivery", id] })
                yield* afterCommit(wake)
              }
              return yield* findDelivery(permit, id)
            })
          )
        })
      }
    })
  )
}
