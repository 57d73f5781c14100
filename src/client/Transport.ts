/** What every request goes through: both credential headers, a key for what moves money, and another try where it is safe. */
import {
  FetchHttpClient,
  HttpClient,
  HttpClientError,
  HttpClientRequest,
  type HttpClientResponse
} from "@effect/platform"
import { Data, Duration, Effect, FiberRef, Option, Schedule } from "effect"
import type { Ids } from "../domain/Ids.ts"
import { clientBackoff, clientLongestWait, clientRetries, clientTimeout } from "../domain/policies/Client.ts"
import { isKeyed } from "./Operations.ts"
import type { CorridorOptions } from "./Options.ts"

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
const putsOff = new Set([409, 429, 503])

const waitOf = (response: HttpClientResponse.HttpClientResponse): Option.Option<Duration.Duration> => {
  const seconds = Number(response.headers["retry-after"])
  return putsOff.has(response.status) && seconds >= 0 ? Option.some(Duration.seconds(seconds)) : Option.none()
}

const judge = (response: HttpClientResponse.HttpClientResponse) =>
  Option.match(waitOf(response), {
    onNone: () => Effect.succeed(response),
    onSome: (after) => Effect.fail(new ComeAgain({ response, after }))
  })

/**
 * With all of its body: whoever reads it afterwards, in the ways in which clients do, waits for nobody. It is made without
 * a `Response`, for which Node would load all of its own client.
 */
const whole = (response: HttpClientResponse.HttpClientResponse) =>
  Effect.map(response.arrayBuffer, (body): HttpClientResponse.HttpClientResponse => {
    const text = Effect.sync(() => new TextDecoder().decode(body))
    return Object.create(response, { arrayBuffer: { value: Effect.succeed(body) }, text: { value: text } })
  })

type Failed = HttpClientError.HttpClientError | ComeAgain

/** A request that may have arrived is repeated only where that cannot do its work twice. */
const repeatable = (request: HttpClientRequest.HttpClientRequest) => {
  const once =
    request.method !== "POST" && request.method !== "PATCH"
      ? true
      : request.headers[KEY] !== undefined && isKeyed(request.method, request.url)
  return (failed: Failed): boolean => {
    if (failed._tag !== "ComeAgain") return once && failed._tag === "RequestError" && failed.reason === "Transport"
    return (once || failed.response.status === 429) && Duration.lessThanOrEqualTo(failed.after, clientLongestWait)
  }
}

const again = (times: number) =>
  Schedule.identity<Failed>().pipe(
    Schedule.intersect(clientBackoff),
    Schedule.intersect(Schedule.recurs(times)),
    Schedule.modifyDelay(([[failed]], delay) =>
      failed._tag === "ComeAgain" ? Duration.max(failed.after, delay) : delay
    )
  )

const silence = (request: HttpClientRequest.HttpClientRequest) =>
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
    const schedule = again(retries)
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
          Effect.flatMap(whole),
          Effect.timeoutFail({ duration: timeout, onTimeout: () => silence(request) }),
          Effect.flatMap(judge),
          Effect.retry({ schedule, while: repeatable(request) }),
          Effect.catchTag("ComeAgain", ({ response }) => Effect.succeed(response))
        )
      )
    )
  }
