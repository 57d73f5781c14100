/** Calls to a third party with one account: connections and room of its own. */
import { Cause, Duration, Effect, Either, Exit, Option, Redacted, type Scope, Metric, MetricBoundaries } from "effect"
import type { Agent } from "undici"
import type { ProviderName } from "../../domain/Corridor.ts"
import {
  providerAnswerTimeout,
  providerCallsUnderWay,
  providerConnectTimeout,
  providerFirstByteTimeout,
  providerKeepAlive
} from "../../domain/policies/ProviderPolicies.ts"
import type { Mode } from "../../platform/config/Settings.ts"
import { monotonicMillis } from "../../platform/fibers/Deadlines.ts"
import { spanned } from "../../platform/observability/Spans.ts"
import type { ConcurrencyLimit } from "./ConcurrencyLimit.ts"
import { type CallFailed, NeverSent, type ProviderCall, type ProviderHttp, type ProviderReply } from "./ProviderHttp.ts"
import { type CallLimits, exchange } from "./UndiciExchange.ts"
import { readJson } from "./WireValues.ts"
import { urlOf } from "../../domain/Url.ts"

/** What a call came to: the class of the status where there is one. */
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
  readonly callsUnderWay: ConcurrencyLimit
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
    connections: providerCallsUnderWay,
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
    const { account, callsUnderWay, limits = usualLimits, provider } = options
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
        const answer = yield* callsUnderWay.within(exchange(dispatcher, request, limits))
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
