/**
 * Gathers items of concurrent fibers into one statement. Items that arrive while a batch runs go out with the next
 * one: an idle service answers at once, a busy one shares round trips.
 *
 * - A batch that takes too long is overtaken by the next one.
 * - An organisation whose rows are locked, or whose items are refused, gets a batch of its own.
 */
import { Array as Arr, Cause, Duration, Effect, Exit, FiberRef, FiberSet, Option, type Tracer } from "effect"
import { busy, type DatabaseFailure, type MaybeWritten } from "../../domain/Failure.ts"
import {
  concurrentBatches,
  batchTick,
  ownBatchDuration,
  longestOwnBatchQueue,
  longestQueue,
  queuePatience,
  queueStuck,
  ticksIn,
  batchLockTimeout,
  ownBatchLockTimeout,
  configVersionsCached
} from "../../domain/policies/DatabasePolicies.ts"
import { isConflict, isLockTimeout, type Stored } from "./DatabaseFailure.ts"
import { InTransaction, PoolQuotas } from "./Transactor.ts"
import { setBounded } from "../../domain/BoundedMap.ts"

/** Lock timeout of a batch, as PostgreSQL reads it; null: that of the transaction. */
export type LockWait = string | null

const commonLockWait = String(Duration.toMillis(batchLockTimeout))
const ownLockWait = String(Duration.toMillis(ownBatchLockTimeout))

/** First part of a `with`: a statement that reads from it waits for locks as long as `$n`, a `LockWait`, says. */
export const patience = (parameter: string): string =>
  `patience as materialized (
    select set_config('lock_timeout', coalesce(${parameter}, current_setting('lock_timeout')), true)
  )`

/** Returns results in the order of the items, with `wait` as lock timeout. */
type Run<In, Out> = (items: ReadonlyArray<In>, wait: LockWait) => Stored<ReadonlyArray<Out>>

interface Options<In> {
  readonly largest?: number
  /** Items with equal keys wait for each other's rows and share their own batch. */
  readonly queueOf?: (item: In) => string
}

interface Waiting<In, Out> {
  readonly item: In
  /** The tick at which it came. */
  readonly since: number
  readonly answer: (exit: Exit.Exit<Out, DatabaseFailure>) => void
  /** Set if an earlier try may have been written. */
  lost?: MaybeWritten
  /** Of its wait, where that is traced. */
  readonly span?: Tracer.Span
}

type Batch<In, Out> = ReadonlyArray<Waiting<In, Out>>

interface OrgQueue<In, Out> {
  readonly queue: Array<Waiting<In, Out>>
  running: boolean
  /** The tick at which its items go with the common batch again. */
  until: number
}

/** A later failure does not take back that an earlier try may have been written. */
const failed = <In, Out>({ answer, lost }: Waiting<In, Out>, cause: Cause.Cause<DatabaseFailure>): void =>
  answer(lost === undefined ? Exit.failCause(cause) : Exit.fail(lost))

const answerAll = <In, Out>(batch: Batch<In, Out>, exit: Exit.Exit<ReadonlyArray<Out>, DatabaseFailure>): void =>
  batch.forEach((one, index) =>
    Exit.isSuccess(exit) ? one.answer(Exit.succeed(exit.value[index] as Out)) : failed(one, exit.cause)
  )

const giveUpOnOldest = <In, Out>(queue: Array<Waiting<In, Out>>, tick: number): void => {
  for (let [oldest] = queue; oldest !== undefined && tick - oldest.since > ticksIn(queuePatience); [oldest] = queue) {
    queue.shift()
    failed(oldest, Cause.fail(busy()))
  }
}

/** A statement for several is part of the first one's trace; the spans of the others refer to it. */
const inTraceOf = <In, Out, A>(batch: Batch<In, Out>, statement: Stored<A>): Stored<A> => {
  const [first, ...others] = batch.flatMap(({ span }) => span ?? [])
  if (first === undefined) return Effect.withTracerEnabled(statement, false)
  for (const span of others) span.addLinks([{ _tag: "SpanLink", span: first, attributes: {} }])
  return Effect.withParentSpan(statement, first)
}

/** Failure of the database for a batch; undefined if it refused an item of it. */
const failureIn = <A>(exit: Exit.Exit<A, DatabaseFailure>): DatabaseFailure | undefined => {
  const failure = Exit.isFailure(exit) ? Option.getOrUndefined(Cause.failureOption(exit.cause)) : undefined
  return failure?._tag === "Busy" && isConflict(failure) ? undefined : failure
}

