/** Webhook subscriptions of the project at Coinbase's Developer Platform. */
import { Effect, Redacted, Schema } from "effect"
import { type Call, get, postJson, withQuery } from "../client/ProviderHttp.ts"
import { optionalText } from "../client/WireValues.ts"
import { registerWebhook, registryCalls } from "../port/WebhookRegistry.ts"

export const webhookEvents = ["quoted", "processing", "completed", "failed", "expired"].map(
  (end) => `payments.transfers.${end}`
)

const PATH = "/v2/data/webhooks/subscriptions"

const Subscription = Schema.Struct({
  subscriptionId: Schema.String,
  eventTypes: Schema.Array(Schema.String),
  isEnabled: Schema.Boolean,
  secret: optionalText,
  target: Schema.Struct({ url: Schema.String })
})
const readOne = Schema.decodeUnknownOption(Subscription)
const Page = Schema.Struct({ subscriptions: Schema.Array(Subscription), nextPageToken: optionalText })
const readPage = Schema.decodeUnknownOption(Page)

const MOST_PAGES = 20

export const coinbaseRegistration = (call: Call, callbackUrl: string) => {
  const asked = registryCalls("Coinbase", "the key needs the permission accounts:write", call)
  const subscription = (eventTypes: ReadonlyArray<string>) => ({
    description: "Corridor",
    eventTypes,
    isEnabled: true,
    target: { url: callbackUrl }
  })
  const list = Effect.gen(function* () {
    const all: Array<typeof Subscription.Type> = []
    let pageToken: string | undefined
    for (let page = 0; page < MOST_PAGES; page += 1) {
      const read: typeof Page.Type = yield* asked(
        get("list webhooks", withQuery(PATH, { pageSize: "100", pageToken })),
        readPage
      )
      all.push(...read.subscriptions)
      if (read.nextPageToken === undefined || read.nextPageToken === "") break
      pageToken = read.nextPageToken
    }
    return all
      .filter(({ isEnabled }) => isEnabled)
      .map(({ eventTypes: events, subscriptionId: id, target: { url } }) => ({ id, url, events }))
  })
  const secretIn = ({ secret, subscriptionId: id }: typeof Subscription.Type) =>
    secret === undefined
      ? Effect.fail(`Coinbase does not tell the secret of ${id}: delete it there, and run this again.`)
      : Effect.succeed({ webhook_secret: Redacted.make(secret) })
  return registerWebhook({
    callbackUrl,
    events: webhookEvents,
    setting: "COINBASE_WEBHOOK_SECRET",
    list,
    create: Effect.gen(function* () {
      const made = yield* asked(postJson("create webhook", PATH, subscription(webhookEvents)), readOne)
      return { id: made.subscriptionId, credentials: yield* secretIn(made) }
    }),
    setEvents: ({ id }, events) =>
      asked({ ...postJson("change webhook", `${PATH}/${id}`, subscription(events)), method: "PUT" }, readOne),
    // The secret can be read again, so that one that was changed there is stored here.
    secretOf: ({ id }) => Effect.flatMap(asked(get("read webhook", `${PATH}/${id}`), readOne), secretIn)
  })
}
