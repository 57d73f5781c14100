/** Handles one request from the socket to its answer: finds the route, calls it, writes, counts and logs. */
import type { IncomingMessage, ServerResponse } from "node:http"
import { Cause, Clock, Effect, Exit, FiberRef, HashMap, LogLevel, Data, Option } from "effect"
import type { Router } from "find-my-way-ts"
import { sqlReasonOf } from "../database/DatabaseFailure.ts"
import { Primary } from "../database/PrimaryFence.ts"
import { busy, type Failure, isDatabaseFailure, maybeWritten, NotFound } from "../../domain/Failure.ts"
import { type Ids, uuidv7 } from "../../domain/Ids.ts"
import { recordRequest, requestEnded, requestStarted } from "../observability/Metrics.ts"
import { type Cors, corsHeaders, isPreflight, preflightHeaders } from "../config/Cors.ts"
import type { AnswerWriter } from "./AnswerWriter.ts"
import {
  defectReply,
  failureReply,
  empty,
  type Outgoing,
  Streamed,
  newNote,
  notedFields,
  type RequestNote,
  type Route
} from "./Route.ts"
import { parseTraceparent } from "../observability/Spans.ts"

/** Headers of every answer: no type sniffing, no caching. */
export const fixedHeaders = { "cache-control": "no-store", "x-content-type-options": "nosniff" }

/** Names a request in its answer and its log lines: by the caller's own token if that is safe to print, else afresh. */
const SANE_TOKEN = /^[A-Za-z0-9._-]{1,128}$/

export const requestId = (header: string | undefined, fresh: () => string): string =>
  header !== undefined && SANE_TOKEN.test(header) ? header : fresh()

/** Marks the span of a failed request as failed. */
class Failed extends Data.TaggedError("Failed")<{ readonly message: string; readonly outgoing: Outgoing }> {}

const attributeNames: Readonly<Record<string, string>> = {
  org_id: "corridor.org_id",
  api_key_id: "corridor.api_key_id",
  user_id: "corridor.user_id",
  payment_id: "corridor.payment_id",
  code: "error.type"
}

/** Adds a span that continues the caller's trace, if spans are collected. */
const inRequestSpan = (
  request: IncomingMessage,
  { id, method, note, route }: Readonly<Record<"id" | "method" | "route", string>> & { readonly note: RequestNote },
  answered: Effect.Effect<Outgoing>
): Effect.Effect<Outgoing> =>
  Effect.withFiberRuntime((fiber) => {
    if (!fiber.getFiberRef(FiberRef.currentTracerEnabled)) return answered
    const parent = parseTraceparent(request.headers["traceparent"])
    // The caller does not sample this trace.
    if (Option.isSome(parent) && !parent.value.sampled) return Effect.withTracerEnabled(answered, false)
    const options = {
      kind: "server",
      captureStackTrace: false,
      attributes: { "http.request.method": method, "http.route": route, "corridor.request_id": id },
      ...(Option.isSome(parent) ? { parent: parent.value } : { root: true })
    } as const
    return Effect.useSpan(`${method} ${route}`, options, (span) =>
      Effect.flatMap(Effect.withParentSpan(answered, span), (outgoing) => {
        span.attribute("http.response.status_code", outgoing.status)
        for (const [name, value] of Object.entries(notedFields(note)))
          span.attribute(attributeNames[name] ?? name, value)
        return outgoing.status >= 500
          ? Effect.fail(new Failed({ message: `answered with ${outgoing.status}`, outgoing }))
          : Effect.succeed(outgoing)
      })
    ).pipe(Effect.catchAll(({ outgoing }) => Effect.succeed(outgoing)))
  })

/**
 * Every path has one spelling, so that the rules of a proxy see the same path as the router. The router itself would
 * decode letters, cut at `;` and `#`, and take a whole URL for its path.
 */
