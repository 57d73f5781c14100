/**
 * Environment of a run outside of the service: time, chance, problems and counts. Draws every fault, so that
 * shrinking can leave out some.
 */
import { type Focus, noFocus } from "../business/Focus.ts"
import type { Chance } from "./Chance.ts"
import { startTime, type VirtualTime } from "./VirtualTime.ts"

export interface HttpReply {
  readonly status: number
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
}

export interface HttpRequest {
  readonly method: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

export class SimulationEnvironment {
  readonly time: VirtualTime
  readonly chance: Chance
  /** Broken rules, in the order found. */
  readonly problems: Array<string> = []
  /** Faults that happened, by name. */
  readonly faults: Array<string> = []
  readonly counts = new Map<string, number>()
  /** A statement failed: callers may have seen 503. */
  databaseFailed = false
  /** A machine was suspended: callers may have timed out. */
  hasSuspended = false
  suspensions = 0
  focus: Focus = noFocus
  /** Runs after operators have cleared the queue for the first time. */
  readonly afterwards: Array<() => void> = []
  /** End of each held lock, by row id. */
  readonly locks = new Map<string, number>()
  /** Log of the run; null: not kept. */
  logLines: Array<string> | null = null
  /** Sends a request to an instance; null: no answer. */
  send: (sent: HttpRequest, answered: (reply: HttpReply | null) => void) => void = () => {
    throw new Error("no instance listens yet")
  }
  private readonly without: ReadonlySet<string>

  constructor(time: VirtualTime, chance: Chance, without: ReadonlySet<string>) {
    this.time = time
    this.chance = chance
    this.without = without
  }

  problem(text: string): void {
    this.log(`PROBLEM ${text}`)
    if (!this.problems.includes(text)) this.problems.push(text)
  }

  count(what: string): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + 1)
  }

  log(what: string): void {
    if (this.logLines === null) return
    this.logLines.push(`${((this.time.now - startTime) / 1000).toFixed(3).padStart(12)} ${what}`)
  }

  /** Draws by weight; returns `usual` if this fault is left out. */
  drawn<A extends string>(weights: Readonly<Record<A, number>>, usual: NoInfer<A>, purpose: string): A {
    const drawn = this.chance.weighed(weights, purpose)
    if (drawn === usual) return drawn
    if (this.without.has(purpose)) return usual
    this.faults.push(purpose)
    this.count(`fault: ${drawn}`)
    return drawn
  }

  strikes(probability: number, what: string, purpose: string): boolean {
    return this.drawn({ no: 1 - probability, [what]: probability }, "no", `${purpose}: ${what}`) !== "no"
  }
}
