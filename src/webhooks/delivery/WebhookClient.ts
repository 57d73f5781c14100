/** Sends requests to webhook receivers. WEBHOOK_TIMEOUT covers name resolution, connection and response status. */
import { Context, Data, Duration, Effect, Either, Layer, Cause, Exit, Runtime } from "effect"
import { Agent, type Dispatcher, buildConnector } from "undici"
import { Settings } from "../../platform/config/Settings.ts"
import { webhookKeepAlive, webhookBodyPatience } from "../../domain/policies/WebhookPolicies.ts"
import {
  parseEndpointUrl,
  EndpointRefused,
  resolveChecked,
  checkAddress,
  type Protocol,
  type CheckedAddress
} from "../ssrf/EndpointUrl.ts"
import { isIP, type LookupFunction } from "node:net"

export interface Network {
  /** Certificate authorities, in PEM; default: Node's. */
  readonly authorities?: ReadonlyArray<string>
  /** Maps a checked address to the one to connect to. */
  readonly reach: (checked: CheckedAddress) => CheckedAddress
}

const internet: Network = { reach: (checked) => checked }

/** The internet, unless a test provides another network. */
export class WebhookNetwork extends Context.Reference<WebhookNetwork>()("corridor/WebhookNetwork", {
  defaultValue: () => internet
}) {}

const bare = (hostname: string): string => hostname.replace(/^\[(.*)\]$/, "$1")

const errorOf = (cause: Cause.Cause<EndpointRefused>): Error => {
  const error = Cause.squash(cause)
  return error instanceof Error ? error : new Error(String(error))
}

/** Connects only to addresses that were checked for this connection. */
const connectorIn = (
  { mode, webhookTimeout }: Settings["Type"],
  { authorities, reach }: WebhookNetwork["Type"],
  runtime: Runtime.Runtime<never>
): buildConnector.connector => {
  const runFork = Runtime.runFork(runtime)

  /** Replaces Node's lookup; the certificate is still checked against the name. */
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
    // A literal address is never resolved, so it is checked here.
    const literal = isIP(host) === 0 ? undefined : checkAddress(host, mode, protocol)
    if (literal?._tag === "Left") return callback(new EndpointRefused({ kind: "address", message: literal.left }), null)
    connectors[protocol]({ ...options, hostname: host }, callback)
  }
}

export interface WebhookRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface WebhookResponse {
  readonly status: number
  /** Beginning of the body, at most 16 KiB. */
  readonly text: string
}

/** A timeout, or the failure of the connection. */
type NoAnswer = { readonly late: true } | { readonly late: false; readonly cause: unknown }

const MOST_BYTES = 16 * 1024

const bodyTimeout = Duration.toMillis(webhookBodyPatience)

const aborted = new Error("the request was aborted")

/** Uses undici's dispatch directly: no stream, no promise, two timers. */
export const exchange = (
  dispatcher: Dispatcher,
  url: URL,
  { body, headers }: WebhookRequest,
  timeout: number
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
      connection?.abort(aborted)
    }
    let timer = setTimeout(() => cutOff(Effect.fail({ late: true })), timeout)

    const handler: Dispatcher.DispatchHandler = {
      onRequestStart: (controller) => {
        connection = controller
        // The timeout may have passed while it waited for a connection.
        if (over) controller.abort(aborted)
      },
      onResponseStart: (_controller, statusCode) => {
        // Informational responses precede the final one.
        if (over || statusCode < 200) return
        status = statusCode
        // The status decides. Reading the body for a moment lets the connection be reused.
        clearTimeout(timer)
        timer = setTimeout(() => cutOff(answer()), bodyTimeout)
      },
      onResponseData: (_controller, chunk) => {
        chunks.push(chunk)
        bytes += chunk.length
        // The rest is not read, so the connection is closed.
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

/** `message` is shown to the owner of the endpoint. */
export class NotAnswered extends Data.TaggedError("NotAnswered")<{ readonly message: string }> {}

const refusal = ({ kind, message }: EndpointRefused): string =>
  kind === "unresolved" ? message : `endpoint_url ${message}`

/** Names the error code only, which reveals nothing about the service's network. */
const reasonOf = (cause: unknown): string => {
  if (cause instanceof EndpointRefused) return refusal(cause)
  const code = (cause as { readonly code?: unknown }).code
  return `the connection failed (${typeof code === "string" ? code : "unknown reason"})`
}

const openAgent = Effect.gen(function* () {
  const connect = connectorIn(yield* Settings, yield* WebhookNetwork, yield* Effect.runtime<never>())
  return new Agent({
    connect,
    // `exchange` has its own timeouts.
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
      const timeout = Duration.toMillis(webhookTimeout)
      const tooLate = `no answer within ${Duration.format(webhookTimeout)}`
      const agent = yield* Effect.acquireRelease(openAgent, (open) => Effect.promise(() => open.destroy()))
      return {
        post: (request) => {
          const url = parseEndpointUrl(request.url, mode)
          if (Either.isLeft(url)) return new NotAnswered({ message: `endpoint_url ${url.left}` })
          return Effect.mapError(
            exchange(agent, url.right, request, timeout),
            (failure) => new NotAnswered({ message: failure.late ? tooLate : reasonOf(failure.cause) })
          )
        }
      }
    })
  )
}
