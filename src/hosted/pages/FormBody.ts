/** A form as a browser without scripts sends it. */
import type { IncomingMessage } from "node:http"
import { Data, Effect, Either } from "effect"
import { decodeUtf8, readPlainBody } from "../../platform/http/RequestBody.ts"

const FORM_TYPE = /^application\/x-www-form-urlencoded\s*(;|$)/i

export class FormRefused extends Data.TaggedError("FormRefused")<{
  readonly status: 400 | 413
  readonly closeConnection: boolean
}> {}

const unreadable = new FormRefused({ status: 400, closeConnection: false })

export const readForm = Effect.fnUntraced(function* (request: IncomingMessage) {
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
