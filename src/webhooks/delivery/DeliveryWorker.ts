/** Sends what waits in the queue, together with the workers of any other instance. */
import { Cause, Duration, Effect, FiberSet } from "effect"
import { Settings } from "../../config/Settings.ts"
import { nilUuid } from "../../domain/Ids.ts"
import { webhookDrain, webhookLeaseMargin, webhookRest, workerPoll } from "../../domain/Policies.ts"
import { makeAttempt } from "./Attempt.ts"
import type { ClaimedDelivery } from "./Delivery.ts"
import { QueueStore } from "./QueueStore.ts"
import { makeResultWriter } from "./ResultWriter.ts"
import { UnderWay } from "./UnderWay.ts"

/** Runs until it is interrupted; what it could not bring to an end by then is free for others at once. */
export const deliveryWorker = Effect.gen(function* () {
  const store = yield* QueueStore
  const { webhookTimeout } = yield* Settings
  const attempt = yield* makeAttempt
  const underWay = new UnderWay()
  const settled = yield* Effect.makeLatch(false)
  const leaseMillis = Duration.toMillis(Duration.sum(webhookTimeout, webhookLeaseMargin))

  /** The latch is closed before the look, so that nothing settles unseen between the two. */
  const waitUntil = (isSo: () => boolean): Effect.Effect<void> =>
    Effect.zipRight(
      settled.close,
      Effect.suspend(() =>
        isSo()
          ? Effect.void
          : settled.await.pipe(Effect.zipRight(Effect.sleep(webhookRest)), Effect.zipRight(waitUntil(isSo)))
      )
    )

  const settle = (deliveries: ReadonlyArray<ClaimedDelivery>) =>
    Effect.suspend(() => {
      for (const delivery of deliveries) underWay.remove(delivery)
      return Effect.asVoid(settled.open)
    })

  // In this order at the end: what is under way gets a moment, then it is cut off, what came of it until then is
  // written down, and the leases of the others are given back.
  yield* Effect.addFinalizer(() => Effect.suspend(() => store.release(underWay.held)))
  const tell = yield* makeResultWriter(store, settle)
  const sending = yield* FiberSet.make<void>()
  yield* Effect.addFinalizer(() =>
    Effect.timeoutOption(Effect.interruptible(waitUntil(() => underWay.isEmpty)), webhookDrain)
  )

  const deliver = (delivery: ClaimedDelivery) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.matchCauseEffect(restore(attempt(delivery)), {
        onSuccess: (result) => tell(delivery, result),
        onFailure: (cause) =>
          Cause.isInterruptedOnly(cause)
            ? Effect.void
            : Effect.zipRight(
                Effect.logError(`No result of attempt ${delivery.attempt} at delivery ${delivery.delivery_id}`, cause),
                settle([delivery])
              )
      })
    )

  const claim = Effect.fnUntraced(function* (after: string) {
    yield* settled.close
    const { deliveries, next } = yield* store.claim({
      after,
      limit: underWay.room,
      failingLimit: underWay.failingRoom,
      underWay: underWay.byEndpoint,
      leaseMillis
    })
    for (const delivery of deliveries) underWay.add(delivery)
    for (const delivery of deliveries) yield* FiberSet.run(sending, Effect.interruptible(deliver(delivery)))
    return { found: deliveries.length, next }
  }, Effect.uninterruptible)

  /** Once round all endpoints, which is a single claim unless there are very many. */
  const round = (after: string, before: number): Effect.Effect<number> =>
    waitUntil(() => underWay.room > 0).pipe(
      Effect.zipRight(Effect.suspend(() => claim(after))),
      Effect.flatMap(({ found, next }) =>
        next === null ? Effect.succeed(before + found) : round(next, before + found)
      )
    )

  return yield* Effect.suspend(() => round(nilUuid, 0)).pipe(
    // An endpoint that had its fill may have room again as soon as anything is settled.
    Effect.flatMap((found) => (found > 0 ? Effect.void : Effect.timeoutOption(settled.await, workerPoll))),
    Effect.zipRight(Effect.sleep(webhookRest)),
    Effect.forever
  )
}).pipe(Effect.scoped, Effect.annotateLogs("worker", "webhooks"))
