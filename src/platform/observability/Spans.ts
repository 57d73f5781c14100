/** Spans for the path that every payment takes: where nobody collects them, not even their names are made. */
import { Effect, FiberRef, type Tracer } from "effect"

export const spanned =
  (name: () => string, options?: Tracer.SpanOptions) =>
  <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.flatMap(FiberRef.get(FiberRef.currentTracerEnabled), (traced) =>
      traced ? Effect.withSpan(effect, name(), options) : effect
    )
