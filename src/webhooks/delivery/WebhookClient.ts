/** Sends one request to a receiver, within the time that WEBHOOK_TIMEOUT gives it from the look-up of its name to the status. */
import { Context, Data, Duration, Effect, Either, Layer, Cause, Exit, Runtime } from "effect"
import { Agent, type Dispatcher, buildConnector } from "undici"
import { Settings } from "../../platform/config/Settings.ts"
import { webhookKeepAlive, webhookUrlsKept, webhookBodyPatience } from "../../domain/policies/WebhookPolicies.ts"
import { setBounded } from "../../domain/BoundedMap.ts"
import { parseEndpointUrl, EndpointRefused, resolveChecked } from "../ssrf/EndpointUrl.ts"
import { isIP, type LookupFunction } from "node:net"
import { checkAddress, type Protocol, type CheckedAddress } from "../ssrf/PublicAddress.ts"

/** The network that receivers are in: the internet, unless a test provides one that it can listen in. */
export interface Network {
  /** Who may vouch for a receiver's certificate, in PEM; by default those that Node trusts. */
  readonly authorities?: ReadonlyArray<string>
  /** Where an address that was checked is to be found. */
  readonly reach: (checked: CheckedAddress) => CheckedAddress
}

const internet: Network = { reach: (checked) => checked }

export class WebhookNetwork extends Context.Reference<WebhookNetwork>()("corridor/WebhookNetwork", {
  defaultValue: () => internet
}) {}

/** Opens connections to receivers, only to addresses that were checked a moment before, and to no others by the same name. */
const bare = (hostname: string): string => hostname.replace(/^\[(.*)\]$/, "$1")

const errorOf = (cause: Cause.Cause<EndpointRefused>): Error => {
  const error = Cause.squash(cause)
  return error instanceof Error ? error : new Error(String(error))
}

export const connectorIn = (
  { mode, webhookTimeout }: Settings["Type"],
  { authorities, reach }: WebhookNetwork["Type"],
  runtime: Runtime.Runtime<never>
): buildConnector.connector => {
  const runFork = Runtime.runFork(runtime)

  /** Node connects to what this answers, and asks nobody else; the certificate is still held against the name. */
  const lookupFor =
    (protocol: Protocol): LookupFunction =>
    (hostname, options, callback) => {
      runFork(resolveChecked(`${protocol}//${hostname}/`, mode)).addObserver((exit) => {
        if (Exit.isFailure(exit)) return callback(errorOf(exit.cause), "")
        const [first, ...others] = exit.value.addresses
        if (options.all === true) return callback(null, [first, ...others].map(reach))
        const { address, family } = reach(first)
        callback(null, address, family)
      })
    }

  const connectorFor = (protocol: Protocol) =>
    buildConnector({
      lookup: lookupFor(protocol),
      autoSelectFamily: true,
      timeout: Duration.toMillis(webhookTimeout),
      ...(authorities === undefined ? {} : { ca: [...authorities] })
    })

  const connectors = { "http:": connectorFor("http:"), "https:": connectorFor("https:") }

  return (options, callback) => {
    const protocol: Protocol = options.protocol === "https:" ? "https:" : "http:"
    const host = bare(options.hostname)
    // A literal address is never looked up, so it is checked here.
    const literal = isIP(host) === 0 ? undefined : checkAddress(host, mode, protocol)
    if (literal?._tag === "Left") return callback(new EndpointRefused({ kind: "address", message: literal.left }), null)
    connectors[protocol]({ ...options, hostname: host }, callback)
  }
}

/** A request to a receiver and its answer, at the level at which undici costs least: no stream, no promise, two timers. */
export interface WebhookRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface WebhookResponse {
  readonly status: number
  /** What came of it in a moment, the first 16 KiB at most. */
  readonly text: string
}

/** Why there is no answer: the clock ran out, or whatever the connection failed with. */
export type NoAnswer = { readonly late: true } | { readonly late: false; readonly cause: unknown }

const MOST_BYTES = 16 * 1024

const bodyPatience = Duration.toMillis(webhookBodyPatience)

const letGo = new Error("nobody waits for the answer any more")

export const exchange = (
  dispatcher: Dispatcher,
  url: URL,
  { body, headers }: WebhookRequest,
  patience: number
): Effect.Effect<WebhookResponse, NoAnswer> =>
  Effect.async((resume) => {
    const chunks: Array<Buffer> = []
    let bytes = 0
    let status = 0
    let connection: Dispatcher.DispatchController | undefined
    let over = false

    const end = (outcome: Effect.Effect<WebhookResponse, NoAnswer>) => {
      if (over) return
      over = true
      clearTimeout(timer)
      resume(outcome)
    }
    const answer = () =>
      Effect.succeed({ status, text: Buffer.concat(chunks).subarray(0, MOST_BYTES).toString("utf8") })
    const cutOff = (outcome: Effect.Effect<WebhookResponse, NoAnswer>) => {
      end(outcome)
      connection?.abort(letGo)
    }
    let timer = setTimeout(() => cutOff(Effect.fail({ late: true })), patience)

    const handler: Dispatcher.DispatchHandler = {
      onRequestStart: (controller) => {
        connection = controller
        // It may have waited for its connection until nobody waited for it.
        if (over) controller.abort(letGo)
      },
      onResponseStart: (_controller, statusCode) => {
        // One below 200 only announces the answer.
        if (over || statusCode < 200) return
        status = statusCode
        // The answer is known. Its body mostly comes along, and then the connection can be used again.
        clearTimeout(timer)
        timer = setTimeout(() => cutOff(answer()), bodyPatience)
      },
      onResponseData: (_controller, chunk) => {
        chunks.push(chunk)
        bytes += chunk.length
        // The rest is never read: the connection goes with it.
        if (bytes >= MOST_BYTES) cutOff(answer())
      },
      onResponseEnd: () => end(answer()),
      onResponseError: (_controller, cause) => end(status === 0 ? Effect.fail({ late: false, cause }) : answer())
    }
    dispatcher.dispatch(
      { origin: url.origin, path: `${url.pathname}${url.search}`, method: "POST", headers, body },
      handler
    )
    return Effect.sync(() => cutOff(Effect.interrupt))
  })

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
    setBounded(kept, webhookUrlsKept, text, answer)
    return answer
  }
}

const openAgent = Effect.gen(function* () {
  const connect = connectorIn(yield* Settings, yield* WebhookNetwork, yield* Effect.runtime<never>())
  return new Agent({
    connect,
    // One clock for the whole of it, which is not the agent's.
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: Duration.toMillis(webhookKeepAlive),
    keepAliveMaxTimeout: Duration.toMillis(webhookKeepAlive)
  })
})

export class WebhookClient extends Context.Tag("corridor/WebhookClient")<
  WebhookClient,
  { readonly post: (request: WebhookRequest) => Effect.Effect<WebhookResponse, NotAnswered> }
>() {
  static readonly layer = Layer.scoped(
    WebhookClient,
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
