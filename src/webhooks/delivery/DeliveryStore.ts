/** Stores deliveries for the delivery log: list, replay, retention, and issues for the operations queue. */
import { Context, type Option, Schema } from "effect"
import { OrgId, type PaymentId, WebhookId } from "../../domain/Ids.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"
import type { Scope, Window } from "../../platform/database/Query.ts"
import { type DeliveryStatus, StoredDelivery } from "../Webhook.ts"
import type { DeliveryCount, Period } from "./DeliveryTrends.ts"

export interface DeliveryFilter {
  readonly status?: DeliveryStatus | undefined
  readonly webhook_id?: WebhookId | undefined
}

export const Delivery = Schema.Struct({
  ...StoredDelivery.omit("updated_at").fields,
  next_attempt_at: Schema.NullOr(Schema.DateFromSelf)
})
export type Delivery = typeof Delivery.Type

/** A delivery of a payment's event. */
export const PaymentDelivery = Schema.Struct({ ...Delivery.fields, event_at: Schema.DateFromSelf })
export type PaymentDelivery = typeof PaymentDelivery.Type

const endpoint = {
  item_id: Schema.String,
  org_id: OrgId,
  webhook_id: WebhookId,
  endpoint_url: Schema.String,
  /** Number of dead deliveries of the endpoint. */
  dead_letters: Schema.Number,
  reason: Schema.NullOr(Schema.String),
  created_at: Schema.DateFromSelf
}

/** One issue for all dead letters of an endpoint, at the time of the oldest. */
const DeadLetterIssue = Schema.Struct({ ...endpoint, kind: Schema.Literal("dead_letter"), delivery_id: Schema.String })

/** Since the last change of the endpoint. Without a reason, its owner disabled it. */
const DisabledEndpointIssue = Schema.Struct({
  ...endpoint,
  kind: Schema.Literal("disabled_endpoint"),
  delivery_id: Schema.Null
})

/** Disabled endpoints and endpoints with dead letters, for the operations queue. */
export const WebhookIssue = Schema.Union(DeadLetterIssue, DisabledEndpointIssue)
export type WebhookIssue = typeof WebhookIssue.Type

interface Store {
  readonly list: (scope: Scope, filter: DeliveryFilter, window: Window) => Stored<ReadonlyArray<Delivery>>
  readonly find: (scope: Scope, id: string) => Stored<Option.Option<Delivery>>
  /** Oldest first. Takes the times of the events, because `events` has no index by payment. */
  readonly ofPayment: (
    orgId: OrgId,
    paymentId: PaymentId,
    eventTimes: ReadonlyArray<Date>
  ) => Stored<ReadonlyArray<PaymentDelivery>>
  /** Queues it again, from the first attempt on. False if it is pending already, or not in scope. */
  readonly requeue: (scope: Scope, id: string) => Stored<boolean>
  /** Deletes a batch of deliveries past their retention, with their attempts; returns how many. */
  readonly forgetOld: Stored<number>
  /** By hour or day of creation and by status, since a time. Periods without deliveries are left out. */
  readonly counts: (
    scope: Scope,
    webhookId: WebhookId,
    per: Period,
    since: Date
  ) => Stored<ReadonlyArray<DeliveryCount>>
  /** Milliseconds of the attempts of the newest deliveries. */
  readonly latencies: (scope: Scope, webhookId: WebhookId, deliveries: number) => Stored<ReadonlyArray<number>>
  /** Endpoints that need attention, newest issue first. */
  readonly issues: (scope: Scope, window: Window) => Stored<ReadonlyArray<WebhookIssue>>
}

export class DeliveryStore extends Context.Tag("corridor/DeliveryStore")<DeliveryStore, Store>() {}
