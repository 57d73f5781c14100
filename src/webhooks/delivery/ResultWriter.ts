/** Writes results down as they gather, many in one statement, and says of each when it is done with. */
import { Effect } from "effect"
import { webhookResultBatch, webhookRest } from "../../domain/Policies.ts"
import { trouble } from "../../platform/observability/Trouble.ts"
import { type ClaimedDelivery, type GivenUp, givenUpReason, type Result } from "./Delivery.ts"
import type { QueueStore } from "./QueueStore.ts"

interface Told {
  readonly delivery: ClaimedDelivery
  readonly result: Result
}

const tellOfEndpoint = ({ org_id, waiting, webhook_id }: GivenUp) =>
  trouble(
    "endpoint_disabled",
    `A webhook endpoint was disabled: ${givenUpReason} Deliveries that went to the dead letter queue with it: ${waiting}`,
    { webhook_id, org_id }
  )

const tellOfLetter = ({ delivery: { attempt, delivery_id, event_id, org_id, webhook_id }, result: { error } }: Told) =>
  trouble("dead_letter", `A delivery went to the dead letter queue after attempt ${attempt}: ${error}`, {
    delivery_id,
    event_id,
    webhook_id,
    org_id
  })

/** What is told before the scope closes is written down before it has closed. */
export const makeResultWriter = Effect.fnUntraced(function* (
  store: QueueStore["Type"],
  done: (deliveries: ReadonlyArray<ClaimedDelivery>) => Effect.Effect<void>
) {
  const waiting: Array<Told> = []
  const arrived = yield* Effect.makeLatch(false)

  const write = Effect.fnUntraced(function* (batch: ReadonlyArray<Told>) {
    const { dead, givenUp } = yield* store.finish(batch.map(({ result }) => result))
    const letters = batch.filter(({ delivery }) => dead.includes(delivery.delivery_id))
    yield* Effect.forEach(letters, tellOfLetter, { discard: true })
    yield* Effect.forEach(givenUp, tellOfEndpoint, { discard: true })
  })

  /** Without a result in the database the lease runs out, and the delivery is made again. */
  const writeAlone = (told: Told) =>
    Effect.catchAllCause(write([told]), (cause) =>
      Effect.logError(`No result of attempt ${told.delivery.attempt} at delivery ${told.delivery.delivery_id}`, cause)
    )

  /** One that cannot be written does not take its neighbours with it. */
  const flush = Effect.suspend(() => {
    const batch = waiting.splice(0, webhookResultBatch)
    return write(batch).pipe(
      Effect.catchAllCause((cause) =>
        Effect.zipRight(
          Effect.logWarning("Results of deliveries could not be written together, each is tried alone", cause),
          Effect.forEach(batch, writeAlone, { discard: true })
        )
      ),
      Effect.zipRight(done(batch.map(({ delivery }) => delivery)))
    )
  }).pipe(Effect.uninterruptible)

  const flushAll: Effect.Effect<void> = Effect.suspend(() =>
    waiting.length === 0 ? arrived.close : Effect.zipRight(flush, flushAll)
  )

  yield* Effect.addFinalizer(() => flushAll)
  yield* arrived.await.pipe(
    Effect.zipRight(Effect.sleep(webhookRest)),
    Effect.zipRight(flushAll),
    Effect.forever,
    Effect.forkScoped
  )

  return (delivery: ClaimedDelivery, result: Result): Effect.Effect<void> =>
    Effect.suspend(() => {
      waiting.push({ delivery, result })
      return Effect.asVoid(arrived.open)
    })
})
