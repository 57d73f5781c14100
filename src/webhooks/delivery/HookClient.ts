/** Sends one request to a receiver, within the time that WEBHOOK_TIMEOUT gives it from the look-up of its name to the status. */
import { Context, Data, Duration, Effect, Either, Layer } from "effect"
import { Agent } from "undici"
import { Settings } from "../../platform/config/Settings.ts"
import { webhookKeepAlive, webhookUrlsKept } from "../../domain/policies/Webhooks.ts"
import { remember } from "../../domain/Remember.ts"
import { parseEndpointUrl } from "../ssrf/EndpointUrl.ts"
import { EndpointRefused } from "../ssrf/ResolveChecked.ts"
import { connectorIn } from "./HookConnector.ts"
import { HookNetwork } from "./HookNetwork.ts"
import { exchange, type HookAnswer, type HookRequest } from "./HookExchange.ts"

/** There is no answer; the message is fit for the owner of the endpoint. */
export class NotAnswered extends Data.TaggedError("NotAnswered")<{ readonly message: string }> {}

const refusal = ({ kind, message }: EndpointRefused): string =>
  kind === "unresolved" ? message : `endpoint_url ${message}`

/** A code such as ECONNREFUSED says what went wrong without telling of the network that we are in. */
const reasonOf = (cause: unknown): string => {
  if (cause instanceof EndpointRefused) return refusal(cause)
  const code = (cause as { readonly code?: unknown }).code
  return `the connection failed (${typeof code === "string" ? code : "unknown reason"})`
}

/** An endpoint's URL is the same for all of its deliveries. */
const keptAnswers = <A>(read: (text: string) => A): ((text: string) => A) => {
  const kept = new Map<string, A>()
  return (text) => {
    const known = kept.get(text)
    if (known !== undefined) return known
    const answer = read(text)
    remember(kept, webhookUrlsKept, text, answer)
    return answer
  }
}

const openAgent = Effect.gen(function* () {
  const connect = connectorIn(yield* Settings, yield* HookNetwork, yield* Effect.runtime<never>())
  return new Agent({
    connect,
    // One clock for the whole of it, which is not the agent's.
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: Duration.toMillis(webhookKeepAlive),
    keepAliveMaxTimeout: Duration.toMillis(webhookKeepAlive)
  })
})

export class HookClient extends Context.Tag("corridor/HookClient")<
  HookClient,
  { readonly post: (request: HookRequest) => Effect.Effect<HookAnswer, NotAnswered> }
>() {
  static readonly layer = Layer.scoped(
    HookClient,
    Effect.gen(function* () {
      const { mode, webhookTimeout } = yield* Settings
      const patience = Duration.toMillis(webhookTimeout)
      const tooLate = `no answer within ${Duration.format(webhookTimeout)}`
      const parsed = keptAnswers((url: string) => parseEndpointUrl(url, mode))
      const agent = yield* Effect.acquireRelease(openAgent, (open) => Effect.promise(() => open.destroy()))
      return {
        post: (request) => {
          const url = parsed(request.url)
          if (Either.isLeft(url)) return new NotAnswered({ message: `endpoint_url ${url.left}` })
          return Effect.mapError(
            exchange(agent, url.right, request, patience),
            (failure) => new NotAnswered({ message: failure.late ? tooLate : reasonOf(failure.cause) })
          )
        }
      }
    })
  )
}
