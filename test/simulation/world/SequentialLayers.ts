/** Builds layers one part after the other, in one fiber and one scope, and reports each part. */
import { type Cause, Context, Effect, Exit, FiberRef, type Layer, Scope } from "effect"
import type { YieldWrap } from "effect/Utils"

type BuiltContext = Context.Context<never>
type BuildEffect<A> = Effect.Effect<A, never, never>
type AnyLayer = Layer.Layer<never, unknown, unknown>

/** Effect's internal representation of layers. */
type LayerPart =
  | { readonly _op_layer: "FromEffect" | "Scoped"; readonly effect: BuildEffect<BuiltContext> }
  | { readonly _op_layer: "Suspend"; readonly evaluate: () => AnyLayer }
  | { readonly _op_layer: "Fresh" | "ExtendScope"; readonly layer: AnyLayer }
  | {
      readonly _op_layer: "Fold"
      readonly layer: AnyLayer
      readonly successK: (context: BuiltContext) => AnyLayer
      readonly failureK: (cause: Cause.Cause<never>) => AnyLayer
    }
  | { readonly _op_layer: "Provide"; readonly first: AnyLayer; readonly second: AnyLayer }
  | {
      readonly _op_layer: "ProvideMerge" | "ZipWith"
      readonly first: AnyLayer
      readonly second: AnyLayer
      readonly zipK: (left: BuiltContext, right: BuiltContext) => BuiltContext
    }
  | { readonly _op_layer: "MergeAll"; readonly layers: ReadonlyArray<AnyLayer> }

/** Called with what a part made, by which effect, from which services. */
export type OnBuilt = (made: BuiltContext, by: BuildEffect<BuiltContext>, of: BuiltContext) => void

const within = (effect: BuildEffect<BuiltContext>, env: BuiltContext): BuildEffect<BuiltContext> =>
  Effect.zipRight(FiberRef.set(FiberRef.currentContext, env), effect)

type Building = Generator<YieldWrap<BuildEffect<unknown>>, BuiltContext, never>

const builder = (scope: Scope.Scope, witness: OnBuilt) => {
  const built = new Map<AnyLayer, BuiltContext>()

  function* once(layer: AnyLayer, env: BuiltContext): Building {
    const known = built.get(layer)
    if (known !== undefined) return known
    const context = yield* make(layer, env)
    built.set(layer, context)
    return context
  }

  function* leaf(effect: BuildEffect<BuiltContext>, env: BuiltContext): Building {
    const made = yield* within(effect, env)
    witness(made, effect, env)
    return made
  }

  function* make(layer: AnyLayer, env: BuiltContext): Building {
    const part = layer as unknown as LayerPart
    switch (part._op_layer) {
      case "FromEffect":
        return yield* leaf(part.effect, env)
      case "Scoped":
        return yield* leaf(part.effect, Context.add(env, Scope.Scope, scope))
      case "Suspend":
        return yield* once(part.evaluate(), env)
      case "ExtendScope":
        return yield* once(part.layer, env)
      case "Fresh":
        return yield* builder(scope, witness)(part.layer, env)
      case "Fold": {
        const exit = yield* Effect.exit(Effect.gen(() => once(part.layer, env)))
        return yield* once(Exit.isFailure(exit) ? part.failureK(exit.cause) : part.successK(exit.value), env)
      }
      case "Provide":
        return yield* once(part.second, yield* once(part.first, env))
      case "ProvideMerge":
      case "ZipWith": {
        const left = yield* once(part.first, env)
        return part.zipK(left, yield* once(part.second, env))
      }
      case "MergeAll": {
        const contexts: Array<BuiltContext> = []
        for (const one of part.layers) contexts.push(yield* once(one, env))
        return Context.mergeAll(...contexts)
      }
      default:
        return yield* Effect.die(`a layer of a kind that is not known here: ${JSON.stringify(part)}`)
    }
  }
  return once
}

export const buildSequentially = <A, E, R>(
  scope: Scope.Scope,
  layer: Layer.Layer<A, E, R>,
  given: Context.Context<R>,
  witness: OnBuilt
): Effect.Effect<Context.Context<A>, E> => {
  const env = given as unknown as BuiltContext
  const building = Effect.gen(() => builder(scope, witness)(layer as unknown as AnyLayer, env))
  // Restores the fiber's context.
  return Effect.locally(building, FiberRef.currentContext, env) as unknown as Effect.Effect<Context.Context<A>, E>
}
