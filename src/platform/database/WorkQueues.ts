/**
 * When the queues of the workers have something due. A worker rests until then, and is woken by:
 *
 * 1. a commit of this process that announces a row of its queue;
 * 2. a commit of another instance, by NOTIFY;
 * 3. the reading of the due times of all queues, every few seconds, which finds whatever was missed.
 *
 * Where nothing reads them (a worker that runs alone, stores in memory) a worker polls instead. Times are counted from the
 * database's `now()` to the due row, never compared with this machine's clock.
 */
import { type Clock, Context, Duration, Effect, Schema, type Scope } from "effect"
import { accountDetailsPoll, unmatchedCallbackPoll } from "../../domain/policies/PaymentPolicies.ts"
import { dueTimesValid, workerPoll } from "../../domain/policies/ServerPolicies.ts"
import { afterCommit } from "./Transactor.ts"
import { monotonicMillis, monotonicNow } from "../fibers/Deadlines.ts"

export const queueNames = [
  "account_details",
  "card_waits",
  "early_callbacks",
  "enquiries",
  "escrow_payouts",
  "kyb_requests",
  "ramp_payouts",
  "rate_limits",
  "simulator",
  "webhooks"
] as const
export type QueueName = (typeof queueNames)[number]

/** A row of the queue is due, and the next one is in so many milliseconds; null: there is none. */
export const DueTime = Schema.Struct({
  queue: Schema.Literal(...queueNames),
  is_due: Schema.Boolean,
  wait: Schema.NullOr(Schema.Number)
})
export type DueTime = typeof DueTime.Type

/** Pause of a worker that polls. */
const pollOf = (queue: QueueName): number => {
  if (queue === "account_details") return Duration.toMillis(accountDetailsPoll)
  return Duration.toMillis(queue === "early_callbacks" ? unmatchedCallbackPoll : workerPoll)
}

/** Due times that are further away are rounded up to so many milliseconds, so that a queue has few of them. */
const NEAR = 2000
const STEP = 50
/** Most payments are over before their first enquiry, so most looks find nothing. */
const ENQUIRY_STEP = 1000
const MOST_TIMES = 4000

const stepOf = (queue: QueueName, inMillis: number): number => {
  if (inMillis <= NEAR) return 1
  return queue === "enquiries" ? ENQUIRY_STEP : STEP
}

/** A worker that rested lately is taken to be free again by the time when later rows are due. */
const LATELY = 1000
const BUSY_AT_MOST = 100

/** Rows that are due later than this are read before they are due. */
const HORIZON = Duration.toMillis(dueTimesValid)

class WorkQueue {
  readonly changed = Effect.unsafeMakeLatch(false)
  isResting = false
  /** Until when its worker rests if nothing is due before. */
  restsUntil = Number.NEGATIVE_INFINITY
  /** When its worker last had nothing to do and room for more. */
  restedAt = Number.NEGATIVE_INFINITY
  private isDue = false
  private readonly later = new Set<number>()
  private again = Infinity

  add(due: number, now: number): void {
    if (this.later.size >= MOST_TIMES) this.drop(now)
    if (due <= now) this.isDue = true
    else this.later.add(due)
    if (due < this.restsUntil) this.changed.unsafeOpen()
  }

  readonly rested = Effect.sync(() => {
    this.isResting = false
    this.restsUntil = Number.NEGATIVE_INFINITY
  })

  /** Whether the worker looks shortly before anyway: it then finds the row, or when it is due. */
  looksBefore(due: number): boolean {
    for (const planned of this.later) if (planned <= due && due - planned < STEP) return true
    return false
  }

  get next(): number {
    return Math.min(this.again, ...this.later)
  }

  /**
   * Why the worker looks now. After a due time it looks once more a moment later: its first look passes rows that a
   * transaction has locked.
   */
  take(now: number): "due" | "again" | undefined {
    this.drop(now)
    const reason = this.isDue ? "due" : this.again <= now ? "again" : undefined
    if (reason === "due") this.again = now + Duration.toMillis(workerPoll)
    if (reason === "again") this.again = Infinity
    this.isDue = false
    return reason
  }

  private drop(now: number): void {
    for (const due of this.later) {
      if (due > now) continue
      this.later.delete(due)
      this.isDue = true
    }
  }
}

type Announced = (queue: QueueName, inMillis: number) => void

