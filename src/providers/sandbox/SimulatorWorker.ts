/** Delivers the simulators' callbacks when they are due, whichever process scheduled them. */
import { Array, Data, Duration, Effect, Fiber, FiberSet, Option } from "effect"
import type { BuiltInRail } from "../../domain/Corridor.ts"
import type { DatabaseFailure } from "../../domain/Failure.ts"
import { Ids } from "../../domain/Ids.ts"
import {
  simulatorCallbackBackOff,
  simulatorCallbackBatch,
  simulatorCallbackLease,
  simulatorCallbackRest,
  simulatorCallbackTimeout,
  simulatorBatchPatience,
  simulatorBatches
} from "../../domain/policies/ProviderPolicies.ts"
import { WorkQueues } from "../../platform/database/WorkQueues.ts"
import type { CallbackRequest } from "../port/Callback.ts"
import { Vault } from "../../platform/secrets/Vault.ts"
import { signedCallback } from "./SimulatorAnswers.ts"
import { type SimulatorTimer, type ClaimedTimers, SimulatorStore } from "./SimulatorStore.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"

/** The receiver did not take the callback; it will be sent again. */
export class DeliveryFailed extends Data.TaggedError("DeliveryFailed")<{ readonly message: string }> {}

export type Deliver = (
  provider: BuiltInRail,
  callback: Pick<CallbackRequest, "headers" | "body">
) => Stored<void, DeliveryFailed>

const notTaken = ({ eventId, rail }: SimulatorTimer) => `Callback ${eventId} of the ${rail} simulator was not accepted`

/** Every timer of a batch is in one of the three lists. */
interface Batch {
  readonly token: string
  readonly claim: ClaimedTimers
  readonly open: Map<string, SimulatorTimer>
  readonly taken: Array<string>
  readonly refused: Array<string>
}

/** Runs until interrupted, and releases its claimed timers then. */
export const simulatorWorker = (deliver: Deliver) =>
  Effect.gen(function* () {
    const store = yield* SimulatorStore
    const vault = yield* Vault
    const ids = yield* Ids
    const queues = yield* WorkQueues

    const claim = Effect.gen(function* () {
      const token = yield* ids.next
      const claim = yield* store.claim(token, simulatorCallbackBatch, Duration.toMillis(simulatorCallbackLease))
      const open = new Map(claim.timers.map((timer) => [timer.timerId, timer]))
      const batch: Batch = { token, claim, open, taken: [], refused: [] }
      return batch
    })

    const isTaken = (timer: SimulatorTimer): Effect.Effect<boolean> =>
      deliver(timer.rail, signedCallback(vault, timer)).pipe(
        Effect.as(true),
        Effect.catchAllCause((cause) => Effect.as(Effect.logWarning(notTaken(timer), cause), false))
      )

    const deliverInOrder = Effect.fnUntraced(function* (batch: Batch, timers: ReadonlyArray<SimulatorTimer>) {
      let inOrder = true
      for (const timer of timers) {
        inOrder = inOrder && (yield* isTaken(timer))
        const list = inOrder ? batch.taken : batch.refused
        list.push(timer.timerId)
        batch.open.delete(timer.timerId)
      }
    })

    /** Callbacks of one payment stay in order: after a failed delivery the later ones wait too. */
    const deliverAll = (batch: Batch) =>
      Effect.forEach(
        Object.values(Array.groupBy(batch.claim.timers, (timer) => timer.reference)),
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
          store.done(token, taken),
          store.postpone(token, refused, backOff),
          refused.length > 0 ? queues.announceHere("simulator", backOff) : Effect.void,
          store.postpone(token, [...open.keys()], 0)
        ],
        { discard: true }
      )
    }

    const idle = Effect.fnUntraced(function* (nextDueInMillis: Option.Option<number>) {
      if (Option.isSome(nextDueInMillis)) yield* queues.announceHere("simulator", nextDueInMillis.value)
      yield* Effect.sleep(simulatorCallbackRest)
      yield* queues.rest("simulator")
    })

    const round = Effect.acquireUseRelease(
      claim,
      (batch) => Effect.as(deliverInTime(batch), batch.claim),
      (batch) => Effect.orDie(settle(batch))
    ).pipe(
      Effect.timed,
      // The worker did not wait for it: later callbacks of the same payments can be claimed only now.
      Effect.tap(([took]) =>
        Duration.greaterThan(took, simulatorBatchPatience) ? queues.announceHere("simulator", 0) : Effect.void
      ),
      Effect.map(([, claim]) => claim)
    )

    const rounds = yield* FiberSet.make<ClaimedTimers, DatabaseFailure>()

    /** Starts the next round while an earlier one still waits for slow deliveries. */
    const begun = Effect.flatMap(FiberSet.run(rounds, round), (fiber) =>
      Effect.flatMap(FiberSet.size(rounds), (running) =>
        running < simulatorBatches
          ? Effect.timeoutOption(Fiber.join(fiber), simulatorBatchPatience)
          : Effect.asSome(Fiber.join(fiber))
      )
    )

    return yield* begun.pipe(
      Effect.flatMap(
        Option.match({
          onNone: () => Effect.void,
          onSome: ({ nextDueInMillis, timers }) =>
            timers.length === simulatorCallbackBatch ? Effect.void : idle(nextDueInMillis)
        })
      ),
      Effect.forever
    )
  }).pipe(Effect.scoped, Effect.annotateLogs("worker", "simulators"))
