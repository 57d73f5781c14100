/** Deliveries as their owner sees them: what was sent where, what came of it, and the way back into the queue. */
import { Context, type Option, Schema } from "effect"
import { OrgId, type PaymentId, WebhookId } from "../../domain/Ids.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"
import type { Scope, Window } from "../../platform/database/Query.ts"
import { type DeliveryStatus, StoredDelivery } from "../Webhook.ts"

export interface DeliveryFilter {
  readonly status?: DeliveryStatus | undefined
  readonly webhook_id?: WebhookId | undefined
}

export const Delivery = Schema.Struct({
  ...StoredDelivery.omit("updated_at").fields,
  next_attempt_at: Schema.NullOr(Schema.DateFromSelf)
})
export type Delivery = typeof Delivery.Type

/** One that tells of a payment. */
export const PaymentDelivery = Schema.Struct({ ...Delivery.fields, event_at: Schema.DateFromSelf })
export type PaymentDelivery = typeof PaymentDelivery.Type

interface Store {
  readonly list: (scope: Scope, filter: DeliveryFilter, window: Window) => Stored<ReadonlyArray<Delivery>>
  readonly find: (scope: Scope, id: string) => Stored<Option.Option<Delivery>>
  /** Oldest first. The times of its events save an index on `events`, which every payment would have to keep up. */
  readonly ofPayment: (
    orgId: OrgId,
    paymentId: PaymentId,
    eventTimes: ReadonlyArray<Date>
  ) => Stored<ReadonlyArray<PaymentDelivery>>
  /** From the first attempt on, at once. False when it was waiting in the queue already, or is not in scope. */
  readonly requeue: (scope: Scope, id: string) => Stored<boolean>
  /** A batch of those that were delivered or died too long ago, with their attempts; answers with how many. */
  readonly forgetOld: Stored<number>
}

export class DeliveryStore extends Context.Tag("corridor/DeliveryStore")<DeliveryStore, Store>() {}

/** What about webhooks waits for a person: endpoints that are disabled, and endpoints with dead letters. */
const endpoint = {
  item_id: Schema.String,
  org_id: OrgId,
  webhook_id: WebhookId,
  endpoint_url: Schema.String,
  /** How many of the endpoint's deliveries are dead. */
  dead_letters: Schema.Number,
  reason: Schema.NullOr(Schema.String),
  created_at: Schema.DateFromSelf
}

/** One for an endpoint however many died, so that a backlog is in nobody's way; it stands where the oldest of them does. */
const DeadLetters = Schema.Struct({ ...endpoint, kind: Schema.Literal("dead_letter"), delivery_id: Schema.String })

/** Since its last change, with the service's reason; without one its owner did it. */
const Disabled = Schema.Struct({ ...endpoint, kind: Schema.Literal("disabled_endpoint"), delivery_id: Schema.Null })

export const Trouble = Schema.Union(DeadLetters, Disabled)
export type Trouble = typeof Trouble.Type

interface IssueStore {
  readonly list: (scope: Scope, window: Window) => Stored<ReadonlyArray<Trouble>>
}

export class WebhookIssues extends Context.Tag("corridor/WebhookIssues")<WebhookIssues, IssueStore>() {}
