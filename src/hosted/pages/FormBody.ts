/** Form posts of hosted pages: rate limit, parsing, the reply to an invalid form, and data about the browser. */
import { Clock, Data, Effect, Either } from "effect"
import { formPostsPerMinute } from "../../domain/policies/ServerPolicies.ts"
import { Settings } from "../../platform/config/Settings.ts"
import { clientOf, RateLimits, requestAddress } from "../../platform/rateLimits/RateLimits.ts"
import { type TrustProxy, UNKNOWN_ADDRESS } from "../../platform/config/ClientAddress.ts"
import { decodeUtf8, readPlainBody } from "../../platform/http/RequestBody.ts"
import type { Incoming, Outgoing } from "../../platform/http/Route.ts"
import type { Browser } from "../../providers/port/Provider.ts"
import { refusedPage } from "./CheckoutPage.ts"
import { pageReply } from "./PageLayout.ts"
import { latinDigits, readerOf } from "./PageText.ts"

const FORM_TYPE = /^application\/x-www-form-urlencoded\s*(;|$)/i

class FormRefused extends Data.TaggedError("FormRefused")<{
  readonly status: 400 | 413 | 429
  readonly closeConnection: boolean
}> {}

const unreadable = new FormRefused({ status: 400, closeConnection: false })

const tooMany = new FormRefused({ status: 429, closeConnection: false })

/** Limits forms by IP address before reading them. The limit is generous: many payers may share an address. */
export const makeReadForm = Effect.gen(function* () {
  const { rateLimitPerMinute, trustProxy } = yield* Settings
  const { limiter } = yield* RateLimits
  const posts = limiter("form posts", rateLimitPerMinute === 0 ? 0 : formPostsPerMinute)
  return (incoming: Incoming) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) =>
      posts.take(requestAddress(incoming.request, trustProxy), now).allowed ? readForm(incoming) : Effect.fail(tooMany)
    )
})

/** Reads all fields in Latin digits, so that card numbers are recognised in every field. */
const readForm = Effect.fnUntraced(function* (incoming: Incoming) {
  const { request } = incoming
  const body = yield* readPlainBody(request).pipe(
    Effect.catchTags({
      BodyTooLarge: ({ closeConnection }) => new FormRefused({ status: 413, closeConnection }),
      BodyAborted: () => Effect.interrupt
    })
  )
  if (!FORM_TYPE.test(request.headers["content-type"] ?? "")) return yield* unreadable
  const text = yield* Either.mapLeft(decodeUtf8(body), () => unreadable)
  const { words } = readerOf(incoming)
  return new URLSearchParams(
    Array.from(new URLSearchParams(text), ([name, typed]): [string, string] => [name, latinDigits(typed, words)])
  )
})

/** Answers an invalid form with a page. */
export const orRefusedPage = <E>(incoming: Incoming, answer: Effect.Effect<Outgoing, E | FormRefused>) =>
  Effect.catchIf(
    answer,
    (error): error is FormRefused => error instanceof FormRefused,
    ({ closeConnection, status }) => {
      const reader = readerOf(incoming)
      const reply = pageReply(status, reader, refusedPage(reader.words))
      const headers = closeConnection ? { ...reply.headers, connection: "close" } : reply.headers
      return Effect.succeed({ ...reply, headers })
    }
  )

/** Browser data from the request headers, since the forms run no scripts. */
export const browserOf = ({ request }: Pick<Incoming, "request">, trust: TrustProxy): Browser => {
  const text = (name: "accept" | "accept-language" | "user-agent") => (request.headers[name] ?? "").slice(0, 1000)
  const ip = clientOf(request, trust)
  return {
    ip: ip === UNKNOWN_ADDRESS ? null : ip,
    userAgent: text("user-agent"),
    acceptHeader: text("accept"),
    language: text("accept-language").split(/[,;]/)[0]!.trim(),
    screen: null
  }
}