const make = () => {
  const queues = new Map<QueueName, WorkQueue>(queueNames.map((name) => [name, new WorkQueue()]))
  const remotes = new Set<Announced>()
  /** Until then the due times that were read are taken for complete. */
  let readUntil = Number.NEGATIVE_INFINITY

  const add = (queue: QueueName, inMillis: number, now: number): void => {
    const step = stepOf(queue, inMillis)
    const due = inMillis <= 0 ? now : Math.ceil((now + inMillis) / step) * step
    if (inMillis <= HORIZON) queues.get(queue)!.add(due, now)
  }

  const announced = (queue: QueueName, inMillis: number, clock: Clock.Clock) => (): void => {
    const { isResting, restedAt } = queues.get(queue)!
    const now = monotonicNow(clock)
    add(queue, inMillis, now)
    const isTaken = isResting || (inMillis > BUSY_AT_MOST && now - restedAt < LATELY)
    if (isTaken || inMillis > HORIZON) return
    for (const remote of remotes) remote(queue, inMillis)
  }

  return {
    /**
     * A row of the queue is due in so many milliseconds, once the transaction is committed. Other instances are told if no
     * worker of this process is free for it by then.
     */
    announce: (queue: QueueName, inMillis = 0): Effect.Effect<void> =>
      Effect.flatMap(Effect.clock, (clock) => afterCommit(announced(queue, inMillis, clock))),

    /** The worker itself knows when its next row is due, and reads it again with each look. */
    announceHere: (queue: QueueName, inMillis: number): Effect.Effect<void> =>
      Effect.map(monotonicMillis, (now) => {
        if (inMillis <= 0 || !queues.get(queue)!.looksBefore(now + inMillis)) add(queue, inMillis, now)
      }),

    /** For what the workers of this process know already. */
    announceElsewhere: (queue: QueueName): Effect.Effect<void> =>
      afterCommit(() => {
        for (const remote of remotes) remote(queue, 0)
      }),

    /** Another instance has announced a row. */
    receive: (queue: QueueName, inMillis: number, clock: Clock.Clock): void =>
      add(queue, inMillis, monotonicNow(clock)),

    /** Due times as they were just read, of all queues. */
    read: (times: ReadonlyArray<DueTime>): Effect.Effect<void> =>
      Effect.map(monotonicMillis, (now) => {
        readUntil = now + HORIZON
        for (const { is_due, queue, wait } of times) {
          if (is_due) add(queue, 0, now)
          if (wait !== null) add(queue, wait, now)
        }
      }),

    /** Due times cannot be read: workers poll until they can. */
    unread: Effect.sync(() => {
      if (readUntil === Number.NEGATIVE_INFINITY) return
      readUntil = Number.NEGATIVE_INFINITY
      for (const queue of queues.values()) queue.changed.unsafeOpen()
    }),

    /** Tells other instances of announced rows, until the scope closes. */
    attach: (remote: Announced): Effect.Effect<void, never, Scope.Scope> =>
      Effect.acquireRelease(
        Effect.sync(() => void remotes.add(remote)),
        () => Effect.sync(() => remotes.delete(remote))
      ),

    /** Waits until the queue has something due, or for `atMost` milliseconds. Answers whether something is due. */
    rest: Effect.fnUntraced(function* (name: QueueName, atMost = Infinity) {
      const queue = queues.get(name)!
      const began = yield* monotonicMillis
      const poll = began + Math.min(pollOf(name), atMost)
      while (true) {
        const now = yield* monotonicMillis
        if (atMost === Infinity) queue.restedAt = now
        queue.changed.unsafeClose()
        const isRead = readUntil > now
        const reason = queue.take(now)
        if (reason !== undefined || now >= (isRead ? began + atMost : poll)) return reason === "due"
        const end = Math.min(queue.next, isRead ? Math.min(began + atMost, readUntil) : poll)
        queue.isResting = atMost === Infinity
        queue.restsUntil = end
        yield* Effect.raceFirst(queue.changed.await, Effect.sleep(end - now)).pipe(Effect.ensuring(queue.rested))
      }
    })
  }
}

/** One for each process; instances that share a process, as in the simulation, have their own. */
export class WorkQueues extends Context.Reference<WorkQueues>()("corridor/WorkQueues", { defaultValue: make }) {
  static readonly make = make
}

/** Looks again and again: soon while it finds something, else when the queue has something due. */
export const workThrough = <E, R>(
  queue: QueueName,
  look: Effect.Effect<{ readonly foundAny: boolean }, E, R>
): Effect.Effect<never, E, R> =>
  Effect.flatMap(WorkQueues, ({ rest }) =>
    Effect.forever(
      Effect.flatMap(look, ({ foundAny }) => (foundAny ? rest(queue, Duration.toMillis(workerPoll)) : rest(queue)))
    )
  )
