/**
 * The queue between events and their receivers. It says which organisations have something due, and gives out as many
 * deliveries of each as it is asked for, spread over their endpoints: a backlog of one of them is in nobody else's way.
 */
import { Context, type Effect } from "effect"
import type { Claim, ClaimedDelivery, ClaimOptions, DueOrganizations, Result, Settled } from "./Delivery.ts"

export interface Claiming {
  /** Organisations after this one, in the order of their ids; some may turn out to have nothing to give. */
  readonly due: (after: string) => Effect.Effect<DueOrganizations>
  /** Until the lease ends, nobody else claims what this one answers with. */
  readonly claim: (options: ClaimOptions) => Effect.Effect<Claim>
}

export interface Settling {
  /** All of them together; a result whose lease was lost changes nothing. */
  readonly finish: (results: ReadonlyArray<Result>) => Effect.Effect<Settled>
  /** Gives back what was not tried to its end, as if it had not been claimed. */
  readonly release: (held: ReadonlyArray<Pick<ClaimedDelivery, "delivery_id" | "lease_token">>) => Effect.Effect<void>
}

export class QueueStore extends Context.Tag("corridor/WebhookQueueStore")<QueueStore, Claiming & Settling>() {}
