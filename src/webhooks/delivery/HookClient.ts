/** Sends one request to a receiver, within the time that WEBHOOK_TIMEOUT gives it from the look-up of its name to the last byte. */
import { Context, Data, Duration, Effect, Either, Layer } from "effect"
import { Agent, type Dispatcher } from "undici"
import { Settings } from "../../config/Settings.ts"
import { webhookKeepAlive } from "../../domain/Policies.ts"
import { parseEndpointUrl } from "../ssrf/EndpointUrl.ts"
import { EndpointRefused } from "../ssrf/ResolveChecked.ts"
import { makeConnector } from "./HookConnector.ts"

export interface HookRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface HookAnswer {
  readonly status: number
  /** The first 16 KiB at most. */
  readonly text: string
}

/** There is no complete answer; the message is fit for the owner of the endpoint. */
export class NotAnswered extends Data.TaggedError("NotAnswered")<{ readonly message: string }> {}

const MOST_BYTES = 16 * 1024

/** Leaving the loop early closes the connection, so that the rest is never read. */
const beginningOf = async (body: AsyncIterable<Buffer>): Promise<string> => {
  const chunks: Array<Buffer> = []
  let bytes = 0
  for await (const chunk of body) {
    chunks.push(chunk)
    bytes += chunk.length
    if (bytes >= MOST_BYTES) break
  }
  return Buffer.concat(chunks).subarray(0, MOST_BYTES).toString("utf8")
}

const refusal = ({ kind, message }: EndpointRefused): string =>
  kind === "unresolved" ? message : `endpoint_url ${message}`

/** A code such as ECONNREFUSED says what went wrong without telling of the network that we are in. */
const reasonOf = (cause: unknown): string => {
  if (cause instanceof EndpointRefused) return refusal(cause)
  const code = (cause as { readonly code?: unknown }).code
  return `the connection failed (${typeof code === "string" ? code : "unknown reason"})`
}

const openAgent = Effect.gen(function* () {
  const connect = yield* makeConnector
  return new Agent({
    connect,
    // One clock for the whole of it, which is not the agent's.
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: Duration.toMillis(webhookKeepAlive),
    keepAliveMaxTimeout: Duration.toMillis(webhookKeepAlive)
  })
})

const post = async (agent: Dispatcher, url: URL, { body, headers }: HookRequest, signal: AbortSignal) => {
  const answer = await agent.request({
    origin: url.origin,
    path: `${url.pathname}${url.search}`,
    method: "POST",
    headers,
    body,
    signal
  })
  return { status: answer.statusCode, text: await beginningOf(answer.body) }
}

export class HookClient extends Context.Tag("corridor/HookClient")<
  HookClient,
  { readonly post: (request: HookRequest) => Effect.Effect<HookAnswer, NotAnswered> }
>() {
  static readonly layer = Layer.scoped(
    HookClient,
    Effect.gen(function* () {
      const { mode, webhookTimeout } = yield* Settings
      const agent = yield* Effect.acquireRelease(openAgent, (open) => Effect.promise(() => open.destroy()))
      return {
        post: Effect.fnUntraced(function* (request) {
          const url = yield* Either.mapLeft(
            parseEndpointUrl(request.url, mode),
            (message) => new NotAnswered({ message: `endpoint_url ${message}` })
          )
          return yield* Effect.tryPromise({
            try: (signal) => post(agent, url, request, signal),
            catch: (cause) => new NotAnswered({ message: reasonOf(cause) })
          }).pipe(
            Effect.timeoutFail({
              duration: webhookTimeout,
              onTimeout: () =>
                new NotAnswered({ message: `no complete answer within ${Duration.format(webhookTimeout)}` })
            })
          )
        })
      }
    })
  )
}
