/** `/callbacks/{provider}`: answers fast, tells the provider whether to try again. */
import { Duration, Effect, Schema } from "effect"
import { ProviderName } from "../../domain/Corridor.ts"
import { ConfigId, idOrNil } from "../../domain/Ids.ts"
import { Busy, NotFound, TooLarge, Unauthorized } from "../../domain/Failure.ts"
import { busyRetryAfter } from "../../domain/policies/DatabasePolicies.ts"
import { Settings } from "../../platform/config/Settings.ts"
import { makeCallbackAbuseLimit } from "../../platform/rateLimits/RateLimits.ts"
import { json, text, type Incoming, type Route } from "../../platform/http/Route.ts"
import { readPlainBody } from "../../platform/http/RequestBody.ts"
import { Providers } from "../../providers/port/Provider.ts"
import type { CallbackRequest } from "../../providers/port/Callback.ts"
import { Callbacks, type CallbackResult } from "./Callbacks.ts"

const isProviderName = Schema.is(ProviderName)

const headersOf = ({ request }: Incoming): Record<string, string | undefined> =>
  Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(",") : value])
  )

const queryOf = ({ query }: Incoming): Record<string, string> =>
  Object.fromEntries(
    Object.entries(query).flatMap(([name, value]) => (typeof value === "string" ? [[name, value]] : []))
  )

const callbackIn = (incoming: Incoming, body: Buffer): CallbackRequest => ({
  method: incoming.request.method ?? "POST",
  path: (incoming.request.url ?? "").split("?")[0]!,
  query: queryOf(incoming),
  authority: incoming.request.headers.host ?? "",
  headers: headersOf(incoming),
  body
})

const defaultReply = (received: CallbackResult["received"]) => {
  const known = received.filter((one) => one !== "unknown payment")
  const [message = "unknown payment"] = known
  return json(received.length > 0 && known.length === 0 ? 202 : 200, {
    status: "success",
    message: received.length === 0 ? "nothing to do" : message
  })
}

const sendAgain = new Busy({
  message: "The callback cannot be taken now. Send it again in a few seconds.",
  retryAfterSeconds: Duration.toSeconds(busyRetryAfter)
})

export const callbackRoutes = Effect.gen(function* () {
  const callbacks = yield* Callbacks
  const { publicUrl } = yield* Settings
  const providers = yield* Providers
  const abuseLimit = yield* makeCallbackAbuseLimit("callbacks without proof")

  /** Each account has an address of its own, and its own secret. */
  const findAccount = Effect.fnUntraced(function* ({ params: { config_id, provider: name } }: Incoming) {
    const account = config_id === undefined ? null : idOrNil(ConfigId)(config_id)
    const provider = isProviderName(name) ? yield* providers.find(name, account) : undefined
    return provider === undefined ? yield* new NotFound({ message: "No such provider." }) : { account, provider }
  })

  const handle = Effect.fnUntraced(function* (incoming: Incoming) {
    yield* abuseLimit.admit(incoming.request)
    const { account, provider } = yield* findAccount(incoming)
    const body = yield* readPlainBody(incoming.request).pipe(
      Effect.catchTags({
        BodyTooLarge: ({ closeConnection }) => new TooLarge({ message: "The body is too large.", closeConnection }),
        BodyAborted: () => Effect.interrupt
      })
    )
    const { isUnsignedAndIdle, received, reply } = yield* callbacks
      .receive(provider, callbackIn(incoming, body), account)
      .pipe(
        Effect.catchTags({
          NoProof: ({ message }) =>
            abuseLimit.refuse(
              incoming.request,
              `A callback of ${provider.name} to ${incoming.request.headers.host ?? "no host"} was refused without proof: ${message}. Callbacks are verified for PUBLIC_URL, ${new URL(publicUrl).host}`,
              new Unauthorized({ message: "The callback does not carry the provider's proof." })
            ),
          NotNow: ({ message, proof }) => {
            const why = `A callback is to come again, it cannot be taken now: ${message}`
            return proof === undefined
              ? abuseLimit.refuse(incoming.request, why, sendAgain)
              : Effect.zipRight(Effect.logWarning(why), sendAgain)
          }
        })
      )
    if (isUnsignedAndIdle) yield* abuseLimit.countIdle(incoming.request)
    return reply === undefined ? defaultReply(received) : text(reply.status, reply.contentType, reply.body)
  })

  /** Answers providers that probe the address first. */
  const answerProbe = (incoming: Incoming) => Effect.as(findAccount(incoming), defaultReply([]))

  return (["/callbacks/:provider", "/callbacks/:provider/:config_id"] as const).flatMap(
    (path): ReadonlyArray<Route> => [
      { method: "POST", path, handle },
      { method: "PUT", path, handle },
      { method: "HEAD", path, handle: answerProbe }
    ]
  )
})
