/**
 * Stores the queue of pending deliveries. Workers list organisations with due deliveries and claim a quota of each,
 * spread over its endpoints. A backlog of one endpoint or organisation does not delay others.
 */
import { Context, Duration, Schema } from "effect"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"
import type { Answer } from "../Webhook.ts"
import { OrgId, WebhookId } from "../../domain/Ids.ts"
import { webhookGivesUpAfter } from "../../domain/policies/WebhookPolicies.ts"

/** `disabled_reason` of an endpoint that failed too long. */
export const disabledReason = `It failed for ${Duration.toDays(webhookGivesUpAfter)} days in a row.`

/** `last_error` of deliveries to it that were never attempted. */
export const neverSentError = "the endpoint was disabled before it could be sent"

export const ClaimedDelivery = Schema.Struct({
  delivery_id: Schema.String,
  org_id: OrgId,
  webhook_id: WebhookId,
  event_id: Schema.String,
  event_type: Schema.String,
  test: Schema.Boolean,
  /** The exact body, the same at every attempt. */
  payload: Schema.String,
  endpoint_url: Schema.String,
  secret_sealed: Schema.String,
  /** Null after the overlap of a rotation. */
  previous_secret_sealed: Schema.NullOr(Schema.String),
  /** Whether the endpoint's last attempt failed. */
  failing: Schema.Boolean,
  /** Number of this attempt. Counted at the claim, so that an attempt that kills its worker counts. */
  attempt: Schema.Number,
  lease_token: Schema.String,
  /** Trace of the request that caused the event, if it was traced. */
  traceparent: Schema.optional(Schema.NullOr(Schema.String))
})
export type ClaimedDelivery = typeof ClaimedDelivery.Type

export interface DuePage {
  readonly organizations: ReadonlyArray<OrgId>
  /** Position of the next page; null: the end. */
  readonly next: string | null
}

/** Number of deliveries to claim from an organisation. */
export interface OrganizationQuota {
  readonly org_id: OrgId
  /** Only from endpoints after this one. */
  readonly after: string
  readonly room: number
  /** Room for endpoints whose last attempt failed. */
  readonly failingRoom: number
}

export interface ClaimOptions {
  readonly quotas: ReadonlyArray<OrganizationQuota>
  /** Deliveries in flight, by endpoint. */
  readonly inFlight: ReadonlyMap<WebhookId, number>
  readonly leaseMillis: number
}

export interface Claim {
  readonly deliveries: ReadonlyArray<ClaimedDelivery>
  /** Last endpoint that was scanned, for organisations with more endpoints. */
  readonly next: ReadonlyMap<OrgId, WebhookId>
}

export type DeliveryOutcome =
  | { readonly outcome: "delivered" }
  | { readonly outcome: "retry"; readonly delay_ms: number }
  | { readonly outcome: "dead" }

/** Ignored if the lease was lost. */
export type AttemptResult = Pick<ClaimedDelivery, "delivery_id" | "lease_token"> & Answer & DeliveryOutcome

/** An endpoint that was disabled because it failed too long, and the number of deliveries that died with it. */
export const DisabledEndpoint = Schema.Struct({ webhook_id: WebhookId, org_id: OrgId, waiting: Schema.Number })
export type DisabledEndpoint = typeof DisabledEndpoint.Type

export interface FinishedBatch {
  /** Ids of deliveries whose last attempt failed. */
  readonly dead: ReadonlyArray<string>
  readonly disabled: ReadonlyArray<DisabledEndpoint>
}

interface Store {
  /** Lists organisations with due deliveries, by id, after this one. A claim may still find none. */
  readonly due: (after: string) => Stored<DuePage>
  /** Leases deliveries: other workers skip them until the lease ends. */
  readonly claim: (options: ClaimOptions) => Stored<Claim>
  /** Records results in one transaction. Results whose lease was lost change nothing. */
  readonly finish: (results: ReadonlyArray<AttemptResult>) => Stored<FinishedBatch>
  /** Returns unfinished deliveries to the queue, as if they had not been claimed. */
  readonly release: (held: ReadonlyArray<Pick<ClaimedDelivery, "delivery_id" | "lease_token">>) => Stored<void>
}

export type Claiming = Pick<Store, "due" | "claim">
export type Finishing = Pick<Store, "finish" | "release">

export class DeliveryQueueStore extends Context.Tag("corridor/WebhookQueueStore")<DeliveryQueueStore, Store>() {}
