/** Webhooks of the PayPal app. */
import { Effect, Redacted, Schema } from "effect"
import type { Declined } from "../../domain/Outcome.ts"
import { type CallFailed, get, postJson, type ProviderCall, type ProviderReply } from "../client/ProviderHttp.ts"
import { registerWebhook, registryCalls } from "../port/WebhookRegistry.ts"
import { objectReader } from "../client/WireValues.ts"

export const webhookEvents = [
  "CHECKOUT.ORDER.APPROVED",
  "CHECKOUT.PAYMENT-APPROVAL.REVERSED",
  "PAYMENT.CAPTURE.PENDING",
  "PAYMENT.CAPTURE.COMPLETED",
  "PAYMENT.CAPTURE.DECLINED",
  "PAYMENT.CAPTURE.DENIED",
  "PAYMENT.CAPTURE.REFUNDED",
  "PAYMENT.CAPTURE.REVERSED",
  "CUSTOMER.DISPUTE.RESOLVED",
  "PAYMENT.PAYOUTSBATCH.DENIED",
  "PAYMENT.PAYOUTSBATCH.SUCCESS",
  ...["BLOCKED", "CANCELED", "DENIED", "FAILED", "HELD", "REFUNDED", "RETURNED", "SUCCEEDED", "UNCLAIMED"].map(
    (end) => `PAYMENT.PAYOUTS-ITEM.${end}`
  )
]

const PATH = "/v1/notifications/webhooks"

const Webhook = Schema.Struct({
  id: Schema.String,
  url: Schema.String,
  event_types: Schema.Array(Schema.Struct({ name: Schema.String }))
})
const readList = objectReader({ webhooks: Schema.Array(Webhook) })
const readMade = objectReader({ id: Schema.String })

const named = (events: ReadonlyArray<string>) => events.map((name) => ({ name }))

const replaceEvents = (id: string, events: ReadonlyArray<string>): ProviderCall => ({
  ...postJson("change webhook", `${PATH}/${encodeURIComponent(id)}`, [
    { op: "replace", path: "/event_types", value: named(events) }
  ]),
  method: "PATCH"
})

export interface WebhookCalls {
  readonly call: (call: ProviderCall) => Effect.Effect<ProviderReply, CallFailed | Declined>
  readonly callbackUrl: string
  /** The id that the settings or the store have. */
  readonly webhookId: string | undefined
}

const idOf = ({ id }: { readonly id: string }) => ({ webhook_id: Redacted.make(id) })

export const paypalRegistration = ({ call, callbackUrl, webhookId }: WebhookCalls) => {
  const asked = registryCalls("PayPal", "the app does not let this client manage webhooks", call)
  return registerWebhook({
    callbackUrl,
    events: webhookEvents,
    setting: "PAYPAL_WEBHOOK_ID",
    list: Effect.map(asked(get("list webhooks", PATH), readList), ({ webhooks }) =>
      webhooks.map(({ event_types, id, url }) => ({ id, url, events: event_types.map(({ name }) => name) }))
    ),
    create: Effect.map(
      asked(postJson("create webhook", PATH, { url: callbackUrl, event_types: named(webhookEvents) }), readMade),
      (made) => ({ id: made.id, credentials: idOf(made) })
    ),
    setEvents: ({ id }, events) => asked(replaceEvents(id, events), readMade),
    // The id is no secret: it can always be read again.
    secretOf: (webhook) => Effect.succeed(idOf(webhook)),
    isOfSetting: ({ id }) => id === webhookId
  })
}