const SEGMENT = /^(?:[\w.~!$&'()*+,=:@-]|%[\dA-Fa-f]{2})+$/
/** Letters, digits and `-._~` stand for themselves. */
const NEEDLESS = /%(?:2[DdEe]|3\d|4[1-9A-Fa-f]|5[\dAaFf]|6[1-9A-Fa-f]|7[\dAaEe])/

const isUtf8 = (segment: string): boolean => {
  try {
    decodeURIComponent(segment)
    return true
  } catch {
    return false
  }
}

const isCanonicalSegment = (segment: string): boolean =>
  SEGMENT.test(segment) &&
  segment !== "." &&
  segment !== ".." &&
  (!segment.includes("%") || (!NEEDLESS.test(segment) && isUtf8(segment)))

const pathOf = (target: string): string => target.split("?", 1)[0]!

/** A parameter may still hold any character that a URL has to escape. */
export const isCanonicalTarget = (target: string): boolean => {
  if (!target.startsWith("/") || target.includes("#")) return false
  const path = pathOf(target)
  return path === "/" || path.slice(1).split("/").every(isCanonicalSegment)
}

const unknownRoute = new NotFound({ message: "There is nothing at this path and method. The reference is at /docs." })

const refused = (note: RequestNote, failure: Failure, path: string): Outgoing => {
  note.code = failure.code
  if ("paymentId" in failure && failure.paymentId !== undefined) note.paymentId = failure.paymentId
  return failureReply(failure, path)
}

const PRIMARY_CHANGED = "The primary changed while the answer was made"

/** Breaks off once the primary has changed: the records that follow would be another server's. */
const ofOneServer = (outgoing: Outgoing, primaryChanged: () => boolean): Outgoing => {
  const { body } = outgoing
  if (!(body instanceof Streamed)) return outgoing
  const next = Effect.flatMap(body.next, (piece) =>
    primaryChanged() ? Effect.dieMessage(PRIMARY_CHANGED) : Effect.succeed(piece)
  )
  return { ...outgoing, body: new Streamed(body.owner, next) }
}

/** The failure to answer with: a refusal first, then a write of unknown result. */
const foremost = (cause: Cause.Cause<Failure>): Failure | undefined => {
  const failures = Array.from(Cause.failures(cause))
  return (
    failures.find((one) => !isDatabaseFailure(one)) ??
    failures.find(({ _tag }) => _tag === "MaybeWritten") ??
    failures[0]
  )
}

const replyTo = Effect.fnUntraced(function* (
  ids: Ids["Type"],
  exit: Exit.Exit<Outgoing, Failure>,
  { method, note, path }: Readonly<Record<"method" | "path", string>> & { readonly note: RequestNote },
  primaryChanged: boolean
) {
  const isRead = ["GET", "HEAD"].includes(method)
  if (Exit.isSuccess(exit)) {
    // Records read from two servers may contradict each other. A write keeps its answer: what it did stands.
    if (!primaryChanged || !isRead) return exit.value
    yield* Effect.logWarning("Too busy", PRIMARY_CHANGED)
    return refused(note, busy(), path)
  }
  // A request that wrote at one server and read at another has failed by the change, not by what it asked for.
  const failure = primaryChanged ? maybeWritten(Cause.squash(exit.cause)) : foremost(exit.cause)
  if (failure === undefined) {
    note.code = "INTERNAL_ERROR"
    const error_id = yield* ids.next
    yield* Effect.logError("Unexpected failure", exit.cause).pipe(Effect.annotateLogs({ error_id }))
    return defectReply(error_id, path)
  }
  if (!isDatabaseFailure(failure)) return refused(note, failure, path)
  const isUnknown = failure._tag === "MaybeWritten"
  yield* Effect.logWarning(isUnknown && !isRead ? "Perhaps written" : "Too busy", sqlReasonOf(failure))
  return refused(note, isUnknown && isRead ? busy() : failure, path)
})

/** A path with a slash at its end is another one, and only a page that sends its readers on from there has one. */
const routeFor = (router: Router<Route>, method: string, target: string) => {
  if (isCanonicalTarget(target)) return router.find(method, target)
  const path = pathOf(target)
  const found = path.endsWith("/") ? router.find(method, path) : undefined
  return found?.handler.path === path ? found : undefined
}

/** Status in the log and the metrics of a request whose caller hung up. */
const CALLER_GONE = 499

export const handleExchange =
  (ids: Ids["Type"], router: Router<Route>, cors: Cors) =>
  (request: IncomingMessage, response: ServerResponse, writer: AnswerWriter): Effect.Effect<void> =>
    Effect.gen(function* () {
      const started = yield* Clock.currentTimeNanos
      const fresh = uuidv7(Number(started / 1_000_000n), yield* ids.bytes(10))
      const id = requestId(request.headers["x-request-id"] as string | undefined, () => fresh)
      const method = request.method ?? "GET"
      const url = request.url ?? "/"
      const headers = { "x-request-id": id, ...fixedHeaders, ...corsHeaders(cors, request.headers) }
      requestStarted()
      const preflight = isPreflight(cors, method, request.headers)
      const found = preflight ? undefined : routeFor(router, method, url)
      const route = preflight ? "(preflight)" : (found?.handler.path ?? "(unknown)")
      const note = newNote()
      const { changes } = yield* Primary
      const before = changes()
      const primaryChanged = () => changes() !== before
      const plain = preflight
        ? Effect.succeed(empty(204, preflightHeaders(cors, request.headers)))
        : found === undefined
          ? Effect.fail(unknownRoute)
          : found.handler.handle({ request, requestId: id, params: found.params, query: found.searchParams, note })
      const answered = Effect.flatMap(Effect.exit(plain), (exit) =>
        replyTo(ids, exit, { method, note, path: pathOf(url) }, primaryChanged())
      ).pipe(Effect.map((outgoing) => ofOneServer(outgoing, primaryChanged)))
      const ended = Effect.fnUntraced(function* (status: number) {
        const nanos = Number((yield* Clock.currentTimeNanos) - started)
        recordRequest(method, route, status, nanos / 1e9)
        if (LogLevel.greaterThan(yield* FiberRef.get(FiberRef.currentMinimumLogLevel), LogLevel.Info)) return
        const duration_ms = Math.round(nanos / 1e4) / 100
        yield* Effect.logInfo("Request").pipe(
          Effect.annotateLogs(notedFields(note)),
          Effect.annotateLogs({ method, route, status, duration_ms })
        )
      })
      // The fiber is this request's own: what is set for it need not be set back.
      yield* FiberRef.update(FiberRef.currentLogAnnotations, HashMap.set<string, unknown>("request_id", id))
      yield* Effect.gen(function* () {
        const outgoing = yield* inRequestSpan(request, { method, route, note, id }, answered)
        if (response.headersSent || response.destroyed) return yield* ended(outgoing.status)
        if (writer.writeAtOnce(response, outgoing, headers)) return yield* ended(outgoing.status)
        const refusal = yield* Effect.match(writer.write(request, response, outgoing, headers), {
          onSuccess: () => undefined,
          onFailure: (failure) => refused(note, failure, pathOf(url))
        })
        if (refusal !== undefined) writer.writeAtOnce(response, refusal, headers)
        yield* ended((refusal ?? outgoing).status)
      }).pipe(
        Effect.onExit((exit) => {
          requestEnded()
          return Exit.isInterrupted(exit) ? ended(CALLER_GONE) : Effect.void
        })
      )
    })
