/** Calls to a third party with one account: connections and room of its own. */
import { Cause, Duration, Effect, Either, Exit, Option, Redacted, type Scope, Metric, MetricBoundaries } from "effect"
import type { Agent, Dispatcher } from "undici"
import type { ProviderName } from "../../domain/Corridor.ts"
import {
  providerAnswerTimeout,
  providerConcurrency,
  providerConnectTimeout,
  providerFirstByteTimeout,
  providerKeepAlive,
  providerAnswerBytes
} from "../../domain/policies/ProviderPolicies.ts"
import type { Mode } from "../../platform/config/Settings.ts"
import { monotonicMillis } from "../../platform/fibers/Deadlines.ts"
import { spanned } from "../../platform/observability/Spans.ts"
import type { ConcurrencyLimit } from "./ConcurrencyLimit.ts"
import {
  type CallFailed,
  NeverSent,
  type ProviderCall,
  type ProviderHttp,
  type ProviderReply,
  MaybeSent
} from "./ProviderHttp.ts"
import { readJson } from "./WireValues.ts"
import { urlOf } from "../../domain/Url.ts"

/** Outcome of a call: the class of its status if it has one. */
type CallOutcome = `${number}xx` | "never_sent" | "maybe_sent" | "interrupted"

const calls = Metric.counter("corridor_provider_calls_total", {
  description: "Calls to third-party providers, by provider, operation and what they came to.",
  incremental: true
})

const seconds = Metric.histogram(
  "corridor_provider_call_seconds",
  MetricBoundaries.fromIterable([0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30]),
  "Time from a call to a third-party provider to its answer, by provider and operation."
)

/** Bounds the number of series: further operations are counted as `other`. */
const MOST_OPERATIONS = 40

const operations = new Map<ProviderName, Set<string>>()

const boundedName = (provider: ProviderName, operation: string): string => {
  const names = operations.get(provider) ?? new Set()
  operations.set(provider, names)
  if (names.size < MOST_OPERATIONS) names.add(operation)
  return names.has(operation) ? operation : "other"
}

const recordCall = (provider: ProviderName, operation: string, outcome: CallOutcome, took: number): void => {
  const name = boundedName(provider, operation)
  const tagged = <Type, In, Out>(metric: Metric.Metric<Type, In, Out>) =>
    metric.pipe(Metric.tagged("provider", provider), Metric.tagged("operation", name))
  tagged(calls).pipe(Metric.tagged("outcome", outcome)).unsafeUpdate(1, [])
  tagged(seconds).unsafeUpdate(took, [])
}

export interface ProviderHttpOptions {
  readonly provider: ProviderName
  /** `platform`, or the id of the configuration that brings the account. */
  readonly account: string
  readonly baseUrl: string
  readonly mode: Mode
  /** Where the third party wants a certificate of ours, or has one that no public authority signed. */
  readonly tls?: { readonly cert?: string; readonly key?: Redacted.Redacted; readonly ca?: string }
  readonly concurrencyLimit: ConcurrencyLimit
  readonly limits?: CallLimits
}

const usualLimits: CallLimits = {
  connect: providerConnectTimeout,
  firstByte: providerFirstByteTimeout,
  answer: providerAnswerTimeout
}

const openAgent = async ({ limits = usualLimits, tls = {} }: ProviderHttpOptions): Promise<Agent> => {
  // Loaded on the first call: most CLI commands never call a third party.
  const undici = await import("undici")
  return new undici.Agent({
    connections: providerConcurrency,
    pipelining: 1,
    connect: {
      rejectUnauthorized: true,
      timeout: Duration.toMillis(limits.connect),
      ...(tls.ca === undefined ? {} : { ca: tls.ca }),
      ...(tls.cert === undefined ? {} : { cert: tls.cert }),
      ...(tls.key === undefined ? {} : { key: Redacted.value(tls.key) })
    },
    // The limits are those of the exchange.
    headersTimeout: 0,
    bodyTimeout: 0,
    keepAliveTimeout: Duration.toMillis(providerKeepAlive),
    keepAliveMaxTimeout: Duration.toMillis(providerKeepAlive)
  })
}

/** Requires https outside of sandbox mode. */
const targetOf = (
  { origin, path }: ProviderCall,
  { baseUrl, mode }: ProviderHttpOptions
): Either.Either<{ readonly origin: string; readonly path: string }, NeverSent> => {
  const base = urlOf(origin ?? baseUrl)
  const isAllowed = base?.protocol === "https:" || (base?.protocol === "http:" && mode === "sandbox")
  return base !== undefined && isAllowed
    ? Either.right({ origin: base.origin, path: `${base.pathname.replace(/\/+$/, "")}${path}` })
    : Either.left(new NeverSent({ reason: "its address does not start with https://" }))
}

const outcomeOf = (exit: Exit.Exit<ProviderReply, CallFailed>): CallOutcome =>
  Exit.match(exit, {
    onSuccess: ({ status }): CallOutcome => `${Math.trunc(status / 100)}xx`,
    onFailure: (cause): CallOutcome =>
      Option.match(Cause.failureOption(cause), {
        onNone: (): CallOutcome => "interrupted",
        onSome: ({ _tag }) => (_tag === "NeverSent" ? "never_sent" : "maybe_sent")
      })
  })

