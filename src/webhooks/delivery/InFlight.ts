/**
 * Deliveries that a worker has claimed and not finished. Counts by endpoint and organisation include only those that
 * wait for an answer; answered ones wait for their result to be written.
 */
import type { OrgId, WebhookId } from "../../domain/Ids.ts"
import { webhookConcurrency } from "../../domain/policies/WebhookPolicies.ts"
import type { ClaimedDelivery } from "./DeliveryQueueStore.ts"

interface Begun {
  readonly delivery: ClaimedDelivery
  readonly at: number
}

interface Count {
  readonly sending: number
  readonly failing: number
}

export class InFlight {
  private readonly deliveries = new Map<string, Begun>()
  private readonly unanswered = new Set<Begun>()

  /** Counts for these organisations only, since others may have many endpoints that hang. */
  byEndpointOf(organizations: ReadonlySet<OrgId>): ReadonlyMap<WebhookId, number> {
    const counts = new Map<WebhookId, number>()
    for (const { delivery } of this.unanswered) {
      if (!organizations.has(delivery.org_id)) continue
      counts.set(delivery.webhook_id, (counts.get(delivery.webhook_id) ?? 0) + 1)
    }
    return counts
  }

  get byOrganization(): ReadonlyMap<OrgId, Count> {
    const counts = new Map<OrgId, Count>()
    for (const { delivery } of this.unanswered) {
      const { failing, sending } = counts.get(delivery.org_id) ?? { failing: 0, sending: 0 }
      counts.set(delivery.org_id, { sending: sending + 1, failing: delivery.failing ? failing + 1 : failing })
    }
    return counts
  }

  get isEmpty(): boolean {
    return this.deliveries.size === 0
  }

  get room(): number {
    return webhookConcurrency - this.deliveries.size
  }

  get held(): ReadonlyArray<ClaimedDelivery> {
    return Array.from(this.deliveries.values(), ({ delivery }) => delivery)
  }

  /** Time since each unanswered delivery was sent. */
  waits(now: number): ReadonlyArray<{ readonly org_id: OrgId; readonly millis: number }> {
    return Array.from(this.unanswered, ({ at, delivery }) => ({ org_id: delivery.org_id, millis: now - at }))
  }

  add(delivery: ClaimedDelivery, now: number): void {
    const begun = { delivery, at: now }
    this.deliveries.set(delivery.lease_token, begun)
    this.unanswered.add(begun)
  }

  answered({ lease_token }: ClaimedDelivery): void {
    const begun = this.deliveries.get(lease_token)
    if (begun !== undefined) this.unanswered.delete(begun)
  }

  remove(delivery: ClaimedDelivery): void {
    this.answered(delivery)
    this.deliveries.delete(delivery.lease_token)
  }
}
