/** Operator alerts for a dead delivery and a disabled endpoint, once each, with ids. */
import { expect } from "@effect/vitest"
import { Effect, HashMap, Logger, LogLevel, Metric } from "effect"
import type { WebhookId } from "../../../src/domain/Ids.ts"
import { deliveryWorker } from "../../../src/webhooks/delivery/DeliveryWorker.ts"
import { deliveriesTo, Endpoints, newEndpoint, newEvents, onBothQueues } from "./DeliveryFixtures.ts"
import { newReceiver, until, withStatus } from "./Receiver.ts"

type Line = Readonly<Record<string, unknown>>

/** Operator alerts that an effect logs, without other lines. */
const loggingAlerts = <A, E, R>(effect: Effect.Effect<A, E, R>) => {
  const lines: Array<Line> = []
  const ear = Logger.make<unknown, void>(({ annotations, logLevel, message }) => {
    const said = Object.fromEntries(HashMap.toEntries(annotations))
    if (said["operator_alert"] !== undefined) lines.push({ ...said, level: logLevel.label, message: String(message) })
  })
  return effect.pipe(
    Effect.provide(Logger.replace(Logger.defaultLogger, ear)),
    Logger.withMinimumLogLevel(LogLevel.All),
    Effect.as(lines)
  )
}

const counted = (kind: string) =>
  Effect.map(
    Metric.value(
      Metric.tagged(
        Metric.counter("corridor_operator_alerts_total", {
          description: "Conditions that an operator should look at, by kind.",
          incremental: true
        }),
        "kind",
        kind
      )
    ),
    ({ count }) => count
  )

const untilAllAre = (webhook_id: WebhookId, status: string) =>
  until(deliveriesTo(webhook_id), (all) => all.every((one) => one.status === status))

onBothQueues(
  "The delivery worker",
  (it) => {
    it.scoped("reports every dead letter once, with its ids, and counts it", () =>
      Effect.gen(function* () {
        const receiver = yield* newReceiver(withStatus(503))
        const { org_id, webhook_id } = yield* newEndpoint(receiver.url)
        const before = yield* counted("dead_letter")
        const events = yield* newEvents(org_id, 3)
        const lines = yield* loggingAlerts(
          Effect.scoped(Effect.zipRight(Effect.forkScoped(deliveryWorker), untilAllAre(webhook_id, "dead")))
        )
        const dead = yield* deliveriesTo(webhook_id)
        expect(lines.toSorted((a, b) => (String(a["event_id"]) < String(b["event_id"]) ? -1 : 1))).toEqual(
          events
            .map(({ event_id }) => event_id)
            .toSorted()
            .map((event_id) => ({
              operator_alert: "dead_letter",
              level: "WARN",
              message: "A delivery went to the dead letter queue after attempt 2: answered with status 503",
              worker: "webhooks",
              org_id,
              webhook_id,
              event_id,
              delivery_id: dead.find((one) => one.event_id === event_id)!.delivery_id
            }))
        )
        expect((yield* counted("dead_letter")) - before).toBe(3)
      })
    )

    it.scoped("reports an endpoint that it disables once, and how many deliveries died with it", () =>
      Effect.gen(function* () {
        const receiver = yield* newReceiver(withStatus(503))
        const { org_id, webhook_id } = yield* newEndpoint(receiver.url)
        const { age, failingSince } = yield* Endpoints
        const before = yield* counted("endpoint_disabled")
        yield* newEvents(org_id, 1)
        yield* Effect.scoped(
          Effect.zipRight(
            Effect.forkScoped(deliveryWorker),
            until(failingSince(webhook_id), (since) => since !== null)
          )
        )
        yield* age(webhook_id, 121)
        yield* newEvents(org_id, 30)
        const lines = yield* loggingAlerts(
          Effect.scoped(Effect.zipRight(Effect.forkScoped(deliveryWorker), untilAllAre(webhook_id, "dead")))
        )
        const disabled = lines.filter(({ operator_alert }) => operator_alert === "endpoint_disabled")
        expect(disabled).toMatchObject([{ level: "WARN", webhook_id, org_id }])
        expect(disabled[0]!["message"]).toMatch(
          /^A webhook endpoint was disabled: It failed for 5 days in a row\. Deliveries moved to the dead letter queue: \d+$/
        )
        expect((yield* counted("endpoint_disabled")) - before).toBe(1)
      })
    )
  },
  { WEBHOOK_RETRY_DELAYS: "30 millis" }
)
