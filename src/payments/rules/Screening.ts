/**
 * Sanctions screening: compares the names of payers and beneficiaries with sanctions lists. The adapter calls the
 * search of moov-io/watchman; without `SCREENING_URL` nothing is screened.
 */
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import { Context, Data, Effect, Layer, Option, Schema } from "effect"
import { oneLine, plainText } from "../../domain/MailSafeText.ts"
import { screeningTimeout } from "../../domain/policies/PaymentPolicies.ts"
import { Settings } from "../../platform/config/Settings.ts"

/** An entry of a sanctions list that a name resembles. */
interface ScreeningMatch {
  readonly name: string
  readonly list: string
  /** From 0 to 1, for people to read. */
  readonly score: number
}

/** The service was not reached, or its answer was not understood. */
class ScreeningUnavailable extends Data.TaggedError("ScreeningUnavailable")<{ readonly reason: string }> {}

interface Screener {
  /** The closest match, if there is one. */
  readonly screen: (name: string) => Effect.Effect<Option.Option<ScreeningMatch>, ScreeningUnavailable>
}

/** `entities` is null where nothing matches. An answer without it is none: it must not clear a name. */
const SearchResponse = Schema.Struct({
  entities: Schema.NullOr(
    Schema.Array(
      Schema.Struct({
        name: Schema.String,
        sourceList: Schema.optionalWith(Schema.String, { default: () => "unknown list" }),
        match: Schema.Number
      })
    )
  )
})

const MOST_ENTITIES = "5"

/** Texts of the service end up in records that people read. */
const LONGEST_TEXT = 200

const readable = (text: string): string => oneLine(plainText(text)).slice(0, LONGEST_TEXT).toWellFormed()

const unavailable = (reason: string) => new ScreeningUnavailable({ reason })

const watchman = (client: HttpClient.HttpClient, url: string, minMatch: number): Screener => {
  const search = Effect.fnUntraced(function* (name: string) {
    const query = { name, minMatch: String(minMatch), limit: MOST_ENTITIES }
    const request = HttpClientRequest.setUrlParams(HttpClientRequest.get(`${url}/v2/search`), query)
    // A redirect is not followed: it may lead to anyone, whose answer would clear the name.
    const response = yield* client
      .execute(request)
      .pipe(Effect.provideService(FetchHttpClient.RequestInit, { redirect: "manual" }))
    if (response.status !== 200) return yield* unavailable(`it answered with ${response.status}`)
    const { entities } = yield* HttpClientResponse.schemaBodyJson(SearchResponse)(response)
    const [closest] = (entities ?? []).filter(({ match }) => match >= minMatch).toSorted((a, b) => b.match - a.match)
    return Option.map(Option.fromNullable(closest), ({ match, name: listed, sourceList }) => ({
      name: readable(listed),
      list: readable(sourceList),
      score: match
    }))
  }, Effect.scoped)
  return {
    screen: (name) =>
      search(name).pipe(
        Effect.catchTags({
          ParseError: () => unavailable("its answer was not understood"),
          RequestError: () => unavailable("it was not reached"),
          ResponseError: () => unavailable("its answer was not understood")
        }),
        Effect.timeoutFail({
          duration: screeningTimeout,
          onTimeout: () => unavailable("it did not answer in time")
        })
      )
  }
}

/** None: nothing is screened. */
export class Screening extends Context.Tag("corridor/Screening")<Screening, Option.Option<Screener>>() {
  static readonly layer = Layer.effect(
    Screening,
    Effect.gen(function* () {
      const client = yield* HttpClient.HttpClient
      const { screening } = yield* Settings
      return Option.map(screening.url, (url) => watchman(client, url, screening.minMatch))
    })
  )
}
