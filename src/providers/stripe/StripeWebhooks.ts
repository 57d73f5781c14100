/** Registers the callback address as a webhook endpoint of the Stripe account. */
import { Effect, type Either, type Option, Redacted, Schema } from "effect"
import { type CallFailed, get, type ProviderCall, type ProviderReply } from "../client/ProviderHttp.ts"
import type { KnownSecret, RegisteredCallbacks } from "../port/Provider.ts"

export const webhookEvents = [
  "checkout.session.completed",
  "checkout.session.async_payment_succeeded",
  "checkout.session.async_payment_failed",
  "checkout.session.expired",
  "customer_cash_balance_transaction.created",
  "payment_intent.succeeded",
  "payment_intent.payment_failed",
  "payment_intent.processing",
  "payment_intent.requires_action",
  "payment_intent.canceled",
  "refund.created",
  "refund.updated",
  "charge.refund.updated",
  "charge.dispute.funds_withdrawn",
  "charge.dispute.funds_reinstated"
]

const PATH = "/v1/webhook_endpoints"

const Endpoint = Schema.Struct({
  id: Schema.String,
  url: Schema.String,
  status: Schema.String,
  enabled_events: Schema.Array(Schema.String)
})
const readList = Schema.decodeUnknownOption(Schema.Struct({ data: Schema.Array(Endpoint) }))
const readMade = Schema.decodeUnknownOption(Schema.Struct({ id: Schema.String, secret: Schema.String }))

export interface WebhookCalls {
  readonly call: (call: ProviderCall) => Effect.Effect<ProviderReply, CallFailed>
  readonly post: (operation: string, path: string, form: Readonly<Record<string, string>>) => ProviderCall
  readonly callbackUrl: string
  readonly apiVersion: string
}

const eventsForm = (events: ReadonlyArray<string>) =>
  Object.fromEntries(events.map((event, at) => [`enabled_events[${at}]`, event]))

const fail = (message: string) => Effect.fail(message)

const refused = ({ status }: ProviderReply) =>
  fail(`Stripe answered HTTP ${status}: the key needs write access to Webhook Endpoints.`)

export const registerWebhook =
  ({ apiVersion, call, callbackUrl, post }: WebhookCalls) =>
  (known: KnownSecret): Effect.Effect<Either.Either<RegisteredCallbacks, string>> => {
    const asked = (about: ProviderCall) => Effect.mapError(call(about), ({ reason }) => `Stripe: ${reason}`)
    const read = <A>(decode: (json: unknown) => Option.Option<A>, reply: ProviderReply) =>
      reply.status === 200
        ? Effect.mapError(decode(reply.json), () => "Stripe answered with what cannot be read.")
        : refused(reply)

    return Effect.either(
      Effect.gen(function* () {
        const { data } = yield* read(readList, yield* asked(get("list webhooks", `${PATH}?limit=100`)))
        const found = data.find(({ status, url }) => url === callbackUrl && status === "enabled")
        if (found === undefined) {
          if (known === "setting") {
            return yield* fail(
              `STRIPE_WEBHOOK_SECRET is set, and no endpoint of the account has the address ${callbackUrl}. Unset it, and run this again.`
            )
          }
          const form = { url: callbackUrl, api_version: apiVersion, ...eventsForm(webhookEvents) }
          const made = yield* read(readMade, yield* asked(post("create webhook", PATH, form)))
          return {
            message: `Registered as ${made.id}.`,
            credentials: { webhook_secret: Redacted.make(made.secret) }
          }
        }
        if (known === "none") {
          return yield* fail(
            `${found.id} has this address, and Stripe shows its secret in the dashboard alone. Set STRIPE_WEBHOOK_SECRET to it, or delete the endpoint and run this again.`
          )
        }
        const missing = webhookEvents.filter((event) => ![event, "*"].some((one) => found.enabled_events.includes(one)))
        if (missing.length === 0) return { message: `Registered before, as ${found.id}.`, credentials: {} }
        const all = [...found.enabled_events, ...missing]
        const changed = yield* asked(post("change webhook", `${PATH}/${found.id}`, eventsForm(all)))
        if (changed.status !== 200) return yield* refused(changed)
        return { message: `Registered before, as ${found.id}. Added ${missing.join(", ")}.`, credentials: {} }
      })
    )
  }
