/** Writes results down as they gather, many in one statement, and says of each when it is done with. */
import { Effect } from "effect"
import { webhookResultBatch, webhookRest } from "../../domain/policies/Webhooks.ts"
import { trouble } from "../../platform/observability/Trouble.ts"
import { countDelivery } from "./DeliveryMetrics.ts"
import { type ClaimedDelivery, type GivenUp, givenUpReason, type Result } from "./Delivery.ts"
import type { QueueStore } from "./QueueStore.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"

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

export class ResultWriter {
  private readonly waiting: Array<Told> = []
  private readonly arrived = Effect.unsafeMakeLatch(false)
  private readonly store: QueueStore["Type"]
  private readonly done: (deliveries: ReadonlyArray<ClaimedDelivery>) => Effect.Effect<void>

  constructor(store: QueueStore["Type"], done: (deliveries: ReadonlyArray<ClaimedDelivery>) => Effect.Effect<void>) {
    this.store = store
    this.done = done
  }

  tell(delivery: ClaimedDelivery, result: Result): void {
    this.waiting.push({ delivery, result })
    this.arrived.unsafeOpen()
  }

  /** Writes until it is interrupted; what was told until then is left to `flush`. */
  get worker(): Effect.Effect<never> {
    return this.arrived.await.pipe(
      Effect.zipRight(Effect.sleep(webhookRest)),
      Effect.zipRight(this.flush),
      Effect.forever
    )
  }

  /** All that was told. */
  get flush(): Effect.Effect<void> {
    return Effect.suspend(() =>
      this.waiting.length === 0 ? this.arrived.close : Effect.zipRight(this.flushBatch, this.flush)
    )
  }

  /** One that cannot be written does not take its neighbours with it. */
  private get flushBatch(): Effect.Effect<void> {
    return Effect.suspend(() => {
      const batch = this.waiting.splice(0, webhookResultBatch)
      return this.write(batch).pipe(
        Effect.catchAllCause((cause) =>
          Effect.zipRight(
            Effect.logWarning("Results of deliveries could not be written together, each is tried alone", cause),
            Effect.forEach(batch, (told) => this.writeAlone(told), { discard: true })
          )
        ),
        Effect.zipRight(this.done(batch.map(({ delivery }) => delivery)))
      )
    }).pipe(Effect.uninterruptible)
  }

  /** Without a result in the database the lease runs out, and the delivery is made again. */
  private writeAlone(told: Told): Effect.Effect<void> {
    return Effect.catchAllCause(this.write([told]), (cause) =>
      Effect.logError(`No result of attempt ${told.delivery.attempt} at delivery ${told.delivery.delivery_id}`, cause)
    )
  }

  private write(batch: ReadonlyArray<Told>): Stored<void> {
    return Effect.flatMap(this.store.finish(batch.map(({ result }) => result)), ({ dead, givenUp }) => {
      for (const { result } of batch) countDelivery(result)
      const letters = batch.filter(({ delivery }) => dead.includes(delivery.delivery_id))
      return Effect.zipRight(
        Effect.forEach(letters, tellOfLetter, { discard: true }),
        Effect.forEach(givenUp, tellOfEndpoint, { discard: true })
      )
    })
  }
}
