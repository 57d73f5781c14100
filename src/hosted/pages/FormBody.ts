/** A form as a browser without scripts sends it. */
import type { IncomingMessage } from "node:http"
import { Clock, Data, Effect, Either } from "effect"
import { formPostsPerMinute } from "../../domain/policies/ServerPolicies.ts"
import { Settings } from "../../platform/config/Settings.ts"
import { RateLimits, requestAddress } from "../../platform/rateLimits/RateLimits.ts"
import { decodeUtf8, readPlainBody } from "../../platform/http/RequestBody.ts"

const FORM_TYPE = /^application\/x-www-form-urlencoded\s*(;|$)/i

export class FormRefused extends Data.TaggedError("FormRefused")<{
  readonly status: 400 | 413 | 429
  readonly closeConnection: boolean
}> {}

const unreadable = new FormRefused({ status: 400, closeConnection: false })

const tooMany = new FormRefused({ status: 429, closeConnection: false })

/** Forms are counted by address before they are read, generously: many payers may share one. */
export const makeReadForm = Effect.gen(function* () {
  const { rateLimitPerMinute, trustProxy } = yield* Settings
  const { limiter } = yield* RateLimits
  const posts = limiter("form posts", rateLimitPerMinute === 0 ? 0 : formPostsPerMinute)
  return (request: IncomingMessage) =>
    Effect.flatMap(Clock.currentTimeMillis, (now) =>
      posts.take(requestAddress(request, trustProxy), now).allowed ? readForm(request) : Effect.fail(tooMany)
    )
})

const readForm = Effect.fnUntraced(function* (request: IncomingMessage) {
  const body = yield* readPlainBody(request).pipe(
    Effect.catchTags({
      BodyTooLarge: ({ closeConnection }) => new FormRefused({ status: 413, closeConnection }),
      BodyAborted: () => Effect.interrupt
    })
  )
  if (!FORM_TYPE.test(request.headers["content-type"] ?? "")) return yield* unreadable
  const text = yield* Either.mapLeft(decodeUtf8(body), () => unreadable)
  return new URLSearchParams(text)
})
