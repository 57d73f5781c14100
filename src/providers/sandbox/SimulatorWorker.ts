/** Delivers the simulators' callbacks when they are due, whichever process scheduled them. */
import { Array, Data, Duration, Effect, Fiber, FiberSet, Option } from "effect"
import type { BuiltInRail } from "../../domain/Corridor.ts"
import { Ids } from "../../domain/Ids.ts"
import {
  simulatorCallbackBackOff,
  simulatorCallbackBatch,
  simulatorCallbackLease,
  simulatorCallbackTimeout,
  simulatorBatches,
  simulatorLookAhead,
  simulatorSlowBatch
} from "../../domain/policies/ProviderPolicies.ts"
import { Settings } from "../../platform/config/Settings.ts"
import { monotonicMillis } from "../../platform/fibers/Deadlines.ts"
import { WorkQueues } from "../../platform/database/WorkQueues.ts"
import type { CallbackRequest } from "../port/Callback.ts"
import { Vault } from "../../platform/secrets/Vault.ts"
import { signedCallback } from "./SimulatorAnswers.ts"
import { type SimulatorTimer, SimulatorStore } from "./SimulatorStore.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"

/** The receiver did not take the callback; it will be sent again. */
export class DeliveryFailed extends Data.TaggedError("DeliveryFailed")<{ readonly message: string }> {}

export type Deliver = (
  provider: BuiltInRail,
  callback: Pick<CallbackRequest, "headers" | "body">
) => Stored<void, DeliveryFailed>

const notTaken = ({ eventId, rail }: SimulatorTimer) => `Callback ${eventId} of the ${rail} simulator was not accepted`

/** A write that fails is not repeated: the lease runs out, and the callback is sent once more. */
const leaseEnds = (written: Stored<void>): Effect.Effect<void> =>
  Effect.catchAllCause(written, (cause) =>
    Effect.logWarning("Callbacks of the simulators could not be given back; they are sent again", cause)
  )

/** Every timer of a batch is in one of the three lists. */
interface Batch {
  readonly token: string
  readonly open: Map<string, SimulatorTimer>
  readonly taken: Array<string>
  readonly refused: Array<string>
}

/** Runs until interrupted, and releases its claimed timers then. */
export const simulatorWorker = (deliver: Deliver) =>
  Effect.gen(function* () {
    const store = yield* SimulatorStore
    const vault = yield* Vault
    const queues = yield* WorkQueues
    const { sandboxRailPace } = yield* Settings
    const ids = yield* Ids
    const lookAhead = simulatorLookAhead(sandboxRailPace)

    const isTaken = (timer: SimulatorTimer): Effect.Effect<boolean> =>
      Effect.suspend(() => deliver(timer.rail, signedCallback(vault, timer))).pipe(
        Effect.as(true),
        Effect.catchAllCause((cause) => Effect.as(Effect.logWarning(notTaken(timer), cause), false))
      )

    const deliverInOrder = Effect.fnUntraced(function* (batch: Batch, timers: ReadonlyArray<SimulatorTimer>) {
      const began = yield* monotonicMillis
      let inOrder = true
      for (const timer of timers) {
        const early = began + timer.dueInMillis - (yield* monotonicMillis)
        if (early > 0) yield* Effect.sleep(early)
        inOrder = inOrder && (yield* isTaken(timer))
        const list = inOrder ? batch.taken : batch.refused
        list.push(timer.timerId)
        batch.open.delete(timer.timerId)
      }
    })

    /** Callbacks of one payment stay in order: after a failed delivery the later ones wait too. */
    const deliverAll = (batch: Batch) =>
      Effect.forEach(
        Object.values(Array.groupBy(batch.open.values(), (timer) => timer.reference)),
        (timers) => deliverInOrder(batch, timers),
        { concurrency: "unbounded", discard: true }
      )

    /** A callback that hangs delays only those of the same payment, up to the timeout. */
    const deliverInTime = Effect.fnUntraced(function* (batch: Batch) {
      if (Option.isSome(yield* Effect.timeoutOption(deliverAll(batch), simulatorCallbackTimeout))) return
      for (const timer of batch.open.values()) {
        yield* Effect.logWarning(`${notTaken(timer)} within ${Duration.format(simulatorCallbackTimeout)}`)
        batch.refused.push(timer.timerId)
      }
      batch.open.clear()
    })

    const settle = ({ open, refused, taken, token }: Batch) => {
      const backOff = Duration.toMillis(simulatorCallbackBackOff)
      return Effect.all(
        [
          leaseEnds(store.done(token, taken)),
          leaseEnds(store.postpone(token, refused, backOff)),
          refused.length > 0 ? queues.announceHere("simulator", backOff) : Effect.void,
          leaseEnds(store.postpone(token, [...open.keys()], 0))
        ],
        { discard: true }
      )
    }

    /** Interruptible within alone: a fiber that is interrupted before it begins releases its batch, too. */
    const deliverBatch = (batch: Batch) =>
      Effect.interruptible(deliverInTime(batch)).pipe(
        Effect.ensuring(Effect.suspend(() => settle(batch))),
        Effect.timed,
        // Claims passed later callbacks of the same payments meanwhile.
        Effect.flatMap(([took]) =>
          Duration.greaterThan(took, Duration.sum(lookAhead, simulatorSlowBatch))
            ? queues.announceHere("simulator", 0)
            : Effect.void
        )
      )

    const batches = yield* FiberSet.make()

    const begin = Effect.uninterruptible(
      Effect.gen(function* () {
        const token = yield* ids.next
        const { nextDueInMillis, timers } = yield* store.claim({
          token,
          limit: simulatorCallbackBatch,
          leaseMillis: Duration.toMillis(simulatorCallbackLease),
          aheadMillis: Duration.toMillis(lookAhead)
        })
        if (Option.isSome(nextDueInMillis)) yield* queues.announceHere("simulator", nextDueInMillis.value)
        if (timers.length === 0) return { isFull: false }
        const open = new Map(timers.map((timer) => [timer.timerId, timer]))
        const batch = yield* FiberSet.run(batches, deliverBatch({ token, open, taken: [], refused: [] }))
        return { batch, isFull: timers.length === simulatorCallbackBatch }
      })
    )

    const look = Effect.gen(function* () {
      const { batch, isFull } = yield* begin
      if (batch !== undefined && (yield* FiberSet.size(batches)) >= simulatorBatches) yield* Fiber.await(batch)
      if (isFull) return
      yield* Effect.sleep(lookAhead)
      yield* queues.rest("simulator")
    })

    return yield* Effect.forever(look)
  }).pipe(Effect.scoped, Effect.annotateLogs("worker", "simulators"))
