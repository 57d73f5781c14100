/**
 * A machine that runs an instance: scheduler and clock of its fibers. It can be killed between any two effects,
 * without finalizers, can be suspended, and can have a wrong clock.
 */
import { Clock, Context, Duration, Effect, FiberRef, Random, type Scheduler } from "effect"
import { InTransaction } from "../../../src/platform/database/Transactor.ts"
import {
  accountDetailsPoll,
  dayClosingPause,
  releasePoll,
  unmatchedCallbackPoll
} from "../../../src/domain/policies/PaymentPolicies.ts"
import { retentionPause, workerPoll } from "../../../src/domain/policies/ServerPolicies.ts"
import type { Stream } from "./Chance.ts"
import { startTime, type VirtualTime } from "./VirtualTime.ts"
import type { SimulationEnvironment } from "./SimulationEnvironment.ts"

/** Worker of a fiber; null for requests. */
export const CurrentWorker = FiberRef.unsafeMake<string | null>(null)

/** Pauses after which a worker only polls. */
const pollPauses = new Set(
  [accountDetailsPoll, dayClosingPause, releasePoll, retentionPause, unmatchedCallbackPoll, workerPoll].map(
    Duration.toMillis
  )
)

/** An idle worker, woken when its pause is over and a row is due. */
interface IdleWorker {
  readonly worker: string
  readonly until: number
  readonly wake: () => void
}

const machines = new WeakMap<Scheduler.Scheduler, Machine>()

export const machineOf = (fiber: { readonly getFiberRef: <A>(ref: FiberRef.FiberRef<A>) => A }): Machine | undefined =>
  machines.get(fiber.getFiberRef(FiberRef.currentScheduler))

export class Machine {
  readonly name: string
  readonly rests = new Set<IdleWorker>()
  isAlive = true
  suspendedUntil = 0
  /** Clock error in milliseconds. */
  skew = 0
  private readonly time: VirtualTime
  private readonly draw: Stream
  private readonly meanSteps: number
  private tasks: Array<() => void> = []
  private done = 0
  private untilYield = 0
  private pendingFault: { readonly steps: number; readonly happen: () => void } | null = null

  /** `meanSteps`: mean number of effects before a fiber yields. */
  constructor(name: string, time: VirtualTime, draw: Stream, meanSteps: number) {
    this.name = name
    this.time = time
    this.draw = draw
    this.meanSteps = meanSteps
    this.untilYield = meanSteps
    machines.set(this.scheduler, this)
  }

  readonly scheduler: Scheduler.Scheduler = {
    scheduleTask: (task) => {
      if (this.isAlive) this.tasks.push(task)
    },
    // A transaction is never interrupted, since others do not see its writes.
    shouldYield: (fiber) => {
      this.untilYield -= 1
      if (this.untilYield > 0) return false
      if (Context.get(fiber.getFiberRef(FiberRef.currentContext) as Context.Context<never>, InTransaction)) return false
      // Resuming takes two steps: with fewer a fiber would make no progress.
      this.untilYield = 4 + (this.draw() % (2 * this.meanSteps))
      return 0
    }
  }

  readonly clock: Clock.Clock = {
    [Clock.ClockTypeId]: Clock.ClockTypeId,
    unsafeCurrentTimeMillis: () => this.time.now + this.skew,
    unsafeCurrentTimeNanos: () => this.nanos(),
    currentTimeMillis: Effect.sync(() => this.time.now + this.skew),
    currentTimeNanos: Effect.sync(() => this.nanos()),
    sleep: (duration) => this.sleep(Duration.toMillis(duration))
  }

  get random(): Random.Random {
    return Random.make(this.draw())
  }

  get isRunning(): boolean {
    return this.isAlive && this.time.now >= this.suspendedUntil
  }

  get isBusy(): boolean {
    return this.isRunning && this.done < this.tasks.length
  }

  /** Applies a fault after this many fiber steps. */
  afterSteps(steps: number, happen: () => void): void {
    this.pendingFault = { steps, happen }
  }

  /** Runs one step of one fiber. */
  work(): void {
    const task = this.tasks[this.done]
    if (task === undefined || this.faultStrikes()) return
    this.done += 1
    if (this.done === this.tasks.length) {
      this.tasks = []
      this.done = 0
    }
    task()
  }

  private faultStrikes(): boolean {
    if (this.pendingFault === null) return false
    this.pendingFault = { ...this.pendingFault, steps: this.pendingFault.steps - 1 }
    if (this.pendingFault.steps > 0) return false
    const { happen } = this.pendingFault
    this.pendingFault = null
    happen()
    return true
  }

  kill(): void {
    this.isAlive = false
    this.tasks = []
    this.done = 0
    this.rests.clear()
  }

  /** Monotonic clock, without the clock error. */
  private nanos(): bigint {
    return BigInt(this.time.now - startTime) * 1_000_000n
  }

  private sleep(millis: number): Effect.Effect<void> {
    return Effect.withFiberRuntime((fiber) => {
      const worker = fiber.getFiberRef(CurrentWorker)
      return Effect.async<void>((resume) => {
        const wake = () => resume(Effect.void)
        if (worker === null || !pollPauses.has(millis)) {
          const cancel = this.time.after(millis, wake)
          return Effect.sync(cancel)
        }
        const rest: IdleWorker = { worker, until: this.time.now + millis, wake }
        this.rests.add(rest)
        return Effect.sync(() => void this.rests.delete(rest))
      })
    })
  }
}

const SECOND = 1000

/** Suspends the machine during a call, in runs with this focus. The answer waits until it resumes. */
export const suspendWhileWaiting = (
  env: SimulationEnvironment,
  machine: Machine | undefined,
  purpose: string
): Effect.Effect<void> =>
  Effect.sync(() => {
    const { chance, focus, time } = env
    if (focus.suspensions === undefined || machine === undefined || machine.name === "elsewhere") return
    if (!purpose.includes(focus.suspendsIn ?? "") || env.suspensions >= (focus.mostSuspensions ?? Infinity)) return
    if (!env.strikes(focus.suspensions, "falls asleep while it waits", purpose)) return
    const seconds = chance.pick(focus.suspendSeconds ?? [25, 62, 130], `${purpose} nap`)
    env.hasSuspended = true
    env.suspensions += 1
    time.after(1, () => {
      env.log(`${machine.name} falls asleep for ${seconds} s while it waits`)
      machine.suspendedUntil = time.now + seconds * SECOND
      time.after(seconds * SECOND, () => env.log(`${machine.name} wakes up`))
    })
  })
