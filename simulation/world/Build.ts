/** Builds a layer with bugs planted in it, in a scope that is never closed. */
import { Context, Effect, type Layer, Scope } from "effect"
import { buildInTurn } from "../../src/platform/fibers/LayerInTurn.ts"
import { nothingPlanted, type Planted } from "../bugs/Bug.ts"

const wrapping =
  (planted: Planted) =>
  (made: Context.Context<never>): Context.Context<never> => {
    const touched = Array.from(planted).filter(([key]) => made.unsafeMap.has(key))
    if (touched.length === 0) return made
    const services = new Map<string, unknown>(made.unsafeMap)
    for (const [key, wrap] of touched) services.set(key, wrap(services.get(key)))
    return Context.unsafeMake(services)
  }

export const buildWith = <A>(
  layer: Layer.Layer<A>,
  planted: Planted = nothingPlanted
): Effect.Effect<Context.Context<A>> =>
  Effect.flatMap(Scope.make(), (scope) => buildInTurn(scope, layer, Context.empty(), wrapping(planted)))
