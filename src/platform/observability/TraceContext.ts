/** Which trace something belongs to, as others are told (the header `traceparent` of the W3C) and as rows keep it. */
import { Effect, FiberRef, Option, Tracer } from "effect"

const FORM = /^(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(?:-.*)?$/

/** Later versions may have more to say behind what version 00 ends with. */
const isOfForm = (text: string): boolean => !text.startsWith("00-") || text.length === 55

/** None where it is not one: whoever sent it is answered all the same. */
export const parseTraceparent = (text: unknown): Option.Option<Tracer.ExternalSpan> => {
  const parts = typeof text === "string" && isOfForm(text) ? FORM.exec(text) : null
  if (parts === null) return Option.none()
  const [, traceId = "", spanId = "", flags = "00"] = parts
  return Option.some(Tracer.externalSpan({ traceId, spanId, sampled: (Number.parseInt(flags, 16) & 1) === 1 }))
}

export const traceparentOf = ({ sampled, spanId, traceId }: Tracer.AnySpan): string =>
  `00-${traceId}-${spanId}-${sampled ? "01" : "00"}`

/** Of what is done now; nothing where it is not traced. */
export const currentTraceparent: Effect.Effect<string | undefined> = Effect.withFiberRuntime((fiber) => {
  const { currentSpan } = fiber
  const isTraced = currentSpan !== undefined && fiber.getFiberRef(FiberRef.currentTracerEnabled)
  return Effect.succeed(isTraced ? traceparentOf(currentSpan) : undefined)
})
