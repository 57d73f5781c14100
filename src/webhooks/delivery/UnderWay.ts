/** What a worker has claimed and not settled yet, counted by endpoint, so that it claims no more than it can begin. */
import type { ClaimedDelivery } from "./Delivery.ts"
import { webhookConcurrency, webhookFailingConcurrency } from "../../domain/Policies.ts"

export class UnderWay {
  private readonly deliveries = new Map<string, ClaimedDelivery>()
  private readonly endpoints = new Map<string, number>()
  private failing = 0

  get byEndpoint(): ReadonlyMap<string, number> {
    return this.endpoints
  }

  get isEmpty(): boolean {
    return this.deliveries.size === 0
  }

  get room(): number {
    return webhookConcurrency - this.deliveries.size
  }

  get failingRoom(): number {
    return Math.max(0, webhookFailingConcurrency - this.failing)
  }

  get held(): ReadonlyArray<ClaimedDelivery> {
    return Array.from(this.deliveries.values())
  }

  add(delivery: ClaimedDelivery): void {
    this.deliveries.set(delivery.lease_token, delivery)
    this.count(delivery, 1)
  }

  remove(delivery: ClaimedDelivery): void {
    if (this.deliveries.delete(delivery.lease_token)) this.count(delivery, -1)
  }

  private count({ failing, webhook_id }: ClaimedDelivery, by: 1 | -1): void {
    const sending = (this.endpoints.get(webhook_id) ?? 0) + by
    if (sending === 0) this.endpoints.delete(webhook_id)
    else this.endpoints.set(webhook_id, sending)
    if (failing) this.failing += by
  }
}