export const makeProviderHttp = (options: ProviderHttpOptions): Effect.Effect<ProviderHttp, never, Scope.Scope> =>
  Effect.gen(function* () {
    const { account, concurrencyLimit, limits = usualLimits, provider } = options
    let opened: Promise<Agent> | undefined
    yield* Effect.addFinalizer(() => Effect.promise(async () => (await opened)?.destroy()))
    const agent = Effect.promise(() => (opened ??= openAgent(options)))

    const send = (call: ProviderCall): Effect.Effect<ProviderReply, CallFailed> =>
      Effect.gen(function* () {
        const target = yield* targetOf(call, options)
        const { body, headers, method } = call
        const request = {
          ...target,
          method,
          headers: { "user-agent": "corridor/1.0", "accept-encoding": "identity", ...headers },
          ...(body === undefined ? {} : { body })
        }
        const dispatcher = yield* agent
        const answer = yield* concurrencyLimit.within(exchange(dispatcher, request, limits))
        return { ...answer, json: Either.getOrUndefined(readJson(answer.text)) }
      })

    const recorded =
      ({ operation }: ProviderCall, startedAt: number) =>
      (exit: Exit.Exit<ProviderReply, CallFailed>) =>
        Effect.gen(function* () {
          const outcome = outcomeOf(exit)
          recordCall(provider, operation, outcome, ((yield* monotonicMillis) - startedAt) / 1000)
          yield* Effect.annotateCurrentSpan({
            outcome,
            ...(Exit.isSuccess(exit) ? { "http.response.status_code": exit.value.status } : {})
          })
        })

    return {
      call: (call) => {
        const { operation } = call
        return Effect.flatMap(monotonicMillis, (startedAt) =>
          Effect.onExit(send(call), recorded(call, startedAt))
        ).pipe(
          spanned(
            () => `Provider ${operation}`,
            () => ({
              kind: "client",
              attributes: {
                provider,
                operation,
                account,
                "http.request.method": call.method,
                "server.address": new URL(call.origin ?? options.baseUrl).host
              },
              captureStackTrace: false
            })
          )
        )
      }
    }
  })

export interface CallLimits {
  readonly connect: Duration.Duration
  readonly firstByte: Duration.Duration
  readonly answer: Duration.Duration
}

export interface Answer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

const letGo = new Error("the caller no longer waits for the answer")

/** A code such as ECONNRESET; whatever else an error says may hold what was sent. */
const codeOf = (cause: unknown): string => {
  const code = typeof cause === "object" && cause !== null && "code" in cause ? cause.code : undefined
  return typeof code === "string" && /^[A-Z0-9_]{1,64}$/.test(code) ? code : "unknown reason"
}

const headersOf = (headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>) =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name.toLowerCase(), typeof value === "string" ? value : value.join(", ")]]
    )
  )

export const exchange = (
  dispatcher: Dispatcher,
  request: Dispatcher.DispatchOptions,
  limits: CallLimits
): Effect.Effect<Answer, CallFailed> =>
  Effect.async((resume) => {
    const chunks: Array<Buffer> = []
    let bytes = 0
    let status = 0
    let headers: Answer["headers"] = {}
    let connection: Dispatcher.DispatchController | undefined
    let isOver = false
    const timers = new Set<NodeJS.Timeout>()

    const end = (outcome: Effect.Effect<Answer, CallFailed>) => {
      if (isOver) return
      isOver = true
      for (const timer of timers) clearTimeout(timer)
      resume(outcome)
    }
    const cutOff = (outcome: Effect.Effect<Answer, CallFailed>) => {
      end(outcome)
      connection?.abort(letGo)
    }
    const after = (limit: Duration.Duration, outcome: () => Effect.Effect<Answer, CallFailed>): NodeJS.Timeout => {
      const timer = setTimeout(() => cutOff(outcome()), Duration.toMillis(limit))
      timers.add(timer)
      return timer
    }
    const within = (limit: Duration.Duration) => `within ${Duration.format(limit)}`

    const connecting = after(
      limits.connect,
      () => new NeverSent({ reason: `no connection to it ${within(limits.connect)}` })
    )
    let silent: NodeJS.Timeout | undefined

    const handler: Dispatcher.DispatchHandler = {
      // Called just before the first byte is written: nothing was sent until here, anything may have been from here on.
      onRequestStart: (controller) => {
        // The caller may have timed out while waiting for a connection; and nothing is written twice.
        if (isOver || connection !== undefined) {
          controller.abort(letGo)
          return cutOff(new MaybeSent({ reason: "the connection was lost, and it is not sent again" }))
        }
        connection = controller
        clearTimeout(connecting)
        silent = after(
          limits.firstByte,
          () => new MaybeSent({ reason: `it did not begin to answer ${within(limits.firstByte)}` })
        )
        after(limits.answer, () => new MaybeSent({ reason: `its answer was not whole ${within(limits.answer)}` }))
      },
      onResponseStart: (_controller, statusCode, given) => {
        // A status below 200 only announces the answer.
        if (isOver || statusCode < 200) return
        status = statusCode
        headers = headersOf(given)
        clearTimeout(silent)
      },
      onResponseData: (_controller, chunk) => {
        bytes += chunk.length
        if (bytes > providerAnswerBytes) return cutOff(new MaybeSent({ reason: "its answer is too large" }))
        chunks.push(chunk)
      },
      onResponseEnd: () => end(Effect.succeed({ status, headers, text: Buffer.concat(chunks).toString("utf8") })),
      onResponseError: (_controller, cause) =>
        end(
          connection === undefined
            ? new NeverSent({ reason: `no connection to it (${codeOf(cause)})` })
            : new MaybeSent({ reason: `the connection to it broke (${codeOf(cause)})` })
        )
    }
    dispatcher.dispatch(request, handler)
    return Effect.sync(() => cutOff(Effect.interrupt))
  })
