/** Writes results of attempts to the database in batches. */
import { Effect } from "effect"
import { webhookResultBatch, webhookRest } from "../../domain/policies/WebhookPolicies.ts"
import { alertOperator } from "../../platform/observability/OperatorAlert.ts"
import {
  type ClaimedDelivery,
  type DisabledEndpoint,
  disabledReason,
  type AttemptResult,
  type DeliveryQueueStore
} from "./DeliveryQueueStore.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"
import { counter, histogram } from "../../platform/observability/Metrics.ts"

const deliveries = counter(
  "corridor_webhook_deliveries_total",
  "Webhook delivery attempts, by outcome: delivered, failed (to be retried) or dead.",
  ["outcome"]
)

const seconds = histogram(
  "corridor_webhook_delivery_seconds",
  "Response time of webhook receivers.",
  [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  []
)

const outcomes = { delivered: "delivered", retry: "failed", dead: "dead" } as const

for (const outcome of Object.values(outcomes)) deliveries([outcome], 0)

const countDelivery = ({ latency_ms, verdict }: AttemptResult): void => {
  deliveries([outcomes[verdict]])
  seconds([], latency_ms / 1000)
}

interface Finished {
  readonly delivery: ClaimedDelivery
  readonly result: AttemptResult
}

const alertDisabled = ({ org_id, waiting, webhook_id }: DisabledEndpoint) =>
  alertOperator(
    "endpoint_disabled",
    `A webhook endpoint was disabled: ${disabledReason} Deliveries moved to the dead letter queue: ${waiting}`,
    { webhook_id, org_id }
  )

const alertDead = ({ delivery: { attempt, delivery_id, event_id, org_id, webhook_id }, result: { error } }: Finished) =>
  alertOperator("dead_letter", `A delivery went to the dead letter queue after attempt ${attempt}: ${error}`, {
    delivery_id,
    event_id,
    webhook_id,
    org_id
  })

export class ResultWriter {
  private readonly waiting: Array<Finished> = []
  private readonly arrived = Effect.unsafeMakeLatch(false)
  private readonly store: DeliveryQueueStore["Type"]
  private readonly done: (deliveries: ReadonlyArray<ClaimedDelivery>) => Effect.Effect<void>

  constructor(
    store: DeliveryQueueStore["Type"],
    done: (deliveries: ReadonlyArray<ClaimedDelivery>) => Effect.Effect<void>
  ) {
    this.store = store
    this.done = done
  }

  add(delivery: ClaimedDelivery, result: AttemptResult): void {
    this.waiting.push({ delivery, result })
    this.arrived.unsafeOpen()
  }

  /** Writes batches until it is interrupted; `flush` writes the rest. */
  get worker(): Effect.Effect<never> {
    return this.arrived.await.pipe(
      Effect.zipRight(Effect.sleep(webhookRest)),
      Effect.zipRight(this.flush),
      Effect.forever
    )
  }

  /** Writes all results that were added. */
  get flush(): Effect.Effect<void> {
    return Effect.suspend(() =>
      this.waiting.length === 0 ? this.arrived.close : Effect.zipRight(this.flushBatch, this.flush)
    )
  }

  /** Falls back to single writes, so that one bad result does not lose the batch. */
  private get flushBatch(): Effect.Effect<void> {
    return Effect.suspend(() => {
      const batch = this.waiting.splice(0, webhookResultBatch)
      return this.write(batch).pipe(
        Effect.catchAllCause((cause) =>
          Effect.zipRight(
            Effect.logWarning("A batch of delivery results could not be written; writing each alone", cause),
            Effect.forEach(batch, (one) => this.writeAlone(one), { discard: true })
          )
        ),
        Effect.zipRight(this.done(batch.map(({ delivery }) => delivery)))
      )
    }).pipe(Effect.uninterruptible)
  }

  /** Without a stored result, the lease expires and the delivery is repeated. */
  private writeAlone(one: Finished): Effect.Effect<void> {
    return Effect.catchAllCause(this.write([one]), (cause) =>
      Effect.logError(`No result of attempt ${one.delivery.attempt} at delivery ${one.delivery.delivery_id}`, cause)
    )
  }

  private write(batch: ReadonlyArray<Finished>): Stored<void> {
    return Effect.flatMap(this.store.finish(batch.map(({ result }) => result)), ({ dead, disabled }) => {
      for (const { result } of batch) countDelivery(result)
      const letters = batch.filter(({ delivery }) => dead.includes(delivery.delivery_id))
      return Effect.zipRight(
        Effect.forEach(letters, alertDead, { discard: true }),
        Effect.forEach(disabled, alertDisabled, { discard: true })
      )
    })
  }
}
