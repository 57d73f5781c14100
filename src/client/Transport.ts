/** What every request goes through: both credential headers, a key for what moves money, and another try where it is safe. */
import {
  FetchHttpClient,
  HttpClient,
  HttpClientError,
  HttpClientRequest,
  type HttpClientResponse
} from "@effect/platform"
import { Data, Duration, Effect, FiberRef, Option, Schedule, Chunk, Stream } from "effect"
import type { Ids } from "../domain/Ids.ts"
import { clientBackoff, clientLongestWait, clientRetries, clientTimeout } from "../domain/policies/ClientPolicies.ts"
import { operations } from "./DeclaredOperations.ts"

/** The operations as requests need them, and which of them are safe to repeat. */
const shapeOf = (path: string): RegExp => new RegExp(`${path.replace(/:[a-z_]+/g, "[^/]+")}$`)

const keyedShapes = operations.filter(({ keyed }) => keyed).map(({ path }) => shapeOf(path))

/** By the address of a request, since that is all that a request tells of its operation. */
export const isKeyed = (method: string, url: string): boolean =>
  method === "POST" && keyedShapes.some((shape) => shape.test(url.split(/[?#]/, 1)[0]!))

/** How to reach the service, and as whom. */
type Credential =
  | { readonly apiKey: string; readonly token?: undefined }
  /** A JWT; a function is asked before every request, so that a token which runs out can be renewed. */
  | { readonly token: string | (() => string | Promise<string>); readonly apiKey?: undefined }

export type CorridorOptions = Credential & {
  /** Where the service is, with or without `/v1`. */
  readonly url: string
  /** How often to repeat what is safe to repeat: 4 unless said otherwise; 0 repeats nothing. */
  readonly retries?: number
  /** For how long to wait for one answer: 35 seconds unless said otherwise. */
  readonly timeout?: Duration.DurationInput
}

/** The contract's paths begin with the version. */
export const rootOf = (url: string): string => url.replace(/\/+$/, "").replace(/\/v1$/, "")

const KEY = "idempotency-key"

const chosenKey = FiberRef.unsafeMake(Option.none<string>())

/** The requests within carry this key instead of a fresh one each, so that the caller can repeat them after a restart. */
export const withIdempotencyKey =
  (key: string) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.locally(effect, chosenKey, Option.some(key))

/** The service has done nothing for the request, or is still at it, or does not know, and says when to come again. */
class ComeAgain extends Data.TaggedError("ComeAgain")<{
  readonly response: HttpClientResponse.HttpClientResponse
  readonly after: Duration.Duration
}> {}

/** 409 only where a repeated key's first request is still running. */
const retryLaterStatuses = new Set([409, 429, 503])

const waitOf = (response: HttpClientResponse.HttpClientResponse): Option.Option<Duration.Duration> => {
  const seconds = Number(response.headers["retry-after"])
  return retryLaterStatuses.has(response.status) && seconds >= 0
    ? Option.some(Duration.seconds(seconds))
    : Option.none()
}

const failIfRetryLater = (response: HttpClientResponse.HttpClientResponse) =>
  Option.match(waitOf(response), {
    onNone: () => Effect.succeed(response),
    onSome: (after) => Effect.fail(new ComeAgain({ response, after }))
  })

/**
 * With all of its body: whoever reads it afterwards, in the ways in which clients do, waits for nobody. It is made without
 * a `Response`, for which Node would load all of its own client.
 */
const withBodyRead = (response: HttpClientResponse.HttpClientResponse) =>
  Effect.map(response.arrayBuffer, (body): HttpClientResponse.HttpClientResponse => {
    const text = Effect.sync(() => new TextDecoder().decode(body))
    return Object.create(response, { arrayBuffer: { value: Effect.succeed(body) }, text: { value: text } })
  })

type Failed = HttpClientError.HttpClientError | ComeAgain

/** A request that may have arrived is repeated only where that cannot do its work twice. */
const mayRetry = (request: HttpClientRequest.HttpClientRequest) => {
  const once =
    request.method !== "POST" && request.method !== "PATCH"
      ? true
      : request.headers[KEY] !== undefined && isKeyed(request.method, request.url)
  return (failed: Failed): boolean => {
    if (failed._tag !== "ComeAgain") return once && failed._tag === "RequestError" && failed.reason === "Transport"
    return (once || failed.response.status === 429) && Duration.lessThanOrEqualTo(failed.after, clientLongestWait)
  }
}

const retrySchedule = (times: number) =>
  Schedule.identity<Failed>().pipe(
    Schedule.intersect(clientBackoff),
    Schedule.intersect(Schedule.recurs(times)),
    Schedule.modifyDelay(([[failed]], delay) =>
      failed._tag === "ComeAgain" ? Duration.max(failed.after, delay) : delay
    )
  )

const timeoutError = (request: HttpClientRequest.HttpClientRequest) =>
  new HttpClientError.RequestError({ request, reason: "Transport", description: "The service did not answer in time" })

const headersOf = ({ apiKey, token }: CorridorOptions) =>
  token === undefined
    ? Effect.succeed({ authorization: "NONE", "x-api-key": apiKey })
    : Effect.map(
        Effect.promise(async () => (typeof token === "string" ? token : token())),
        (jwt) => ({ authorization: `Bearer ${jwt}`, "x-api-key": "NONE" })
      )

/** A redirect is an answer like any other: followed, it would take the API key to the address that it names. */
const noRedirects: RequestInit = { redirect: "manual" }

export const transport =
  (options: CorridorOptions, ids: typeof Ids.Service) =>
  (client: HttpClient.HttpClient): HttpClient.HttpClient => {
    const { retries = clientRetries, timeout = clientTimeout } = options
    const schedule = retrySchedule(retries)
    const keyOf = Effect.flatMap(
      FiberRef.get(chosenKey),
      Option.match({ onNone: () => ids.next, onSome: Effect.succeed })
    )
    return client.pipe(
      HttpClient.mapRequestEffect((request) =>
        Effect.gen(function* () {
          const headers = yield* headersOf(options)
          const signed = HttpClientRequest.setHeaders(request, headers)
          if (!isKeyed(request.method, request.url)) return signed
          return HttpClientRequest.setHeader(signed, KEY, yield* keyOf)
        })
      ),
      HttpClient.transform((answer, request) =>
        answer.pipe(
          Effect.provideService(FetchHttpClient.RequestInit, noRedirects),
          Effect.flatMap(withBodyRead),
          Effect.timeoutFail({ duration: timeout, onTimeout: () => timeoutError(request) }),
          Effect.flatMap(failIfRetryLater),
          Effect.retry({ schedule, while: mayRetry(request) }),
          Effect.catchTag("ComeAgain", ({ response }) => Effect.succeed(response))
        )
      )
    )
  }

/** Lists from their first page to their last, whichever name their cursor has. */
export interface PageOf<A> {
  readonly data: ReadonlyArray<A>
  readonly last_evaluated_key?: string | null
  readonly lastEvaluatedKey?: string | null
}

/** What asks for the page after this one; nothing on the last. */
export const afterPage = (page: Omit<PageOf<unknown>, "data">): Option.Option<Readonly<Record<string, string>>> => {
  if (typeof page.last_evaluated_key === "string") return Option.some({ last_evaluated_key: page.last_evaluated_key })
  if (typeof page.lastEvaluatedKey === "string") return Option.some({ lastEvaluatedKey: page.lastEvaluatedKey })
  return Option.none()
}

/** Every item of a list: `allPages(corridor.payments.transactions, { urlParams: { limit: 100 } })`. */
export const allPages = <Request extends { readonly urlParams: object }, A, E, R>(
  list: (request: Request) => Effect.Effect<PageOf<A>, E, R>,
  request: Request
): Stream.Stream<A, E, R> =>
  Stream.paginateChunkEffect({}, (cursor: Readonly<Record<string, string>>) =>
    Effect.map(list({ ...request, urlParams: { ...request.urlParams, ...cursor } }), (page) => [
      Chunk.fromIterable(page.data),
      afterPage(page)
    ])
  )
