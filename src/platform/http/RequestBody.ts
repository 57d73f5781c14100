/**
 * Takes a request's body off Node's own events, which is several times cheaper than a stream pipeline, and refuses
 * what is too large in a way that lets the client read the refusal instead of a connection reset.
 */
import { isUtf8 } from "node:buffer"
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http"
import { Data, Effect, Either } from "effect"
import { UnsupportedMediaType } from "../../domain/Failure.ts"
import { bodyDrainTimeout } from "../../domain/policies/ServerPolicies.ts"

const MAX_BODY_BYTES = 256 * 1024
const MAX_DRAINED_BYTES = 8 * 1024 * 1024

/** With `closeConnection` the rest of the body is still on its way: the answer must carry `Connection: close`. */
export class BodyTooLarge extends Data.TaggedError("BodyTooLarge")<{
  readonly limit: number
  readonly closeConnection: boolean
}> {
  override get message() {
    return `the body is larger than ${this.limit} bytes`
  }
}

/** The connection has ended; no answer is possible. */
export class BodyAborted extends Data.TaggedError("BodyAborted")<{ readonly cause?: unknown }> {
  override get message() {
    return "the connection ended before the whole body had arrived"
  }
}

/** Node's parser has already refused a Content-Length that is not a number. */
const declaredLength = (headers: IncomingHttpHeaders): number => Number(headers["content-length"] ?? 0)

export const hasBody = (headers: IncomingHttpHeaders): boolean =>
  headers["transfer-encoding"] !== undefined || declaredLength(headers) > 0

/**
 * For the server's `checkContinue` event, before the request is handled as any other: without a listener there Node
 * invites every body. A client that was not invited may or may not send its body, so Node closes its connection.
 */
export const inviteBody = (
  request: IncomingMessage,
  response: ServerResponse,
  limit: number = MAX_BODY_BYTES
): void => {
  if (declaredLength(request.headers) <= limit) response.writeContinue()
}

/** Reads up to `limit` bytes. Succeeds with whether the body came to its end; if not, the request is paused. */
const readUpTo = (request: IncomingMessage, limit: number, take?: (chunk: Buffer) => void) =>
  Effect.async<boolean, BodyAborted>((resume) => {
    if (request.destroyed) return resume(new BodyAborted({}))
    let size = 0
    const stop = () => {
      request.off("data", onData).off("end", onEnd).off("error", onAbort).off("close", onAbort)
    }
    const onData = (chunk: Buffer) => {
      size += chunk.length
      if (size <= limit) return take?.(chunk)
      stop()
      request.pause()
      resume(Effect.succeed(false))
    }
    const onEnd = () => {
      stop()
      resume(Effect.succeed(true))
    }
    const onAbort = (cause?: unknown) => {
      stop()
      resume(new BodyAborted({ cause }))
    }
    request.on("data", onData).on("end", onEnd).on("error", onAbort).on("close", onAbort)
    // A body that is drained was paused before.
    if (take === undefined) request.resume()
    return Effect.sync(stop)
  })

const drainAndRefuse = (request: IncomingMessage, limit: number) =>
  // The part that grew over the limit may have been the last one.
  Effect.suspend(() => (request.complete ? Effect.succeed(true) : readUpTo(request, MAX_DRAINED_BYTES))).pipe(
    Effect.timeoutTo({ duration: bodyDrainTimeout, onTimeout: () => false, onSuccess: (ended) => ended }),
    Effect.flatMap((ended) => new BodyTooLarge({ limit, closeConnection: !ended }))
  )

export const readBody = (
  request: IncomingMessage,
  limit: number = MAX_BODY_BYTES
): Effect.Effect<Buffer, BodyTooLarge | BodyAborted> =>
  Effect.suspend(() => {
    const { headers } = request
    const chunks: Array<Buffer> = []
    if (!hasBody(headers)) return Effect.succeed(Buffer.concat(chunks))
    const declared = declaredLength(headers)
    if (declared <= limit) {
      return Effect.flatMap(
        readUpTo(request, limit, (chunk) => chunks.push(chunk)),
        (ended) => (ended ? Effect.succeed(Buffer.concat(chunks)) : drainAndRefuse(request, limit))
      )
    }
    const waitsForInvitation = /100-continue/i.test(headers.expect ?? "")
    return waitsForInvitation || declared > MAX_DRAINED_BYTES
      ? new BodyTooLarge({ limit, closeConnection: true })
      : drainAndRefuse(request, limit)
  })

const compressed = new UnsupportedMediaType({
  message: "Content-Encoding: is not understood; send the body as it is."
})

/** Refuses compressed bodies. */
export const readPlainBody = (
  request: IncomingMessage
): Effect.Effect<Buffer, BodyTooLarge | BodyAborted | UnsupportedMediaType> => {
  const encoding = request.headers["content-encoding"]?.trim().toLowerCase() ?? "identity"
  return encoding !== "identity" && hasBody(request.headers) ? Effect.fail(compressed) : readBody(request)
}

export const decodeUtf8 = (body: Buffer): Either.Either<string, string> =>
  isUtf8(body) ? Either.right(body.toString("utf8")) : Either.left("the body is not valid UTF-8")

const JSON_TYPE = /^application\/(?:json|[!#$%&'*+.^_`|~0-9a-z-]+\+json)$/i
const PARAMETER = /;\s*([!#$%&'*+.^_`|~0-9a-z-]+)\s*=\s*("(?:[^"\\]|\\.)*"|[^;\s]*)/gi

/** A request without a body needs no content type. */
export const checkContentType = (headers: IncomingHttpHeaders): Either.Either<void, string> => {
  const contentType = headers["content-type"]
  if (contentType === "application/json" || !hasBody(headers)) return Either.void
  if (contentType === undefined) return Either.left("the content type is missing: send application/json")
  const [type = ""] = contentType.split(";", 1)
  if (!JSON_TYPE.test(type.trim())) return Either.left("the content type must be application/json")
  for (const [, name = "", value = ""] of contentType.matchAll(PARAMETER)) {
    const isUtf8Charset = /^"?utf-?8"?$/i.test(value)
    if (name.toLowerCase() === "charset" && !isUtf8Charset) return Either.left("the charset must be utf-8")
  }
  return Either.void
}
