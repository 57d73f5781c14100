/** Events and their deliveries: lists, replays, test notifications. */
import { Schema } from "effect"
import { withoutCardNumber } from "../../domain/Card.ts"
import { OrgId, WebhookId } from "../../domain/Ids.ts"
import { AnyCurrencyCode } from "../../domain/Currency.ts"
import { AmountInput } from "../../domain/Decimal.ts"
import { eventTypes } from "../../domain/EventTypes.ts"
import { get, post, examples, operation, apiGroup, pageExample } from "./Operation.ts"
import {
  envelope,
  Id,
  idOf,
  idParam,
  OrgParam,
  pageOf,
  PageParams,
  report,
  reportOf,
  Timestamp,
  success
} from "./Envelope.ts"
import { FromTime } from "./RequestFields.ts"

const Text = Schema.NullOr(Schema.String)
const EventTypeName = Schema.Literal(...eventTypes)

const DeliveryStatus = Schema.Literal("pending", "delivered", "dead").annotations({
  description: "`dead`: given up; it can be replayed"
})

export const Delivery = Schema.Struct({
  delivery_id: Id,
  event_id: Id,
  event_type: Schema.String,
  webhook_id: idOf(WebhookId),
  status: DeliveryStatus,
  attempts: Schema.Int.annotations({ description: "Attempts so far, replays included" }),
  last_status_code: Schema.NullOr(Schema.Int),
  last_error: Text,
  next_attempt_at: Schema.NullOr(Timestamp).annotations({ description: "null: no more attempts" }),
  created_at: Timestamp
}).annotations({ identifier: "Delivery" })

export const DeliveryDetail = Schema.Struct({
  ...Delivery.fields,
  endpoint_url: Schema.String,
  payload: Schema.String.annotations({ description: "Exact body, the same at every attempt" }),
  log: Schema.Array(
    Schema.Struct({
      attempt: Schema.Int,
      at: Timestamp,
      headers: Schema.NullOr(Schema.Record({ key: Schema.String, value: Schema.String })).annotations({
        description:
          "Headers as sent, with signatures, timestamp and trace. Null: nothing was sent (the secret could not be decrypted, or the worker stopped), or an older version sent it"
      }),
      status_code: Schema.NullOr(Schema.Int),
      error: Text,
      answer: Text.annotations({ description: "Beginning of the receiver's answer" }),
      latency_ms: Schema.Int
    })
  ).annotations({ description: "Oldest first" })
}).annotations({ identifier: "DeliveryDetail" })

export const DeliveryTrends = Schema.Struct({
  per: Schema.Literal("hour", "day"),
  periods: Schema.Array(
    Schema.Struct({
      at: Timestamp.annotations({
        jsonSchema: { type: "string", format: "date-time", description: "Start of the UTC hour or day" }
      }),
      delivered: Schema.Int,
      dead: Schema.Int,
      pending: Schema.Int
    })
  ).annotations({
    description: "The last 24 hours or 30 days, oldest first. Each delivery counts when it was created"
  }),
  latency: Schema.NullOr(
    Schema.Struct({
      attempts: Schema.Int.annotations({ description: "Attempts that were measured" }),
      median_ms: Schema.Int,
      p95_ms: Schema.Int.annotations({ description: "95 of 100 attempts took at most this long" })
    })
  ).annotations({ description: "Of the newest 200 deliveries; null: no attempt yet" })
}).annotations({ identifier: "DeliveryTrends" })

export const Event = Schema.Struct({
  event_id: Id,
  event_type: Schema.String,
  org_id: idOf(OrgId),
  created_at: Timestamp,
  data: Schema.Record({ key: Schema.String, value: Schema.Unknown }),
  traceparent: Schema.optionalWith(Schema.String, { exact: true }).annotations({
    description: "With tracing: trace of the causing request. Sent as a header, not in the body"
  })
}).annotations({ identifier: "Event" })

const dateTime = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/

const DateTimeText = Schema.String.pipe(
  Schema.filter(
    (text) =>
      (dateTime.test(text) && !Number.isNaN(Date.parse(text))) ||
      "must be a time in ISO 8601, such as 2026-03-02T09:00:00Z"
  )
).annotations({ jsonSchema: { type: "string", format: "date-time" } })

