/** Webhook endpoints: register, list, change, remove, rotate the signing secret. */
import { HttpApiSchema } from "@effect/platform"
import { Schema } from "effect"
import { OrgId, WebhookId } from "../../domain/Ids.ts"
import { eventPatterns, isEventPattern } from "../../domain/EventTypes.ts"
import { del, get, patch, post, examples, Named, operation, apiGroup, pageExample, exampleTimes } from "./Operation.ts"
import { envelope, idOf, OrgParam, pageOf, PageParams, success, timestamps } from "./Envelope.ts"
import { Conflict } from "./ErrorSchemas.ts"
import { asSent } from "./RequestFields.ts"

const Status = Schema.Literal("active", "disabled")

export const Webhook = Schema.Struct({
  webhook_id: idOf(WebhookId),
  org_id: idOf(OrgId),
  endpoint_url: Schema.String,
  events: Schema.Array(Schema.String).annotations({ description: "The event types and patterns it receives" }),
  status: Status,
  disabled_reason: Schema.NullOr(Schema.String).annotations({ description: "Reason, if the service disabled it" }),
  ...timestamps
}).annotations({ identifier: "Webhook" })

export const NewWebhook = Schema.Struct({
  ...Webhook.fields,
  secret_key: Schema.String.annotations({
    description:
      "Signing secret, shown once. `X-Service-Signature` uses the whole text as HMAC key, `webhook-signature` the bytes after `whsec_`"
  })
}).annotations({ identifier: "NewWebhook" })

const EndpointUrl = asSent(2000).annotations({
  jsonSchema: {
    type: "string",
    format: "uri",
    minLength: 1,
    maxLength: 2000,
    description:
      "An https URL on the public internet, without user info or fragment, in live mode on port 443 or 8443. In sandbox mode also http on a loopback address"
  }
})

/** Only text of this form is repeated in the error. */
const mayBeEvent = /^[a-z_.*]{1,64}$/i

const unknownEvent = (text: string): string =>
  `${mayBeEvent.test(text) ? `"${text}" ` : ""}is not an event type: all types and patterns are in the API reference, /docs, at "Register a webhook endpoint"`

const Events = Schema.Array(
  Schema.String.pipe(Schema.filter((text) => isEventPattern(text) || unknownEvent(text))).annotations({
    jsonSchema: { type: "string", enum: eventPatterns }
  })
)
  .pipe(Schema.minItems(1, { message: () => "must name at least one event type; leave it out to receive all" }))
  .annotations({ description: "Exact types, patterns such as `payment.*`, or `*`" })

export const CreateWebhook = Schema.Struct({
  endpoint_url: EndpointUrl,
  events: Schema.optional(Events).annotations({ description: 'Absent: `["*"]`' }),
  org_id: Schema.optional(Schema.String)
}).annotations({ identifier: "CreateWebhook" })

export const UpdateWebhook = Schema.Struct({
  endpoint_url: Schema.optional(EndpointUrl),
  events: Schema.optional(Events),
  status: Schema.optional(Status)
}).annotations({ identifier: "UpdateWebhook" })

export const RotateSecret = Schema.Struct({
  immediate: Schema.optionalWith(Schema.Boolean, { default: () => false }).annotations({
    description: "Revoke the old secret now, not in 24 hours"
  })
}).annotations({ identifier: "RotateSecret" })

const example = {
  webhook_id: "0199c2a7-1d40-7b5e-8f21-3c4d5e6f7a8b",
  org_id: "0199c2a4-7b10-7e0b-8a11-6a0b6c1d2e3f",
  endpoint_url: "https://shop.example/webhooks",
  events: ["payment.*", "kyb.approved"],
  status: "active",
  disabled_reason: null,
  ...exampleTimes
}

const fresh = { ...example, secret_key: "whsec_TWxWBuYz7L9m0qXv1cF3hN5kP8sR2tU4wA6yD9eG0i0=" }

export const WebhooksApi = apiGroup(
  "webhooks",
  "Webhooks",
  "Where events are sent to. A receiver answers with any 2xx status within 10 seconds.",
  [
    operation({
      endpoint: post("create", "/public/webhooks")
        .setPayload(CreateWebhook)
        .addSuccess(envelope(NewWebhook), { status: 201 })
        .addError(Conflict),
      access: "webhooks",
      summary: "Register a webhook endpoint",
      description:
        "At most 50 for each organisation (`WEBHOOK_ENDPOINTS_PER_ORG`); one more is 409. The signing secret is shown only in this answer. Deliveries start at once. All addresses of the host name must be on the public internet. A name that cannot be resolved now is accepted: it is resolved and checked again for every connection.",
      request: new Named({
        some: {
          summary: "Some events",
          value: { endpoint_url: "https://shop.example/webhooks", events: ["payment.*", "kyb.approved"] }
        },
        all: { summary: "All events", value: { endpoint_url: "https://shop.example/webhooks" } }
      }),
      response: success("Webhook registered; store its secret now, it is not shown again", fresh)
    }),
    operation({
      endpoint: get("list", "/public/webhooks", { ...OrgParam, ...PageParams }).addSuccess(pageOf(Webhook)),
      access: "any",
      lists: true,
      summary: "List webhook endpoints",
      description: "Newest first. Secrets are never listed.",
      response: pageExample("Webhooks", [example])
    }),
    operation({
      endpoint: get("find", "/public/webhooks/:webhook_id").addSuccess(envelope(Webhook)),
      access: "any",
      summary: "Read a webhook endpoint",
      description: "Extension. Without its secret.",
      response: success("Webhook", example)
    }),
    operation({
      endpoint: patch("update", "/public/webhooks/:webhook_id").setPayload(UpdateWebhook).addSuccess(envelope(Webhook)),
      access: "webhooks",
      summary: "Change a webhook endpoint",
      description:
        "Extension. Changes only the fields that are sent. A disabled endpoint receives nothing: pending deliveries stay, and new events are not queued for it. Setting `status` to `active` also clears `disabled_reason`.",
      request: examples({
        "Other events, and on again": { events: ["payment.completed", "payment.failed"], status: "active" },
        "Another address": { endpoint_url: "https://shop.example/hooks/v2" },
        "Switched off": { status: "disabled" }
      }),
      response: success("Webhook updated", { ...example, events: ["payment.completed", "payment.failed"] })
    }),
    operation({
      endpoint: del("remove", "/public/webhooks/:webhook_id").addSuccess(HttpApiSchema.NoContent),
      access: "webhooks",
      summary: "Remove a webhook endpoint",
      description: "Extension. Also deletes its deliveries, including pending ones."
    }),
    operation({
      endpoint: post("rotateSecret", "/public/webhooks/:webhook_id/rotate-secret")
        .setPayload(RotateSecret)
        .addSuccess(envelope(NewWebhook)),
      access: "webhooks",
      summary: "Rotate the signing secret of an endpoint",
      description:
        "Extension. For 24 hours `webhook-signature` has signatures of both secrets, and `X-Service-Signature` uses the old one. With `immediate` only the new secret is used.",
      request: examples({ "The old one counts for a day": {}, "It has leaked": { immediate: true } }),
      response: success("Secret rotated; store the new one now", fresh)
    })
  ]
)
