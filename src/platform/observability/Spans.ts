/** Spans of the payment path. Without a collector not even their names are built. */
import { Effect, FiberRef, GlobalValue, Option, Tracer, Utils } from "effect"

/** The header `traceparent` of the W3C, which rows keep too. */
const FORM = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/

/** Later versions may have more fields than version 00. */
const isOfForm = (text: string): boolean => !text.startsWith("00-") || text.length === 55

/** Parent span; none for a malformed header, which is ignored. */
export const parseTraceparent = (text: unknown): Option.Option<Tracer.ExternalSpan> => {
  const parts = typeof text === "string" && isOfForm(text) ? FORM.exec(text) : null
  if (parts === null) return Option.none()
  const [, traceId = "", spanId = "", flags = "00"] = parts
  return Option.some(Tracer.externalSpan({ traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 }))
}

const traceparentOf = ({ sampled, spanId, traceId }: Tracer.AnySpan): string =>
  `00-${traceId}-${spanId}-${sampled ? "01" : "00"}`

/** Of the current span; undefined if it is not traced. */
export const currentTraceparent: Effect.Effect<string | undefined> = Effect.withFiberRuntime((fiber) => {
  const { currentSpan } = fiber
  const isTraced = currentSpan !== undefined && fiber.getFiberRef(FiberRef.currentTracerEnabled)
  return Effect.succeed(isTraced ? traceparentOf(currentSpan) : undefined)
})

export const spanned =
  (name: () => string, options?: () => Tracer.SpanOptions) =>
  <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.withFiberRuntime((fiber) =>
      fiber.getFiberRef(FiberRef.currentTracerEnabled) ? Effect.withSpan(effect, name(), options?.()) : effect
    )

type Body = (...given: Array<unknown>) => Effect.Effect<unknown, unknown>
type Step = (effect: Effect.Effect<unknown, unknown>, ...given: Array<unknown>) => Effect.Effect<unknown, unknown>

/**
 * `Effect.fn` without its price where no spans are collected: each of its calls copies and compares all services of the
 * fiber, about 100 µs.
 */
export const traced = (name: string) =>
  ((body: Body, ...steps: Array<Step>): Body => {
    const run = Utils.isGeneratorFunction(body) ? (Effect.fnUntraced as unknown as (body: Body) => Body)(body) : body
    const plain: Body = (...given) => steps.reduce((effect, step) => step(effect, ...given), run(...given))
    const inSpan = (Effect.fn(name) as unknown as (body: Body, ...steps: Array<Step>) => Body)(body, ...steps)
    return (...given) =>
      Effect.withFiberRuntime((fiber) =>
        fiber.getFiberRef(FiberRef.currentTracerEnabled) ? inSpan(...given) : plain(...given)
      )
  }) as unknown as Effect.fn.Gen & Effect.fn.NonGen

/** Whether spans are collected. Workers that poll trace only the work they find. */
export const collectsSpans: FiberRef.FiberRef<boolean> = GlobalValue.globalValue("corridor/collectsSpans", () =>
  FiberRef.unsafeMake(false)
)

/** Disables spans, for a worker that looks for work. */
export const unspanned = Effect.withTracerEnabled(false)

interface Run {
  readonly name: string
  /** Of the request that caused the run, if it was traced. */
  readonly traceparent: string | null | undefined
  readonly kind?: Tracer.SpanKind
  readonly attributes?: Readonly<Record<string, unknown>>
  /** Continues the trace of the request instead of linking to it. */
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