/** Inside a transaction nothing is gathered, since a batch has a connection of its own. */
export const batched = <In, Out>(run: Run<In, Out>, { largest = 64, queueOf }: Options<In> = {}) =>
  Effect.gen(function* () {
    const { aside, watch } = yield* PoolQuotas
    const fork = yield* FiberSet.makeRuntime<never>()
    const traced = yield* FiberRef.get(FiberRef.currentTracerEnabled)
    const common: Array<Waiting<In, Out>> = []
    const orgQueues = new Map<string, OrgQueue<In, Out>>()
    /** The common batches that are under way, by the tick at which they began. */
    const running = new Set<{ readonly since: number }>()
    let tick = 0
    let ticking = false

    /** Exceptions of `run` fail the batch too. */
    const runAll = (items: ReadonlyArray<In>, wait: LockWait) => Effect.suspend(() => run(items, wait))

    /**
     * Tries a batch once more over another connection if its own broke. So `run` must recognise items that it has
     * written already.
     */
    const tried = (batch: Batch<In, Out>, wait: LockWait) => {
      const items = batch.map(({ item }) => item)
      const once = Effect.exit(traced ? inTraceOf(batch, runAll(items, wait)) : runAll(items, wait))
      return Effect.flatMap(once, (exit) => {
        const failure = failureIn(exit)
        if (failure?._tag === "MaybeWritten") for (const one of batch) one.lost = failure
        return failure === undefined || failure._tag === "Busy" ? Effect.succeed(exit) : once
      })
    }

    /** A refusal of several is one item's: halves are tried until it stands alone. */
    const runBatch = (orgQueue: OrgQueue<In, Out>, batch: Batch<In, Out>): Effect.Effect<void> =>
      Effect.flatMap(tried(batch, ownLockWait), (exit) => {
        if (Exit.isFailure(exit)) orgQueue.until = tick + ticksIn(ownBatchDuration)
        if (Exit.isSuccess(exit) || batch.length === 1 || failureIn(exit) !== undefined) {
          return Effect.sync(() => answerAll(batch, exit))
        }
        const half = Math.ceil(batch.length / 2)
        return Effect.zipRight(runBatch(orgQueue, batch.slice(0, half)), runBatch(orgQueue, batch.slice(half)))
      })

    const drainOrgQueue = (orgQueue: OrgQueue<In, Out>): Effect.Effect<void> =>
      Effect.suspend(() => {
        orgQueue.running = orgQueue.queue.length > 0
        if (!orgQueue.running) return Effect.void
        const next = Effect.suspend(() => runBatch(orgQueue, orgQueue.queue.splice(0, largest)))
        return Effect.zipRight(aside(next), drainOrgQueue(orgQueue))
      })

    const wake = (orgQueue: OrgQueue<In, Out>): void => {
      if (!orgQueue.running) fork(drainOrgQueue(orgQueue))
      keepTicking()
    }

    const setAside = (key: string, batch: Batch<In, Out>): void => {
      const orgQueue = orgQueues.get(key) ?? { queue: [], running: false, until: 0 }
      orgQueues.set(key, orgQueue)
      orgQueue.until = tick + ticksIn(ownBatchDuration)
      orgQueue.queue.unshift(...batch)
      wake(orgQueue)
    }

    /** Finds the organisation that kept a batch from being written: each in a statement of its own. */
    const sort = (batch: Batch<In, Out>): Effect.Effect<void> => {
      const groups = Object.entries(Arr.groupBy(batch, ({ item }) => queueOf?.(item) ?? ""))
      const one = ([key, group]: readonly [string, Batch<In, Out>]) =>
        Effect.map(tried(group, commonLockWait), (exit) =>
          Exit.isSuccess(exit) ? answerAll(group, exit) : setAside(key, group)
        )
      if (groups.length > 1) return Effect.forEach(groups, one, { concurrency: concurrentBatches, discard: true })
      return Effect.sync(() => groups.forEach(([key, group]) => setAside(key, group)))
    }

    const flush = (batch: Batch<In, Out>): Effect.Effect<void> =>
      Effect.flatMap(tried(batch, commonLockWait), (exit) => {
        if (Exit.isFailure(exit)) {
          const failure = failureIn(exit)
          const isLocked = failure?._tag === "Busy" && isLockTimeout(failure)
          if (isLocked || (failure === undefined && batch.length > 1)) return sort(batch)
        }
        return Effect.sync(() => answerAll(batch, exit))
      })

    /** A batch that has been under way for a whole tick is overdue, and no longer waited for. */
    const take = (): Effect.Effect<void> | undefined => {
      const isWaitedFor = running.size > 0 && [...running].some(({ since }) => tick - since < 2)
      if (common.length === 0 || isWaitedFor || running.size >= concurrentBatches) return undefined
      const one = { since: tick }
      running.add(one)
      return Effect.flatMap(flush(common.splice(0, largest)), () => {
        running.delete(one)
        return take() ?? Effect.void
      })
    }

    const advance = (): void => {
      const next = take()
      if (next !== undefined) fork(next)
      if (common.length > 0) keepTicking()
    }

    const ticks: Effect.Effect<void> = Effect.flatMap(Effect.sleep(batchTick), () => {
      tick += 1
      giveUpOnOldest(common, tick)
      for (const [key, orgQueue] of orgQueues) {
        giveUpOnOldest(orgQueue.queue, tick)
        if (!orgQueue.running && tick >= orgQueue.until) orgQueues.delete(key)
      }
      advance()
      ticking = common.length > 0 || orgQueues.size > 0
      return ticking ? ticks : Effect.void
    })

    const keepTicking = (): void => {
      if (ticking) return
      ticking = true
      fork(ticks)
    }

    const waiting = (item: In, span?: Tracer.Span): Stored<Out> =>
      Effect.async((answer) => {
        const orgQueue = queueOf === undefined || orgQueues.size === 0 ? undefined : orgQueues.get(queueOf(item))
        const { queue } = orgQueue ?? { queue: common }
        if (queue.length >= (orgQueue === undefined ? longestQueue : longestOwnBatchQueue))
          return answer(Exit.fail(busy()))
        queue.push(span === undefined ? { item, since: tick, answer } : { item, since: tick, answer, span })
        if (orgQueue === undefined) advance()
        else wake(orgQueue)
      })

    /** Each wait is a span of its own: what it waits for may be a statement for many. */
    const inSpan = (item: In): Stored<Out> =>
      Effect.flatMap(FiberRef.get(FiberRef.currentTracerEnabled), (enabled) =>
        enabled
          ? Effect.useSpan("sql.batch", { kind: "client", captureStackTrace: false }, (span) => waiting(item, span))
          : waiting(item)
      )
    const gathered = traced ? inSpan : (item: In) => waiting(item)

    yield* watch(() => common[0] !== undefined && tick - common[0].since >= ticksIn(queueStuck))
    const alone = (item: In): Stored<Out> => Effect.map(runAll([item], null), ([out]) => out as Out)
    return (item: In) => Effect.flatMap(InTransaction, (inside) => (inside ? alone(item) : gathered(item)))
  })

