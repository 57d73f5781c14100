/** Registers the callback address as a webhook of the PayPal app. */
import { Effect, type Either, type Option, Redacted, Schema } from "effect"
import type { Declined } from "../../domain/Outcome.ts"
import { type CallFailed, get, postJson, type ProviderCall, type ProviderReply } from "../client/ProviderHttp.ts"
import { isMade } from "../client/ProviderReplies.ts"
import type { KnownSecret, RegisteredCallbacks } from "../port/Provider.ts"

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
const readList = Schema.decodeUnknownOption(Schema.Struct({ webhooks: Schema.Array(Webhook) }))
const readMade = Schema.decodeUnknownOption(Schema.Struct({ id: Schema.String }))

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

const fail = (message: string) => Effect.fail(message)

export const registerWebhook =
  ({ call, callbackUrl, webhookId }: WebhookCalls) =>
  (known: KnownSecret): Effect.Effect<Either.Either<RegisteredCallbacks, string>> => {
    const asked = (about: ProviderCall) =>
      Effect.flatMap(
        Effect.mapError(call(about), ({ reason }) => `PayPal: ${reason}`),
        (reply) => (isMade(reply) ? Effect.succeed(reply) : fail(`PayPal answered HTTP ${reply.status}.`))
      )
    const read = <A>(decode: (json: unknown) => Option.Option<A>, { json }: ProviderReply) =>
      Effect.mapError(decode(json), () => "PayPal answered with what cannot be read.")
    const idOf = (id: string) => ({ webhook_id: Redacted.make(id) })

    return Effect.either(
      Effect.gen(function* () {
        const { webhooks } = yield* read(readList, yield* asked(get("list webhooks", PATH)))
        const found = webhooks.find(({ url }) => url === callbackUrl)
        if (known === "setting" && found?.id !== webhookId) {
          return yield* fail(
            `PAYPAL_WEBHOOK_ID is set, and that webhook of the app has not the address ${callbackUrl}. Unset it, and run this again.`
          )
        }
        if (found === undefined) {
          const body = { url: callbackUrl, event_types: named(webhookEvents) }
          const { id } = yield* read(readMade, yield* asked(postJson("create webhook", PATH, body)))
          return { message: `Registered as ${id}.`, credentials: idOf(id) }
        }
        const has = found.event_types.map(({ name }) => name)
        const missing = webhookEvents.filter((event) => ![event, "*"].some((one) => has.includes(one)))
        if (missing.length > 0) yield* asked(replaceEvents(found.id, [...has, ...missing]))
        const added = missing.length === 0 ? "" : ` Added ${missing.join(", ")}.`
        return {
          message: `Registered before, as ${found.id}.${added}`,
          credentials: known === "setting" ? {} : idOf(found.id)
        }
      })
    )
  }
