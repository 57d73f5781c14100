/** The subscription by which Circle notifies an address. Amazon SNS asks that address to confirm it. */
import { Duration, Effect, Schema } from "effect"
import { type Call, get, postJson } from "../client/ProviderHttp.ts"
import { optional, objectReader } from "../client/WireValues.ts"
import { registerWebhook, registryCalls } from "../port/WebhookRegistry.ts"

const PATH = "/v1/notifications/subscriptions"

const Subscription = Schema.Struct({
  id: Schema.String,
  endpoint: Schema.String,
  subscriptionDetails: optional(Schema.Array(Schema.Struct({ url: Schema.String, status: Schema.String })))
})
const readList = objectReader({ data: Schema.Array(Subscription) })
const readMade = objectReader({ data: Subscription })

/** The server that answers at the address confirms within moments, or SNS asks it again within the hour. */
const confirmationDelays = Array.from({ length: 10 }, () => Duration.seconds(1))

/** Without the id of the subscription, which the last part is. */
const topicIn = (arn: string): string => arn.split(":").slice(0, 6).join(":")

const isConfirmed = (parts: ReadonlyArray<{ readonly status: string }>): boolean =>
  parts.length > 0 && parts.every(({ status }) => status === "confirmed")

export const circleRegistration = (call: Call, callbackUrl: string, isOurTopic: (arn: string) => boolean) => {
  const asked = registryCalls("Circle", "the API key is not taken", call)
  const list = Effect.map(asked(get("list subscriptions", PATH), readList), ({ data }) =>
    data.map(({ endpoint: url, id, subscriptionDetails = [] }) => ({
      id,
      url,
      events: [],
      parts: subscriptionDetails.filter(({ status }) => status !== "deleted")
    }))
  )
  const partsOf = (id: string) => Effect.map(list, (all) => all.find((one) => one.id === id)?.parts ?? [])
  return registerWebhook({
    callbackUrl,
    events: [],
    list: Effect.map(list, (all) => all.filter(({ parts }) => parts.length > 0)),
    create: Effect.mapBoth(asked(postJson("create subscription", PATH, { endpoint: callbackUrl }), readMade), {
      onFailure: (reason) =>
        `${reason} Circle keeps 1 subscription in live mode and 3 in its sandbox: remove those that are not used.`,
      onSuccess: ({ data: { id } }) => ({ id, credentials: {} })
    }),
    secretOf: () => Effect.succeed({}),
    state: (id) =>
      Effect.gen(function* () {
        let parts = yield* partsOf(id)
        for (const delay of confirmationDelays) {
          if (isConfirmed(parts)) break
          yield* Effect.sleep(delay)
          parts = yield* partsOf(id)
        }
        if (!isConfirmed(parts)) {
          return "It is not confirmed yet: the server has to run and to be reached at this address. Then run this again."
        }
        const strange = parts.map(({ url }) => topicIn(url)).find((topic) => !isOurTopic(topic))
        return strange === undefined
          ? "It is confirmed."
          : `It comes from ${strange}, which is not accepted: set CIRCLE_SNS_TOPIC_ARN to it.`
      })
  })
}