/** For reads: items with equal keys are read once in a batch and share the result. */
export const batchedReads = <In, Out>(
  keyOf: (item: In) => string,
  run: (items: ReadonlyArray<In>) => Stored<ReadonlyArray<Out>>
) =>
  batched((items: ReadonlyArray<In>) => {
    const distinct = new Map(items.map((item) => [keyOf(item), item]))
    return Effect.map(run([...distinct.values()]), (results) => {
      const byKey = new Map([...distinct.keys()].map((key, at) => [key, results[at] as Out]))
      return items.map((item) => byKey.get(keyOf(item)) as Out)
    })
  })

/** Version for the current fiber; null: read without the cache. No service: a context of all services is long to copy. */
const configVersion = FiberRef.unsafeMake<string | null>(null)

export const atConfigVersion =
  (version: string | null) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    version === null ? effect : Effect.locally(effect, configVersion, version)

/**
 * Caches the configuration that payments read (organisations, fees, routing) by its version. A request learns the
 * version with its credential. Every change of the configuration writes a new version in its own transaction, so no
 * request uses a configuration that was replaced before it came.
 * Inside a transaction it is read anew, since the transaction may have changed it.
 */
export const cachedByConfigVersion = <In, Out>(
  keyOf: (item: In) => string,
  run: (items: ReadonlyArray<In>) => Stored<ReadonlyArray<Out>>
) =>
  Effect.map(batchedReads(keyOf, run), (read) => {
    const kept = new Map<string, Out>()
    return (item: In): Stored<Out> =>
      Effect.gen(function* () {
        const version = yield* FiberRef.get(configVersion)
        if (version === null || (yield* InTransaction)) return yield* read(item)
        const key = `${version} ${keyOf(item)}`
        const cached = kept.get(key)
        if (cached !== undefined) return cached
        const fresh = yield* read(item)
        setBounded(kept, configVersionsCached, key, fresh)
        return fresh
      })
  })

/** A text with the parts that it has: at least those that were asked for. */
export interface StatementOfParts<Part extends string> {
  readonly text: string
  readonly parts: ReadonlySet<Part>
}

/**
 * So many texts of a statement besides that of all parts. A connection keeps the plan of each, of up to a megabyte, and
 * rows that share a statement may need any parts together.
 */
const MOST_TEXTS = 16

/** Keeps the text for each set of parts: a statement is prepared by its text. */
export const statementsOfParts = <Part extends string>(
  order: ReadonlyArray<Part>,
  write: (has: (part: Part) => boolean) => string
) => {
  const made = (parts: ReadonlySet<Part>): StatementOfParts<Part> => ({ parts, text: write((part) => parts.has(part)) })
  const kept = new Map<string, StatementOfParts<Part>>()
  let whole: StatementOfParts<Part> | undefined
  return (needed: ReadonlySet<Part>): StatementOfParts<Part> => {
    const key = order.map((part) => (needed.has(part) ? "1" : "0")).join("")
    const exact = kept.get(key)
    if (exact !== undefined) return exact
    if (kept.size < MOST_TEXTS) {
      const fresh = made(new Set(needed))
      kept.set(key, fresh)
      return fresh
    }
    let least = (whole ??= made(new Set(order)))
    for (const one of kept.values()) {
      const isEnough = Array.from(needed).every((part) => one.parts.has(part))
      if (isEnough && one.parts.size < least.parts.size) least = one
    }
    return least
  }
}
