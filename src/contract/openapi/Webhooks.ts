/** Describes the webhook events as `webhooks` of the OpenAPI document, with their headers. */
import { type OpenApiJsonSchema as JsonSchema, OpenApiJsonSchema } from "@effect/platform"
import { eventEnvelope, eventExample, eventsAbout } from "../api/Events.ts"
import { type EventType, eventTypes } from "../../domain/EventTypes.ts"

const header = (name: string, description: string, required = true) => ({
  name,
  in: "header",
  required,
  schema: { type: "string" },
  description
})

const headers = [
  header("X-Service-Signature", "HMAC-SHA256 of the raw body under the endpoint's `secret_key`, in hex"),
  header("X-Service-Event-Id", "The `event_id` of the body"),
  header("X-Service-Event-Type", "The `event_type` of the body"),
  header("X-Service-Attempt", "Number of the delivery attempt, from 1"),
  header("X-Service-Test", "`true` on a test notification, and absent otherwise", false),
  header("webhook-id", "Extension. The `event_id`, for libraries of Standard Webhooks"),
  header("webhook-timestamp", "Extension. Time of this attempt, in seconds since 1970"),
  header("webhook-signature", "Extension. The signature of Standard Webhooks, or two of them after a rotation"),
  header("traceparent", "Extension. Trace of the request that caused the event, if tracing is on", false)
]

const operationOf = (type: EventType, schema: JsonSchema.JsonSchema) => ({
  post: {
    operationId: `event.${type}`,
    tags: ["webhookLog"],
    summary: type,
    description: `${eventsAbout[type].fires} Answer with any 2xx status within 10 seconds; the body is not read.`,
    security: [],
    parameters: headers,
    requestBody: {
      required: true,
      content: { "application/json": { schema, example: eventExample(type) } }
    },
    responses: {
      "2XX": { description: "Accepted" },
      default: { description: "Refused: retried with growing delays for just under 24 hours" }
    }
  }
})

export const webhooksOf = () => {
  const schemas: Record<string, JsonSchema.JsonSchema> = {}
  const webhooks = Object.fromEntries(
    eventTypes.map((type) => {
      const schema = OpenApiJsonSchema.makeWithDefs(eventEnvelope(type), {
        defs: schemas,
        defsPath: "#/components/schemas/",
        additionalPropertiesStrategy: "allow"
      })
      return [type, operationOf(type, schema)] as const
    })
  )
  return { webhooks, schemas }
}
