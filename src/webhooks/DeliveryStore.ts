/** Deliveries as their owner sees them: what was sent where, what came of it, and the way back into the queue. */
import { Context, type Option, Schema } from "effect"
import type { OrgId, PaymentId, WebhookId } from "../domain/Identifiers.ts"
import type { Stored } from "../platform/database/DatabaseFailure.ts"
import { type Scope } from "../platform/database/Query.ts"
import type { Window } from "../platform/database/Window.ts"
import { type DeliveryStatus, StoredDelivery } from "./Webhook.ts"

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
