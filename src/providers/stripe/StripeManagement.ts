/** Webhook endpoints of the Stripe account, and what Stripe tells of the account: its name, mode, balances and rights. */
import { Effect, Redacted, Schema } from "effect"
import { type Call, get, type ProviderCall } from "../client/ProviderHttp.ts"
import { registerWebhook, registryCalls } from "../port/WebhookRegistry.ts"
import { objectReader, optional, optionalText } from "../client/WireValues.ts"
import { accountTest, alsoTold, balanceText } from "../port/AccountTest.ts"
import { moneyIn } from "./StripeRequests.ts"

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
  // An endpoint of our version gets refunds by events of the charge, a newer one by those of the refund.
  "charge.refunded",
  "charge.refund.updated",
  "refund.created",
  "refund.updated",
  "refund.failed",
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
const readList = objectReader({ data: Schema.Array(Endpoint) })
const readMade = objectReader({ id: Schema.String, secret: Schema.String })
const readChanged = Schema.decodeUnknownOption(Endpoint)

export interface WebhookCalls {
  readonly call: Call
  readonly post: (operation: string, path: string, form: Readonly<Record<string, string>>) => ProviderCall
  readonly callbackUrl: string
  readonly apiVersion: string
}

const eventsForm = (events: ReadonlyArray<string>) =>
  Object.fromEntries(events.map((event, at) => [`enabled_events[${at}]`, event]))

export const stripeRegistration = ({ apiVersion, call, callbackUrl, post }: WebhookCalls) => {
  const asked = registryCalls("Stripe", "the key needs write access to Webhook Endpoints", call)
  return registerWebhook({
    callbackUrl,
    events: webhookEvents,
    setting: "STRIPE_WEBHOOK_SECRET",
    list: Effect.map(asked(get("list webhooks", `${PATH}?limit=100`), readList), ({ data }) =>
      data
        .filter(({ status }) => status === "enabled")
        .map(({ enabled_events: events, id, url }) => ({ id, url, events }))
    ),
    create: Effect.map(
      asked(
        post("create webhook", PATH, { url: callbackUrl, api_version: apiVersion, ...eventsForm(webhookEvents) }),
        readMade
      ),
      ({ id, secret }) => ({ id, credentials: { webhook_secret: Redacted.make(secret) } })
    ),
    setEvents: ({ id }, events) => asked(post("change webhook", `${PATH}/${id}`, eventsForm(events)), readChanged),
    secretOf: ({ id }, known) =>
      known === "none"
        ? Effect.fail(
            `${id} has this address, and Stripe shows its secret in the dashboard alone. Set STRIPE_WEBHOOK_SECRET to it, or delete the endpoint and run this again.`
          )
        : Effect.succeed({})
  })
}

const readAny = Schema.decodeUnknownEither(Schema.Struct({ data: Schema.Array(Schema.Unknown) }))

const readAccount = objectReader({
  id: Schema.String,
  business_profile: optional(Schema.Struct({ name: optionalText })),
  settings: optional(Schema.Struct({ dashboard: optional(Schema.Struct({ display_name: optionalText })) })),
  charges_enabled: optional(Schema.Boolean),
  payouts_enabled: optional(Schema.Boolean)
})

const readBalance = objectReader({
  livemode: Schema.Boolean,
  available: Schema.Array(Schema.Struct({ amount: Schema.String, currency: Schema.String }))
})

/** A restricted key may lack the rights to read account and balance, and Stripe tells no rights of a key. */
export const stripeTest = (call: Call) =>
  accountTest(call(get("test", "/v1/payment_intents?limit=1")), "the key", readAny, () =>
    Effect.gen(function* () {
      const account = yield* alsoTold(call(get("read account", "/v1/account")), readAccount)
      const balance = yield* alsoTold(call(get("read balance", "/v1/balance")), readBalance)
      const title = account?.settings?.dashboard?.display_name ?? account?.business_profile?.name ?? ""
      return {
        ...(account && {
          name: `${title} ${account.id}`.trim(),
          rights: [
            ...(account.charges_enabled === true ? ["charges"] : []),
            ...(account.payouts_enabled === true ? ["payouts"] : [])
          ]
        }),
        ...(balance && {
          mode: balance.livemode ? ("live" as const) : ("test" as const),
          balances: balance.available.map(({ amount, currency }) =>
            balanceText(moneyIn(amount, currency), amount, currency)
          )
        })
      }
    })
  )
