/**
 * Who gets the room that a worker has left. Organisations share it first: none may hold more than its part of what
 * stays free, so that whoever comes next finds room, and those that keep their slots for long share a part of it.
 */
import type { OrgId } from "../../domain/Ids.ts"
import {
  webhookConcurrency,
  webhookShare,
  webhookSlowConcurrency,
  webhookUnknownConcurrency,
  webhookMannersKept,
  webhookSlow,
  webhookSlowMemory
} from "../../domain/policies/WebhookPolicies.ts"
import { Duration } from "effect"
import { setBounded } from "../../domain/BoundedMap.ts"

/** How an organisation's receivers answered lately: soon, late or not at all, or nobody has asked them yet. */
export type Speed = "prompt" | "unknown" | "slow"

/** What an organisation has under way. */
export interface OrganizationLoad {
  readonly org_id: OrgId
  readonly standing: Speed
  readonly sending: number
  /** Of them, to endpoints whose last attempt failed. */
  readonly failing: number
}

export interface DueOrganization extends OrganizationLoad {
  /** It had nothing to give when it was last asked; others come first. */
  readonly barren: boolean
}

/** How many deliveries an organisation may begin, and how many of those at endpoints whose last attempt failed. */
export interface Share {
  readonly org_id: OrgId
  readonly room: number
  readonly failingRoom: number
}

const sum = (loads: ReadonlyArray<OrganizationLoad>, ...standings: ReadonlyArray<Speed>): number =>
  loads.reduce((total, { sending, standing }) => (standings.includes(standing) ? total + sending : total), 0)

const makeRoom = (loads: ReadonlyArray<OrganizationLoad>) => {
  let all = webhookConcurrency - sum(loads, "prompt", "unknown", "slow")
  let unknown = webhookUnknownConcurrency - sum(loads, "unknown", "slow")
  let slow = webhookSlowConcurrency - sum(loads, "slow")
  return {
    for: (standing: Speed): number => {
      if (standing === "prompt") return all
      return standing === "unknown" ? Math.min(all, unknown) : Math.min(all, unknown, slow)
    },
    take: (standing: Speed): void => {
      all -= 1
      if (standing !== "prompt") unknown -= 1
      if (standing === "slow") slow -= 1
    }
  }
}

/** Whoever may have another one, and what that makes of its part so far. */
interface Candidate {
  readonly one: DueOrganization
  held: number
}

const ranks: Readonly<Record<Speed, number>> = { prompt: 0, unknown: 1, slow: 2 }

const before = (a: Candidate, b: Candidate): boolean => {
  if (a.one.barren !== b.one.barren) return b.one.barren
  return a.held === b.held ? ranks[a.one.standing] < ranks[b.one.standing] : a.held < b.held
}

/**
 * `loads` are all that have something under way, `waiting` those with something due, in the order of their lots. One
 * slot at a time goes to whoever holds fewest, and of those to whoever answers soonest; at most `most` of them.
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
    // What is free only shrinks, and what one holds only grows: whoever may have no more is out.
    left = left.filter(({ held, one }) => held * webhookShare < room.for(one.standing))
    const [first] = left
    if (first === undefined) break
    const next = left.reduce((best, other) => (before(other, best) ? other : best), first)
    next.held += 1
    room.take(next.one.standing)
  }
  return candidates.flatMap(({ held, one: { failing, org_id, sending } }) =>
    held === sending
      ? []
      : [{ org_id, room: held - sending, failingRoom: Math.max(0, Math.max(1, Math.trunc(held / 2)) - failing) }]
  )
}

/** What a worker remembers of organisations, so that those who keep their slots for long cannot take all of them. */
const slowMillis = Duration.toMillis(webhookSlow)
const memoryMillis = Duration.toMillis(webhookSlowMemory)

const keep = <A>(kept: Map<OrgId, A>, orgId: OrgId, value: A): void =>
  setBounded(kept, webhookMannersKept, orgId, value)

export class ReceiverSpeed {
  /** When each was last slow. */
  private readonly slow = new Map<OrgId, number>()
  private readonly prompt = new Map<OrgId, true>()
  private readonly barren = new Map<OrgId, true>()

  /** A receiver answered, or failed to, after so long. Times are of a clock that only goes forward. */
  recordAnswer(orgId: OrgId, millis: number, now: number): void {
    if (millis < slowMillis) keep(this.prompt, orgId, true)
    else this.wasSlow(orgId, now)
  }

  /** A receiver has not answered for so long. */
  recordWait(orgId: OrgId, millis: number, now: number): void {
    if (millis >= slowMillis) this.wasSlow(orgId, now)
  }

  /** Whether it had something to give when it was asked. */
  recordClaim(orgId: OrgId, something: boolean): void {
    if (something) this.barren.delete(orgId)
    else keep(this.barren, orgId, true)
  }

  isBarren(orgId: OrgId): boolean {
    return this.barren.has(orgId)
  }

  /** One slow answer outweighs all the prompt ones, for a while. */
  speedOf(orgId: OrgId, now: number): Speed {
    const slowAt = this.slow.get(orgId)
    if (slowAt !== undefined && now - slowAt < memoryMillis) return "slow"
    if (slowAt !== undefined) this.slow.delete(orgId)
    return this.prompt.has(orgId) ? "prompt" : "unknown"
  }

  private wasSlow(orgId: OrgId, now: number): void {
    keep(this.slow, orgId, now)
    this.prompt.delete(orgId)
  }
}
