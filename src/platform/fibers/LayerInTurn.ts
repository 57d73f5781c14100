/**
 * Builds layers one part after the other, in one fiber and one scope. The library builds them concurrently, with a fiber
 * and a scope for each part, at several times the price: the service has some two hundred parts, none of which is worth
 * waiting for beside another.
 */
import { type Cause, Context, Effect, Layer, Scope } from "effect"

type AnyContext = Context.Context<never>
type AnyEffect<A> = Effect.Effect<A, never, never>
type AnyLayer = Layer.Layer<never, unknown, unknown>

/** The parts that layers are made of, as the library has them. */
type Part =
  | { readonly _op_layer: "FromEffect" | "Scoped"; readonly effect: AnyEffect<AnyContext> }
  | { readonly _op_layer: "Suspend"; readonly evaluate: () => AnyLayer }
  | { readonly _op_layer: "Fresh" | "ExtendScope"; readonly layer: AnyLayer }
  | {
      readonly _op_layer: "Fold"
      readonly layer: AnyLayer
      readonly successK: (context: AnyContext) => AnyLayer
      readonly failureK: (cause: Cause.Cause<never>) => AnyLayer
    }
  | { readonly _op_layer: "Provide"; readonly first: AnyLayer; readonly second: AnyLayer }
  | {
      readonly _op_layer: "ProvideMerge" | "ZipWith"
      readonly first: AnyLayer
      readonly second: AnyLayer
      readonly zipK: (left: AnyContext, right: AnyContext) => AnyContext
    }
  | { readonly _op_layer: "MergeAll"; readonly layers: ReadonlyArray<AnyLayer> }

/** Sees what each part has made, and may put something else in its place. */
export type Touch = (made: AnyContext) => AnyContext

const untouched: Touch = (made) => made

const builder = (scope: Scope.Scope, touch: Touch) => {
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
          touch
        )
      case "Scoped":
        return Effect.map(
          Effect.mapInputContext(part.effect, () => Context.add(env, Scope.Scope, scope)),
          touch
        )
      case "Suspend":
        return once(part.evaluate(), env)
      case "ExtendScope":
        return once(part.layer, env)
      case "Fresh":
        return builder(scope, touch)(part.layer, env)
      case "Fold":
        return Effect.matchCauseEffect(once(part.layer, env), {
          onFailure: (cause) => once(part.failureK(cause), env),
          onSuccess: (context) => once(part.successK(context), env)
        })
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
      default:
        return Effect.die(`a layer of a kind that is not known here: ${JSON.stringify(part)}`)
    }
  }
  return once
}

/** What several parts need is built once, as the library does it. */
export const buildInTurn = <A, E, R>(
  scope: Scope.Scope,
  layer: Layer.Layer<A, E, R>,
  given: Context.Context<R>,
  touch: Touch = untouched
): Effect.Effect<Context.Context<A>, E> =>
  builder(scope, touch)(layer as unknown as AnyLayer, given as unknown as AnyContext) as unknown as Effect.Effect<
    Context.Context<A>,
    E
  >

/** The same layer, whoever builds it. */
export const layerInTurn = <A, E, R>(layer: Layer.Layer<A, E, R>): Layer.Layer<A, E, R> =>
  Layer.scopedContext(
    Effect.contextWithEffect((given: Context.Context<R | Scope.Scope>) =>
      buildInTurn(Context.get(given, Scope.Scope), layer, given)
    )
  ) as Layer.Layer<A, E, R>
