/** Spans for the path that every payment takes: where nobody collects them, not even their names are made. */
import { Effect, FiberRef, GlobalValue, Option, type Tracer } from "effect"
import { parseTraceparent } from "./TraceContext.ts"

export const spanned =
  (name: () => string, options?: () => Tracer.SpanOptions) =>
  <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.withFiberRuntime((fiber) =>
      fiber.getFiberRef(FiberRef.currentTracerEnabled) ? Effect.withSpan(effect, name(), options?.()) : effect
    )

/** Whether spans are collected at all. Of a worker that looks for work, only the work itself is traced. */
export const collectsSpans: FiberRef.FiberRef<boolean> = GlobalValue.globalValue("corridor/collectsSpans", () =>
  FiberRef.unsafeMake(false)
)

/** What a worker does besides its work, such as looking whether there is any. */
export const unspanned = Effect.withTracerEnabled(false)

interface Run {
  readonly name: string
  /** Of the request that caused it, where one did that was traced. */
  readonly traceparent: string | null | undefined
  readonly kind?: Tracer.SpanKind
  readonly attributes?: Readonly<Record<string, unknown>>
  /** It goes on with the request's own trace, and does not begin another that refers to it. */
  readonly continues?: boolean
}

/** A worker's run: a trace of its own, with a link to the request that caused it. */
export const asRun =
  ({ attributes, continues = false, kind = "consumer", name, traceparent }: Run) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.flatMap(FiberRef.get(collectsSpans), (collected) => {
      if (!collected) return effect
      const cause = parseTraceparent(traceparent)
      const links = Option.toArray(cause).map((span) => ({ _tag: "SpanLink" as const, span, attributes: {} }))
      const origin = continues && Option.isSome(cause) ? { parent: cause.value } : { root: true }
      return effect.pipe(
        Effect.withSpan(name, { ...origin, links, kind, captureStackTrace: false, ...(attributes && { attributes }) }),
        Effect.withTracerEnabled(true)
      )
    })
