/**
 * The queue between events and their receivers. It says which organisations have something due, and gives out as many
 * deliveries of each as it is asked for, spread over their endpoints: a backlog of one of them is in nobody else's way.
 */
import { Context } from "effect"
import type { Claim, ClaimedDelivery, ClaimOptions, DueOrganizations, Result, Settled } from "./Delivery.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"

export interface Claiming {
  /** Organisations after this one, in the order of their ids; some may turn out to have nothing to give. */
  readonly due: (after: string) => Stored<DueOrganizations>
  /** Until the lease ends, nobody else claims what this one answers with. */
  readonly claim: (options: ClaimOptions) => Stored<Claim>
}

export interface Settling {
  /** All of them together; a result whose lease was lost changes nothing. */
  readonly finish: (results: ReadonlyArray<Result>) => Stored<Settled>
  /** Gives back what was not tried to its end, as if it had not been claimed. */
  readonly release: (held: ReadonlyArray<Pick<ClaimedDelivery, "delivery_id" | "lease_token">>) => Stored<void>
}

export class QueueStore extends Context.Tag("corridor/WebhookQueueStore")<QueueStore, Claiming & Settling>() {}
