import { expect, it } from "@effect/vitest"
import { Effect, Tracer } from "effect"
import { traced } from "../../../src/platform/observability/Spans.ts"

const half = traced("Halves.half")(
  function* (n: number) {
    if (n % 2 === 1) return yield* Effect.fail(`${n} is odd`)
    yield* Effect.yieldNow()
    return n / 2
  },
  (found, n) => Effect.map(found, (value) => `${n} / 2 = ${value}`)
)
const double = traced("Halves.double")((n: number) => Effect.succeed(2 * n))

/** Names of the spans that ended. */
const collecting = <A, E>(effect: Effect.Effect<A, E>) => {
  const names: Array<string> = []
  const native = Effect.runSync(Effect.tracer)
  const tracer = Tracer.make({
    context: (run) => run(),
    span: (name, ...rest) => {
      const span = native.span(name, ...rest)
      names.push(name)
      return span
    }
  })
  return Effect.map(Effect.withTracer(effect, tracer), (result) => ({ names, result }))
}

const all = Effect.all([half(8), Effect.flip(half(7)), double(4)])
const results = ["8 / 2 = 4", "7 is odd", 8]

it.effect("A traced function has a span of its name", () =>
  Effect.gen(function* () {
    const { names, result } = yield* collecting(all)
    expect(result).toEqual(results)
    expect(names).toEqual(["Halves.half", "Halves.half", "Halves.double"])
  })
)

it.effect("Without tracing it gives the same, and makes none", () =>
  Effect.gen(function* () {
    const { names, result } = yield* collecting(Effect.withTracerEnabled(all, false))
    expect(result).toEqual(results)
    expect(names).toEqual([])
  })
)
