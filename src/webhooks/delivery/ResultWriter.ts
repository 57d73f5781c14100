/** Writes results down as they gather, many in one statement, and says of each when it is done with. */
import { Effect } from "effect"
import { webhookResultBatch, webhookRest } from "../../domain/policies/WebhookPolicies.ts"
import { alertOperator } from "../../platform/observability/OperatorAlert.ts"
import {
  type ClaimedDelivery,
  type GivenUp,
  disabledReason,
  type AttemptResult,
  type DeliveryQueueStore
} from "./DeliveryQueueStore.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"
import { counter, histogram } from "../../platform/observability/Metrics.ts"

/** Counts and times deliveries, all receivers together: an endpoint is no label, since anybody can make one more. */
const deliveries = counter(
  "corridor_webhook_deliveries_total",
  "Attempts at webhook deliveries, by what came of them: delivered, failed (and to be repeated), or dead.",
  ["outcome"]
)

const seconds = histogram(
  "corridor_webhook_delivery_seconds",
  "Time that receivers of webhooks took.",
  [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
  []
)

const outcomes = { delivered: "delivered", retry: "failed", dead: "dead" } as const

for (const outcome of Object.values(outcomes)) deliveries([outcome], 0)

const countDelivery = ({ latency_ms, verdict }: AttemptResult): void => {
  deliveries([outcomes[verdict]])
  seconds([], latency_ms / 1000)
}

interface Told {
  readonly delivery: ClaimedDelivery
  readonly result: AttemptResult
}

const tellOfEndpoint = ({ org_id, waiting, webhook_id }: GivenUp) =>
  alertOperator(
    "endpoint_disabled",
    `A webhook endpoint was disabled: ${disabledReason} Deliveries that went to the dead letter queue with it: ${waiting}`,
    { webhook_id, org_id }
  )

const tellOfLetter = ({ delivery: { attempt, delivery_id, event_id, org_id, webhook_id }, result: { error } }: Told) =>
  alertOperator("dead_letter", `A delivery went to the dead letter queue after attempt ${attempt}: ${error}`, {
    delivery_id,
    event_id,
    webhook_id,
    org_id
  })

export class ResultWriter {
  private readonly waiting: Array<Told> = []
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
