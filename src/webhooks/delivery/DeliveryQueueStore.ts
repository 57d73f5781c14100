/**
 * The queue between events and their receivers. It says which organisations have something due, and gives out as many
 * deliveries of each as it is asked for, spread over their endpoints: a backlog of one of them is in nobody else's way.
 */
import { Context, Duration, Schema } from "effect"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"
import type { Answer } from "../Webhook.ts"
import { OrgId, WebhookId } from "../../domain/Ids.ts"
import { webhookGivesUpAfter } from "../../domain/policies/WebhookPolicies.ts"

/** A delivery on its way: as a worker claims it, and what came of the attempt. */

/** Why an endpoint was disabled. */
export const disabledReason = `It failed for ${Duration.toDays(webhookGivesUpAfter)} days in a row.`

/** What is wrong with a delivery that waited for it and was never tried. */
export const neverSentError = "the endpoint was disabled before it could be sent"

export const ClaimedDelivery = Schema.Struct({
  delivery_id: Schema.String,
  org_id: OrgId,
  webhook_id: WebhookId,
  event_id: Schema.String,
  event_type: Schema.String,
  test: Schema.Boolean,
  /** The event's exact text, the same at every attempt. */
  payload: Schema.String,
  endpoint_url: Schema.String,
  secret_sealed: Schema.String,
  /** Only while its time lasts. */
  previous_secret_sealed: Schema.NullOr(Schema.String),
  /** Whether the endpoint's last attempt failed. */
  failing: Schema.Boolean,
  /** Which attempt this is; counted at the claim, so that one that kills its worker counts as well. */
  attempt: Schema.Number,
  lease_token: Schema.String,
  /** The request that caused the event, where that was traced. */
  traceparent: Schema.optional(Schema.NullOr(Schema.String))
})
export type ClaimedDelivery = typeof ClaimedDelivery.Type

export interface DuePage {
  readonly organizations: ReadonlyArray<OrgId>
  /** Where the next look goes on; none when the walk over the organisations came to its end. */
  readonly next: string | null
}

/** As much of an organisation's deliveries as may be begun now. */
export interface OrganizationQuota {
  readonly org_id: OrgId
  /** Its endpoints after this one. */
  readonly after: string
  readonly room: number
  /** How many of them may go to endpoints whose last attempt failed. */
  readonly failingRoom: number
}

export interface ClaimOptions {
  readonly lanes: ReadonlyArray<OrganizationQuota>
  /** Deliveries under way, by endpoint. */
  readonly underWay: ReadonlyMap<WebhookId, number>
  readonly leaseMillis: number
}

export interface Claim {
  readonly deliveries: ReadonlyArray<ClaimedDelivery>
  /** The endpoints after which the next claim goes on, of organisations that have more of them than were looked at. */
  readonly next: ReadonlyMap<OrgId, WebhookId>
}

export type Verdict =
  | { readonly verdict: "delivered" }
  | { readonly verdict: "retry"; readonly delay_ms: number }
  | { readonly verdict: "dead" }

/** Counts only for whoever still holds the lease. */
export type AttemptResult = Pick<ClaimedDelivery, "delivery_id" | "lease_token"> & Answer & Verdict

/** An endpoint that was disabled because it failed for too long, and how much was still waiting for it. */
export const GivenUp = Schema.Struct({ webhook_id: WebhookId, org_id: OrgId, waiting: Schema.Number })
export type GivenUp = typeof GivenUp.Type

export interface FinishedBatch {
  /** The deliveries that were tried for the last time, by id. */
  readonly dead: ReadonlyArray<string>
  readonly givenUp: ReadonlyArray<GivenUp>
}

export interface Claiming {
  /** Organisations after this one, in the order of their ids; some may turn out to have nothing to give. */
  readonly due: (after: string) => Stored<DuePage>
  /** Until the lease ends, nobody else claims what this one answers with. */
  readonly claim: (options: ClaimOptions) => Stored<Claim>
}

export interface Settling {
  /** All of them together; a result whose lease was lost changes nothing. */
  readonly finish: (results: ReadonlyArray<AttemptResult>) => Stored<FinishedBatch>
  /** Gives back what was not tried to its end, as if it had not been claimed. */
  readonly release: (held: ReadonlyArray<Pick<ClaimedDelivery, "delivery_id" | "lease_token">>) => Stored<void>
}

export class DeliveryQueueStore extends Context.Tag("corridor/WebhookQueueStore")<
  DeliveryQueueStore,
  Claiming & Settling
>() {}
