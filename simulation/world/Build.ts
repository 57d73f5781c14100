/**
 * Builds a layer one part after the other, in one scope that is never closed. Layer.build does so concurrently, with a
 * fiber for each part, at ten times the price; a simulation builds the whole service thousands of times a minute.
 */
import { Context, Effect, type Layer, Scope } from "effect"
import { nothingPlanted, type Planted } from "../bugs/Bug.ts"

type AnyContext = Context.Context<never>
type AnyEffect<A> = Effect.Effect<A, never, never>
type AnyLayer = Layer.Layer<never, unknown, unknown>

/** The parts that layers are made of, as the library has them. */
type Part =
  | { readonly _op_layer: "FromEffect" | "Scoped"; readonly effect: AnyEffect<AnyContext> }
  | { readonly _op_layer: "Suspend"; readonly evaluate: () => AnyLayer }
  | { readonly _op_layer: "Fresh" | "ExtendScope"; readonly layer: AnyLayer }
  | { readonly _op_layer: "Fold"; readonly layer: AnyLayer; readonly successK: (context: AnyContext) => AnyLayer }
  | { readonly _op_layer: "Provide"; readonly first: AnyLayer; readonly second: AnyLayer }
  | {
      readonly _op_layer: "ProvideMerge" | "ZipWith"
      readonly first: AnyLayer
      readonly second: AnyLayer
      readonly zipK: (left: AnyContext, right: AnyContext) => AnyContext
    }
  | { readonly _op_layer: "MergeAll"; readonly layers: ReadonlyArray<AnyLayer> }

const wrapped = (context: AnyContext, planted: Planted): AnyContext => {
  const touched = Array.from(planted).filter(([key]) => context.unsafeMap.has(key))
  if (touched.length === 0) return context
  const services = new Map<string, unknown>(context.unsafeMap)
  for (const [key, wrap] of touched) services.set(key, wrap(services.get(key)))
  return Context.unsafeMake(services)
}

const builder = (scope: Scope.Scope, planted: Planted) => {
  const built = new Map<AnyLayer, AnyContext>()

  const once = (layer: AnyLayer, env: AnyContext): AnyEffect<AnyContext> => {
    const known = built.get(layer)
    if (known !== undefined) return Effect.succeed(known)
    return Effect.map(make(layer, env), (context) => {
      built.set(layer, context)
      return context
    })
  }

  const make = (layer: AnyLayer, env: AnyContext): AnyEffect<AnyContext> => {
    const part = layer as unknown as Part
    switch (part._op_layer) {
      case "FromEffect":
        return Effect.map(
          Effect.mapInputContext(part.effect, () => env),
          (made) => wrapped(made, planted)
        )
      case "Scoped":
        return Effect.map(
          Effect.mapInputContext(part.effect, () => Context.add(env, Scope.Scope, scope)),
          (made) => wrapped(made, planted)
        )
      case "Suspend":
        return once(part.evaluate(), env)
      case "ExtendScope":
        return once(part.layer, env)
      case "Fresh":
        return builder(scope, planted)(part.layer, env)
      case "Fold":
        return Effect.flatMap(once(part.layer, env), (context) => once(part.successK(context), env))
      case "Provide":
        return Effect.flatMap(once(part.first, env), (context) => once(part.second, context))
      case "ProvideMerge":
      case "ZipWith":
        return Effect.flatMap(once(part.first, env), (left) =>
          Effect.map(once(part.second, env), (right) => part.zipK(left, right))
        )
      case "MergeAll":
        return Effect.map(
          Effect.forEach(part.layers, (one) => once(one, env)),
          (contexts) => Context.mergeAll(...contexts)
        )
    }
  }
  return once
}

/** What every layer of the service needs that is built here is built once, as the library does it. */
export const buildInTurn = <A>(
  layer: Layer.Layer<A>,
  planted: Planted = nothingPlanted
): Effect.Effect<Context.Context<A>> =>
  Effect.flatMap(
    Scope.make(),
    (scope) =>
      builder(scope, planted)(layer as unknown as AnyLayer, Context.empty()) as unknown as Effect.Effect<
        Context.Context<A>
      >
  )
