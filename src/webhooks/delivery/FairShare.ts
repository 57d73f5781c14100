/**
 * Shares a worker's free slots among organisations. No organisation holds more than a part of the free slots, so
 * later ones find room. Organisations with slow or unknown receivers share a limited number of slots.
 */
import type { OrgId, WebhookId } from "../../domain/Ids.ts"
import {
  webhookConcurrency,
  webhookShare,
  webhookSlowConcurrency,
  webhookUnknownConcurrency,
  receiverSpeedsKept,
  webhookSlow,
  webhookSlowMemory
} from "../../domain/policies/WebhookPolicies.ts"
import { Duration } from "effect"
import { setBounded } from "../../domain/BoundedMap.ts"
import type { ClaimedDelivery } from "./DeliveryQueueStore.ts"

/** Response speed of an organisation's receivers; unknown: not called yet. */
export type Speed = "prompt" | "unknown" | "slow"

/** Deliveries of an organisation in flight. */
export interface OrganizationLoad {
  readonly org_id: OrgId
  readonly speed: Speed
  readonly sending: number
  /** Deliveries to endpoints whose last attempt failed. */
  readonly failing: number
}

export interface DueOrganization extends OrganizationLoad {
  /** Its last claim was empty; others come first. */
  readonly hasNothingDue: boolean
}

/** Number of deliveries that an organisation may start, and how many of them to failing endpoints. */
export interface Share {
  readonly org_id: OrgId
  readonly room: number
  readonly failingRoom: number
}

const sum = (loads: ReadonlyArray<OrganizationLoad>, ...speeds: ReadonlyArray<Speed>): number =>
  loads.reduce((total, { sending, speed }) => (speeds.includes(speed) ? total + sending : total), 0)

const makeRoom = (loads: ReadonlyArray<OrganizationLoad>) => {
  let all = webhookConcurrency - sum(loads, "prompt", "unknown", "slow")
  let unknown = webhookUnknownConcurrency - sum(loads, "unknown", "slow")
  let slow = webhookSlowConcurrency - sum(loads, "slow")
  return {
    for: (speed: Speed): number => {
      if (speed === "prompt") return all
      return speed === "unknown" ? Math.min(all, unknown) : Math.min(all, unknown, slow)
    },
    take: (speed: Speed): void => {
      all -= 1
      if (speed !== "prompt") unknown -= 1
      if (speed === "slow") slow -= 1
    }
  }
}

interface Candidate {
  readonly one: DueOrganization
  held: number
}

const ranks: Readonly<Record<Speed, number>> = { prompt: 0, unknown: 1, slow: 2 }

const before = (a: Candidate, b: Candidate): boolean => {
  if (a.one.hasNothingDue !== b.one.hasNothingDue) return b.one.hasNothingDue
  return a.held === b.held ? ranks[a.one.speed] < ranks[b.one.speed] : a.held < b.held
}

/**
 * Assigns at most `most` slots, one at a time, to the organisation with the fewest in flight; among equals, to the
 * fastest. `loads` are all organisations with deliveries in flight, `waiting` those with due ones in random order.
 */
export const fairShares = (
  loads: ReadonlyArray<OrganizationLoad>,
  waiting: ReadonlyArray<DueOrganization>,
  most: number
): ReadonlyArray<Share> => {
  const room = makeRoom(loads)
  const candidates = waiting.map((one): Candidate => ({ one, held: one.sending }))
  let left: ReadonlyArray<Candidate> = candidates
  for (let given = 0; given < most; given += 1) {
    // Free slots only shrink and held ones only grow, so an organisation at its limit stays there.
    left = left.filter(({ held, one }) => held * webhookShare < room.for(one.speed))
    const [first] = left
    if (first === undefined) break
    const next = left.reduce((best, other) => (before(other, best) ? other : best), first)
    next.held += 1
    room.take(next.one.speed)
  }
  return candidates.flatMap(({ held, one: { failing, org_id, sending } }) =>
    held === sending
      ? []
      : [{ org_id, room: held - sending, failingRoom: Math.max(0, Math.max(1, Math.trunc(held / 2)) - failing) }]
  )
}

const slowMillis = Duration.toMillis(webhookSlow)
const memoryMillis = Duration.toMillis(webhookSlowMemory)

const keep = <A>(kept: Map<OrgId, A>, orgId: OrgId, value: A): void =>
  setBounded(kept, receiverSpeedsKept, orgId, value)

/** Remembers how fast an organisation's receivers answer, and whether its last claim was empty. */
export class ReceiverSpeed {
  /** Time of the last slow answer. */
  private readonly slow = new Map<OrgId, number>()
  private readonly prompt = new Map<OrgId, true>()
  private readonly nothingDue = new Map<OrgId, true>()

  /** Records the duration of an attempt. `now` is of a monotonic clock. */
  recordAnswer(orgId: OrgId, millis: number, now: number): void {
    if (millis < slowMillis) keep(this.prompt, orgId, true)
    else this.markSlow(orgId, now)
  }

  /** Records that a receiver has not answered yet. */
  recordWait(orgId: OrgId, millis: number, now: number): void {
    if (millis >= slowMillis) this.markSlow(orgId, now)
  }

  recordClaim(orgId: OrgId, found: boolean): void {
    if (found) this.nothingDue.delete(orgId)
    else keep(this.nothingDue, orgId, true)
  }

  hasNothingDue(orgId: OrgId): boolean {
    return this.nothingDue.has(orgId)
  }

  /** Slow for a time after one slow answer, whatever the others. */
  speedOf(orgId: OrgId, now: number): Speed {
    const slowAt = this.slow.get(orgId)
    if (slowAt !== undefined && now - slowAt < memoryMillis) return "slow"
    if (slowAt !== undefined) this.slow.delete(orgId)
    return this.prompt.has(orgId) ? "prompt" : "unknown"
  }

  private markSlow(orgId: OrgId, now: number): void {
    keep(this.slow, orgId, now)
    this.prompt.delete(orgId)
  }
}

interface Begun {
  readonly delivery: ClaimedDelivery
  readonly at: number
}

interface Count {
  readonly sending: number
  readonly failing: number
}

/**
 * Deliveries that a worker has claimed and not finished. Counts by endpoint and organisation include only those that
 * wait for an answer; answered ones wait for their result to be written.
 */
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
