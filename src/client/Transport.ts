/** The path of every request of the Effect client and the CLI: credential headers, idempotency key, timeout and retries. */
import {
  FetchHttpClient,
  HttpClient,
  HttpClientError,
  HttpClientRequest,
  type HttpClientResponse
} from "@effect/platform"
import { Chunk, Data, Duration, Effect, FiberRef, Option, Schedule, Stream } from "effect"
import type { Ids } from "../domain/Ids.ts"
import { clientBackoffMillis, clientRetries, clientTimeoutMillis } from "../domain/policies/ClientPolicies.ts"
import { operations } from "./DeclaredOperations.ts"
import {
  type Credential,
  credentialHeaders,
  isRepeatable,
  nextPage,
  type PageOf,
  secondsToRetry,
  unsendableHeader
} from "./RequestRules.ts"

const shapeOf = (path: string): RegExp => new RegExp(`${path.replace(/:[a-z_]+/g, "[^/]+")}$`)

const keyedShapes = operations.filter(({ keyed }) => keyed).map(({ path }) => shapeOf(path))

/** Finds the operation by the URL, the only thing that a request carries of it. */
export const isKeyed = (method: string, url: string): boolean =>
  method === "POST" && keyedShapes.some((shape) => shape.test(url.split(/[?#]/, 1)[0]!))

export type CorridorOptions = Credential & {
  /** Address of the service, with or without `/v1`. */
  readonly url: string
  /** Maximum number of retries of safe requests, 4 by default. */
  readonly retries?: number
  /** Time to wait for one answer, 35 seconds by default. */
  readonly timeout?: Duration.DurationInput
}

const KEY = "idempotency-key"

const chosenKey = FiberRef.unsafeMake(Option.none<string>())

/** Sets the key of the requests within, so that the caller can retry them after a restart. */
export const withIdempotencyKey =
  (key: string) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.locally(effect, chosenKey, Option.some(key))

/** The service is busy or asks to retry later. */
class RetryLater extends Data.TaggedError("RetryLater")<{
  readonly response: HttpClientResponse.HttpClientResponse
  readonly after: Duration.Duration
}> {}

const canRepeat = ({ headers, method, url }: HttpClientRequest.HttpClientRequest): boolean =>
  isRepeatable(method, headers[KEY] !== undefined && isKeyed(method, url))

const failIfRetryLater =
  (request: HttpClientRequest.HttpClientRequest) => (response: HttpClientResponse.HttpClientResponse) => {
    const seconds = secondsToRetry(response.status, response.headers["retry-after"], canRepeat(request))
    return seconds === undefined
      ? Effect.succeed(response)
      : Effect.fail(new RetryLater({ response, after: Duration.seconds(seconds) }))
  }

/**
 * Reads the whole body within the timeout. Does not construct a `Response`, for which Node loads its own HTTP client.
 */
const withBodyRead = (response: HttpClientResponse.HttpClientResponse) =>
  Effect.map(response.arrayBuffer, (body): HttpClientResponse.HttpClientResponse => {
    const text = Effect.sync(() => new TextDecoder().decode(body))
    return Object.create(response, { arrayBuffer: { value: Effect.succeed(body) }, text: { value: text } })
  })

type Failed = HttpClientError.HttpClientError | RetryLater

/** Retries a request that may have arrived only if it cannot take effect twice. */
const mayRetry =
  (request: HttpClientRequest.HttpClientRequest) =>
  (failed: Failed): boolean =>
    failed._tag === "RetryLater" ||
    (failed._tag === "RequestError" && failed.reason === "Transport" && canRepeat(request))

const clientBackoff = Schedule.jittered(Schedule.exponential(clientBackoffMillis))

const retrySchedule = (times: number) =>
  Schedule.identity<Failed>().pipe(
    Schedule.intersect(clientBackoff),
    Schedule.intersect(Schedule.recurs(times)),
    Schedule.modifyDelay(([[failed]], delay) =>
      failed._tag === "RetryLater" ? Duration.max(failed.after, delay) : delay
    )
  )

const timeoutError = (request: HttpClientRequest.HttpClientRequest) =>
  new HttpClientError.RequestError({ request, reason: "Transport", description: "The service did not answer in time" })

/** A followed redirect would send the API key to another address. */
const noRedirects: RequestInit = { redirect: "manual" }

export const transport =
  (options: CorridorOptions, ids: typeof Ids.Service) =>
  (client: HttpClient.HttpClient): HttpClient.HttpClient => {
    const { retries = clientRetries, timeout = clientTimeoutMillis } = options
    const schedule = retrySchedule(retries)
    const keyOf = Effect.flatMap(
      FiberRef.get(chosenKey),
      Option.match({ onNone: () => ids.next, onSome: Effect.succeed })
    )
    return client.pipe(
      HttpClient.mapRequestEffect((request) =>
        Effect.gen(function* () {
          const headers = yield* Effect.promise(() => credentialHeaders(options))
          const key = isKeyed(request.method, request.url) ? { [KEY]: yield* keyOf } : {}
          const description = unsendableHeader({ ...headers, ...key })
          if (description !== undefined) {
            return yield* new HttpClientError.RequestError({ request, reason: "Encode", description })
          }
          return HttpClientRequest.setHeaders(request, { ...headers, ...key })
        })
      ),
      HttpClient.transform((answer, request) =>
        answer.pipe(
          Effect.provideService(FetchHttpClient.RequestInit, noRedirects),
          Effect.flatMap(withBodyRead),
          Effect.timeoutFail({ duration: timeout, onTimeout: () => timeoutError(request) }),
          Effect.flatMap(failIfRetryLater(request)),
          Effect.retry({ schedule, while: mayRetry(request) }),
          Effect.catchTag("RetryLater", ({ response }) => Effect.succeed(response))
        )
      )
    )
  }

/** Every item of a list: `allPages(corridor.payments.transactions, { urlParams: { limit: 100 } })`. */
export const allPages = <Request extends { readonly urlParams: object }, A, E, R>(
  list: (request: Request) => Effect.Effect<PageOf<A>, E, R>,
  request: Request
): Stream.Stream<A, E, R> =>
  Stream.paginateChunkEffect({}, (cursor: Readonly<Record<string, string>>) =>
    Effect.map(list({ ...request, urlParams: { ...request.urlParams, ...cursor } }), (page) => [
      Chunk.fromIterable(page.data),
      Option.fromNullable(nextPage(page))
    ])
  )
