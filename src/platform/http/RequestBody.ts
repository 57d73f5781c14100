/**
 * Takes a request's body off Node's own events, which is several times cheaper than a stream pipeline, and refuses
 * what is too large in a way that lets the client read the refusal instead of a connection reset.
 */
import { isUtf8 } from "node:buffer"
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http"
import { Data, Effect, Either } from "effect"
import { UnsupportedMediaType } from "../../domain/Failure.ts"
import { bodyDrainTimeout } from "../../domain/policies/ServerPolicies.ts"

export const MAX_BODY_BYTES = 256 * 1024
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

const waitsForInvitation = (headers: IncomingHttpHeaders): boolean =>
  headers.expect !== undefined && /100-continue/i.test(headers.expect)

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

interface BodyEvents {
  readonly onData: (chunk: Buffer) => void
  readonly onEnd: () => void
  readonly onAbort: (cause?: unknown) => void
}

/** Returns the function that stops listening. */
const listen = (request: IncomingMessage, { onAbort, onData, onEnd }: BodyEvents): (() => void) => {
  request.on("data", onData).on("end", onEnd).on("error", onAbort).on("close", onAbort)
  return () => {
    request.off("data", onData).off("end", onEnd).off("error", onAbort).off("close", onAbort)
  }
}

/** Succeeds with undefined, and the request paused, as soon as the body has grown over the limit. */
const collect = (request: IncomingMessage, limit: number) =>
  Effect.async<Buffer | undefined, BodyAborted>((resume) => {
    if (request.destroyed) return resume(new BodyAborted({}))
    const chunks: Array<Buffer> = []
    let size = 0
    const stop = listen(request, {
      onData: (chunk) => {
        size += chunk.length
        if (size <= limit) {
          chunks.push(chunk)
          return
        }
        stop()
        request.pause()
        resume(Effect.succeed(undefined))
      },
      onEnd: () => {
        stop()
        resume(Effect.succeed(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks, size)))
      },
      onAbort: (cause) => {
        stop()
        resume(new BodyAborted({ cause }))
      }
    })
    return Effect.sync(stop)
  })

/** Succeeds with whether the body came to its end. */
const drain = (request: IncomingMessage) =>
  Effect.async<boolean, BodyAborted>((resume) => {
    // The part that grew over the limit may have been the last one.
    if (request.complete) return resume(Effect.succeed(true))
    if (request.destroyed) return resume(new BodyAborted({}))
    let size = 0
    const stop = listen(request, {
      onData: (chunk) => {
        size += chunk.length
        if (size <= MAX_DRAINED_BYTES) return
        stop()
        request.pause()
        resume(Effect.succeed(false))
      },
      onEnd: () => {
        stop()
        resume(Effect.succeed(true))
      },
      onAbort: (cause) => {
        stop()
        resume(new BodyAborted({ cause }))
      }
    })
    request.resume()
    return Effect.sync(stop)
  }).pipe(Effect.timeoutTo({ duration: bodyDrainTimeout, onTimeout: () => false, onSuccess: (ended) => ended }))

const drainAndRefuse = (request: IncomingMessage, limit: number) =>
  Effect.flatMap(drain(request), (ended) => new BodyTooLarge({ limit, closeConnection: !ended }))

const EMPTY = Buffer.alloc(0)

export const readBody = (
  request: IncomingMessage,
  limit: number = MAX_BODY_BYTES
): Effect.Effect<Buffer, BodyTooLarge | BodyAborted> =>
  Effect.suspend(() => {
    const { headers } = request
    if (!hasBody(headers)) return Effect.succeed(EMPTY)
    const declared = declaredLength(headers)
    if (declared <= limit) {
      return Effect.flatMap(collect(request, limit), (body) =>
        body === undefined ? drainAndRefuse(request, limit) : Effect.succeed(body)
      )
    }
    const hopeless = waitsForInvitation(headers) || declared > MAX_DRAINED_BYTES
    return hopeless ? new BodyTooLarge({ limit, closeConnection: true }) : drainAndRefuse(request, limit)
  })

const notUnderstood = new UnsupportedMediaType({
  message: "Content-Encoding: is not understood; send the body as it is."
})

const isPacked = (headers: IncomingHttpHeaders): boolean => {
  const encoding = headers["content-encoding"]
  return encoding !== undefined && hasBody(headers) && encoding.trim().toLowerCase() !== "identity"
}

/** No body is unpacked here: what was packed would be read as something that it is not. */
export const readPlainBody = (
  request: IncomingMessage
): Effect.Effect<Buffer, BodyTooLarge | BodyAborted | UnsupportedMediaType> =>
  isPacked(request.headers) ? Effect.fail(notUnderstood) : readBody(request)

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