const Filled = Schema.NonEmptyString.pipe(Schema.filter(withoutCardNumber)).annotations({
  jsonSchema: { type: "string", minLength: 1 }
})

export const TransactionData = Schema.Struct({
  transaction_id: Filled,
  status: Filled,
  amount: AmountInput,
  currency: AnyCurrencyCode,
  updated_at: DateTimeText
}).annotations({ identifier: "TransactionData" })

const Notify = Schema.Struct({
  org_id: Schema.String,
  transaction_data: TransactionData
}).annotations({ identifier: "Notify" })

export const Notified = Schema.Struct({
  event_id: Id,
  endpoints: Schema.Int.annotations({ description: "Number of receiving endpoints" })
}).annotations({ identifier: "Notified" })

const transaction = {
  transaction_id: "0199c2a5-0c10-7d11-a1b2-c3d4e5f60718",
  status: "completed",
  amount: 1500.5,
  currency: "KES",
  updated_at: "2026-03-02T09:15:00.000Z"
}

const ids = {
  org_id: "0199c2a4-7b10-7e0b-8a11-6a0b6c1d2e3f",
  event_id: "0199c2a8-2e50-7c6f-9a32-4d5e6f7a8b9c",
  webhook_id: "0199c2a7-1d40-7b5e-8f21-3c4d5e6f7a8b",
  delivery_id: "0199c2a8-2e51-7d70-8b43-5e6f7a8b9c0d"
}

const delivery = {
  delivery_id: ids.delivery_id,
  event_id: ids.event_id,
  event_type: "payment.completed",
  webhook_id: ids.webhook_id,
  status: "pending",
  attempts: 1,
  last_status_code: 503,
  last_error: "The receiver answered 503",
  next_attempt_at: "2026-03-02T09:16:01.000Z",
  created_at: "2026-03-02T09:15:00.000Z"
}

