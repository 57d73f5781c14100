/** The span of a request: it goes on with the caller's trace, and says what was asked and what came of it. */
import { Data, Effect, FiberRef, Option } from "effect"
import type { IncomingMessage } from "node:http"
import { parseTraceparent } from "../observability/TraceContext.ts"
import type { Outgoing } from "./Outgoing.ts"
import { notedFields, type RequestNote } from "./RequestNote.ts"

/** What makes the span of a failed request a failed one. */
class Failed extends Data.TaggedError("Failed")<{ readonly message: string; readonly outgoing: Outgoing }> {}

const attributeNames: Readonly<Record<string, string>> = {
  org_id: "corridor.org_id",
  api_key_id: "corridor.api_key_id",
  user_id: "corridor.user_id",
  payment_id: "corridor.payment_id",
  code: "error.type"
}

const traced = (
  request: IncomingMessage,
  about: { readonly method: string; readonly route: string; readonly note: RequestNote; readonly id: string },
  answered: Effect.Effect<Outgoing>
): Effect.Effect<Outgoing> => {
  const { id, method, note, route } = about
  const parent = parseTraceparent(request.headers["traceparent"])
  // Whoever asks has decided that this trace is not kept.
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
      for (const [name, value] of Object.entries(notedFields(note))) span.attribute(attributeNames[name] ?? name, value)
      return outgoing.status >= 500
        ? Effect.fail(new Failed({ message: `answered with ${outgoing.status}`, outgoing }))
        : Effect.succeed(outgoing)
    })
  ).pipe(Effect.catchAll(({ outgoing }) => Effect.succeed(outgoing)))
}

/** Nothing more than the answer where nobody collects spans. */
export const inRequestSpan = (...[request, about, answered]: Parameters<typeof traced>): Effect.Effect<Outgoing> =>
  Effect.withFiberRuntime((fiber) =>
    fiber.getFiberRef(FiberRef.currentTracerEnabled) ? traced(request, about, answered) : answered
  )
