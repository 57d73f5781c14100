/** Layers that are built one part after the other: what comes of them is what the library makes of the same layers. */
import { describe, expect, it } from "@effect/vitest"
import { Context, Effect, Exit, FiberRef, Layer, Logger, LogLevel, Scope } from "effect"
import { layerInTurn } from "../../../src/platform/fibers/LayerInTurn.ts"

class Base extends Context.Tag("Base")<Base, string>() {}
class Left extends Context.Tag("Left")<Left, string>() {}
class Right extends Context.Tag("Right")<Right, string>() {}

/** Each says when it is built and when it is let go. */
const parts = () => {
  const told: Array<string> = []
  const saying = (name: string) =>
    Effect.acquireRelease(
      Effect.sync(() => told.push(`build ${name}`)),
      () => Effect.sync(() => told.push(`release ${name}`))
    )
  const base = Layer.scoped(Base, Effect.as(saying("base"), "base"))
  const left = Layer.scoped(
    Left,
    Effect.zipRight(
      saying("left"),
      Effect.map(Base, (below) => `left on ${below}`)
    )
  )
  const right = Layer.scoped(
    Right,
    Effect.zipRight(
      saying("right"),
      Effect.map(Base, (below) => `right on ${below}`)
    )
  )
  return { told, base, left, right }
}

describe("layers that are built in turn", () => {
  it.effect("build once what several need, and let go of it last", () =>
    Effect.gen(function* () {
      const { base, left, right, told } = parts()
      const both = Layer.merge(Layer.provide(left, base), Layer.provide(right, base))
      const made = yield* Effect.all([Left, Right]).pipe(Effect.provide(layerInTurn(both)))
      expect(made).toEqual(["left on base", "right on base"])
      expect(told).toEqual([
        ...["build base", "build left", "build right"],
        ...["release right", "release left", "release base"]
      ])
    })
  )

  it.effect("take what they need from whoever provides it", () =>
    Effect.gen(function* () {
      const { left } = parts()
      const made = yield* Left.pipe(Effect.provide(layerInTurn(left)), Effect.provideService(Base, "elsewhere"))
      expect(made).toBe("left on elsewhere")
    })
  )

  it.effect("build again what is asked for afresh", () =>
    Effect.gen(function* () {
      const { base, left, right, told } = parts()
      const both = Layer.merge(Layer.provide(left, base), Layer.fresh(Layer.provide(right, base)))
      yield* Effect.all([Left, Right]).pipe(Effect.provide(layerInTurn(both)))
      expect(told.filter((one) => one === "build base")).toHaveLength(2)
    })
  )

  it.effect("fail as their part does, and let go of what was there by then", () =>
    Effect.gen(function* () {
      const { base, told } = parts()
      const broken = Layer.effect(Left, Effect.zipRight(Base, Effect.fail("no left")))
      const exit = yield* Left.pipe(Effect.provide(layerInTurn(Layer.provide(broken, base))), Effect.exit)
      expect(exit).toEqual(Exit.fail("no left"))
      expect(told).toEqual(["build base", "release base"])
      const dead = yield* Left.pipe(Effect.provide(layerInTurn(Layer.orDie(Layer.provide(broken, base)))), Effect.exit)
      expect(dead).toEqual(Exit.die("no left"))
      const other = Layer.orElse(broken, () => Layer.succeed(Left, "another"))
      expect(yield* Left.pipe(Effect.provide(layerInTurn(Layer.provide(other, base))))).toBe("another")
    })
  )

  it.effect(
    "let go of a part among the services that it was built with, and change nothing for whoever closes it",
    () =>
      Effect.gen(function* () {
        const seen: Array<ReadonlyArray<boolean>> = []
        const services = Effect.map(Effect.context<never>(), ({ unsafeMap }) =>
          [Base, Left, Right].map(({ key }) => unsafeMap.has(key))
        )
        const look = Effect.tap(services, (found) => Effect.sync(() => seen.push(found)))
        const leaving = Effect.acquireRelease(Effect.void, () => look)
        const base = Layer.scoped(
          Base,
          Effect.as(
            Effect.andThen(
              leaving,
              Effect.addFinalizer(() => look)
            ),
            "base"
          )
        )
        const left = Layer.scoped(Left, Effect.as(Effect.andThen(Base, leaving), "left"))
        const scope = yield* Scope.make()
        yield* Layer.buildWithScope(layerInTurn(Layer.provide(left, base)), scope)
        const after = yield* Effect.zipRight(Scope.close(scope, Exit.void), services).pipe(
          Effect.provideService(Right, "who closes it")
        )
        expect(seen).toEqual([
          [true, false, false],
          [false, false, false],
          [false, false, false]
        ])
        expect(after).toEqual([false, false, true])
      })
  )

  it.effect("set for the others what a layer sets for all", () =>
    Effect.gen(function* () {
      const level = FiberRef.get(FiberRef.currentMinimumLogLevel)
      const seen = Layer.effect(
        Left,
        Effect.map(level, ({ label }) => label)
      )
      const quiet = Layer.provideMerge(seen, Logger.minimumLogLevel(LogLevel.Fatal))
      const told = yield* Effect.all([Left, Effect.map(level, ({ label }) => label)]).pipe(
        Effect.provide(layerInTurn(quiet))
      )
      expect(told).toEqual(["FATAL", "FATAL"])
    })
  )
})