export const WebhookLogApi = apiGroup(
  "webhookLog",
  "Events and deliveries",
  "Deliveries to webhook endpoints, and their results.",
  [
    operation({
      endpoint: post("notify", "/public/webhooks/notify").setPayload(Notify).addSuccess(envelope(Notified)),
      access: "webhooks",
      summary: "Send a test notification",
      description:
        "Sends `transaction.updated` with `transaction_data` and `test: true` to all active endpoints of the organisation, whatever their events, with the header `X-Service-Test: true`.",
      request: examples({
        "A transaction that is done": { org_id: ids.org_id, transaction_data: transaction },
        "One that failed": { org_id: ids.org_id, transaction_data: { ...transaction, status: "failed" } }
      }),
      response: success("Test notification queued", { event_id: ids.event_id, endpoints: 1 })
    }),
    operation({
      endpoint: get("deliveries", "/public/webhooks/deliveries", {
        ...OrgParam,
        ...PageParams,
        status: Schema.optional(DeliveryStatus),
        webhook_id: Schema.optional(idParam(WebhookId))
      }).addSuccess(pageOf(Delivery)),
      access: "webhook_log",
      lists: true,
      summary: "List deliveries",
      description:
        "Extension. Newest first, with status and last result. Kept for 30 days when delivered; dead ones for 90 days or until replayed.",
      response: pageExample("Deliveries", [delivery])
    }),
    operation({
      endpoint: post("replay", "/public/webhooks/deliveries/:delivery_id/replay").addSuccess(envelope(Delivery)),
      access: "webhooks",
      summary: "Send a delivery again",
      description:
        "Extension. Queues a delivered or dead delivery again, with a full set of attempts; a pending one stays unchanged. Event id and body stay the same.",
      response: success("Delivery queued", { ...delivery, attempts: 7, next_attempt_at: "2026-03-04T10:00:00.000Z" })
    }),
    operation({
      endpoint: get("delivery", "/public/webhooks/deliveries/:delivery_id").addSuccess(envelope(DeliveryDetail)),
      access: "webhook_log",
      summary: "Read a delivery",
      description:
        "Extension. Shows the payload, and for each attempt its headers and the receiver's response. `endpoint_url` is the current one.",
      response: success("Delivery", {
        ...delivery,
        endpoint_url: "https://shop.example/webhooks",
        payload: "{}",
        log: [
          {
            attempt: 1,
            at: "2026-03-02T09:15:00.100Z",
            headers: {
              "content-type": "application/json",
              "user-agent": "Corridor-Webhooks/1.0",
              "x-service-signature": "8a4e1f20c7b35d96e0f1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b3c4d5e6f7",
              "x-service-event-id": ids.event_id,
              "x-service-event-type": "payment.completed",
              "x-service-attempt": "1",
              "webhook-id": ids.event_id,
              "webhook-timestamp": "1772442900",
              "webhook-signature": "v1,K7pX0c2uJm8yQd4RkS1tUv5wXy9zA3bC6dE0fG2hI4k="
            },
            status_code: 503,
            error: "answered with status 503",
            answer: "Try later",
            latency_ms: 84
          }
        ]
      })
    }),
    operation({
      endpoint: post("replayDead", "/public/webhooks/:webhook_id/replay", {
        since: Schema.optional(FromTime)
      }).addSuccess(
        envelope(
          Schema.Struct({
            replayed: Schema.Int,
            disabled: Schema.Int.annotations({ description: "Dead letters not replayed: the endpoint is disabled" })
          }).annotations({ identifier: "Replayed" })
        )
      ),
      access: "webhooks",
      summary: "Send again what an endpoint has not received",
      description:
        "Extension. Queues dead letters again, oldest first, and deliveries that wait for another attempt, each with a full set of attempts; with `since` only those created at that time or later. Those of a disabled endpoint stay until it is active. Delivered ones are not sent: replay them one by one, or read `GET /v1/public/events`.",
      response: examples({
        "All of them": success("Deliveries queued", { replayed: 12, disabled: 0 }),
        "The endpoint is disabled": success("Deliveries queued", { replayed: 0, disabled: 12 })
      })
    }),
    operation({
      endpoint: get("trends", "/public/webhooks/:webhook_id/trends")
        .setUrlParams(
          Schema.Struct({
            per: Schema.optionalWith(
              Schema.Literal("hour", "day").annotations({
                jsonSchema: { type: "string", enum: ["hour", "day"], default: "hour" }
              }),
              { default: () => "hour" as const }
            )
          })
        )
        .addSuccess(reportOf(DeliveryTrends)),
      access: "webhook_log",
      lists: true,
      summary: "Deliveries of an endpoint by hour or day",
      description: "Extension. How many deliveries succeeded, failed or wait, and how fast the receiver answers.",
      response: examples({
        "By hour": report({
          per: "hour",
          periods: [
            { at: "2026-03-02T08:00:00.000Z", delivered: 40, dead: 0, pending: 0 },
            { at: "2026-03-02T09:00:00.000Z", delivered: 31, dead: 2, pending: 1 }
          ],
          latency: { attempts: 76, median_ms: 84, p95_ms: 310 }
        }),
        "Nothing was sent yet": report({
          per: "day",
          periods: [{ at: "2026-03-02T00:00:00.000Z", delivered: 0, dead: 0, pending: 0 }],
          latency: null
        })
      })
    }),
    operation({
      endpoint: get("events", "/public/events", {
        ...OrgParam,
        ...PageParams,
        from: Schema.optional(FromTime),
        event_type: Schema.optional(EventTypeName)
      }).addSuccess(pageOf(Event)),
      access: "webhook_log",
      lists: true,
      summary: "List events",
      description:
        "Extension. Newest first, with or without a subscribed endpoint, so that a receiver can catch up after an outage. Kept for 30 days, and as long as a delivery of theirs.",
      response: pageExample("Events", [
        {
          event_id: ids.event_id,
          event_type: "transaction.updated",
          org_id: ids.org_id,
          created_at: "2026-03-02T09:15:00.000Z",
          data: { ...transaction, test: true }
        }
      ])
    })
  ]
)
