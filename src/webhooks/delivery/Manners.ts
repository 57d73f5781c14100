/** What a worker remembers of organisations, so that those who keep their slots for long cannot take all of them. */
import { Duration } from "effect"
import type { OrgId } from "../../domain/Identifiers.ts"
import { webhookMannersKept, webhookSlow, webhookSlowMemory } from "../../domain/policies/Webhooks.ts"
import { remember } from "../../domain/Remember.ts"
import type { Standing } from "./Shares.ts"

const slowMillis = Duration.toMillis(webhookSlow)
const memoryMillis = Duration.toMillis(webhookSlowMemory)

const keep = <A>(kept: Map<OrgId, A>, orgId: OrgId, value: A): void => remember(kept, webhookMannersKept, orgId, value)

export class Manners {
  /** When each was last slow. */
  private readonly slow = new Map<OrgId, number>()
  private readonly prompt = new Map<OrgId, true>()
  private readonly barren = new Map<OrgId, true>()

  /** A receiver answered, or failed to, after so long. Times are of a clock that only goes forward. */
  took(orgId: OrgId, millis: number, now: number): void {
    if (millis < slowMillis) keep(this.prompt, orgId, true)
    else this.wasSlow(orgId, now)
  }

  /** A receiver has not answered for so long. */
  tookSoFar(orgId: OrgId, millis: number, now: number): void {
    if (millis >= slowMillis) this.wasSlow(orgId, now)
  }

  /** Whether it had something to give when it was asked. */
  gave(orgId: OrgId, something: boolean): void {
    if (something) this.barren.delete(orgId)
    else keep(this.barren, orgId, true)
  }

  isBarren(orgId: OrgId): boolean {
    return this.barren.has(orgId)
  }

  /** One slow answer outweighs all the prompt ones, for a while. */
  standingOf(orgId: OrgId, now: number): Standing {
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
