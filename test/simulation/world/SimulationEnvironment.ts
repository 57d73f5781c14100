/**
 * What stands outside of the service and outlives its instances: time, chance, what went wrong, and what came up. Every
 * fault is drawn here, so that a shorter run may leave some of them out.
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
  /** What must never be, in the order in which it was seen. */
  readonly problems: Array<string> = []
  /** Faults that happened, by name. */
  readonly faults: Array<string> = []
  /** How often what came up. */
  readonly counts = new Map<string, number>()
  /** The database has failed somebody: who is told so is told the truth. */
  databaseFailed = false
  /** A machine has slept, so that callers may have waited in vain. */
  hasSuspended = false
  suspensions = 0
  /** What this run is about, where that is one kind of trouble. */
  focus: Focus = noFocus
  /** What happens once people have cleared up for the first time. */
  readonly afterwards: Array<() => void> = []
  /** Until when a row is somebody else's, by its id. */
  readonly locks = new Map<string, number>()
  /** What happened, for whoever looks into a seed; nothing is kept unless somebody asks. */
  logLines: Array<string> | null = null
  /** Sends a request to an instance; the answer is nothing where none came. */
  send: (sent: HttpRequest, answered: (reply: HttpReply | null) => void) => void = () => {
    throw new Error("nobody listens yet")
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

  /** What is drawn, unless this run leaves it out: then what is usual. */
  drawn<A extends string>(weights: Readonly<Record<A, number>>, usual: NoInfer<A>, purpose: string): A {
    const drawn = this.chance.weighed(weights, purpose)
    if (drawn === usual) return drawn
    if (this.without.has(purpose)) return usual
    this.faults.push(purpose)
    this.count(`fault: ${drawn}`)
    return drawn
  }

  /** Whether something unusual happens. */
  strikes(probability: number, what: string, purpose: string): boolean {
    return this.drawn({ no: 1 - probability, [what]: probability }, "no", `${purpose}: ${what}`) !== "no"
  }
}
