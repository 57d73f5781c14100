/** Builds the same layers repeatedly: finds their parts and order once, then only makes the parts. Plants bugs. */
import { Context, Effect, FiberRef, type Layer, Runtime, Scope } from "effect"
import { buildSequentially } from "./SequentialLayers.ts"
import { nothingPlanted, type Planted } from "../bugs/Planting.ts"

// Lazy services are of any type.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Any = any

/** `make` creates the service on first use. */
export type LazyService = (make: () => Any) => unknown

const lazyMember = (member: unknown, name: string, make: () => Any): unknown => {
  if (typeof member === "function") return (...given: ReadonlyArray<unknown>) => make()[name](...given)
  return Effect.isEffect(member) ? Effect.suspend(() => make()[name] as Effect.Effect<unknown>) : make()[name]
}

/** A lazy stand-in for services of this shape; undefined if the shape cannot be imitated. */
export const lazyServiceFor = (service: unknown): LazyService | undefined => {
  if (typeof service === "function" && Object.keys(service).length === 0)
    return (make) =>
      (...given: ReadonlyArray<unknown>) =>
        make()(...given)
  if (typeof service !== "object" || service === null || Object.getPrototypeOf(service) !== Object.prototype)
    return undefined
  // Built once for each shape: every instance has a hundred services.
  const shape = Object.create(null) as object
  for (const [name, member] of Object.entries(service)) {
    Object.defineProperty(shape, name, {
      get(this: { readonly make: () => Any }) {
        return lazyMember(member, name, this.make)
      }
    })
  }
  return (make) => Object.assign(Object.create(shape) as object, { make })
}

type AnyContext = Context.Context<never>
type AnyEffect = Effect.Effect<unknown>

interface Part {
  readonly makes: AnyEffect
  /** Lazy stand-ins for its services; null: made at once. */
  readonly standIns: ReadonlyMap<string, LazyService> | null
}

export interface Plan<A, R> {
  readonly parts: ReadonlyArray<Part>
  readonly _types?: (given: R) => A
}

const isNew = (made: AnyContext, known: ReadonlyMap<string, unknown>): boolean =>
  Array.from(made.unsafeMap).some(([key, service]) => known.get(key) !== service)

const lazyServicesFor = ({ unsafeMap }: AnyContext): Part["standIns"] => {
  const all = new Map<string, LazyService>()
  for (const [key, service] of unsafeMap) {
    const standIn = lazyServiceFor(service)
    if (standIn === undefined) return null
    all.set(key, standIn)
  }
  return all
}

/**
 * Builds the layer once to record its parts. `isLate`: parts are made on first use. Scoped parts are made at once,
 * since they may start fibers.
 */
export const planLayer = <A, E, R>(
  layer: Layer.Layer<A, E, R>,
  given: Context.Context<R>,
  isLate = false
): Plan<A, R> => {
  const known = new Map<string, unknown>(given.unsafeMap)
  const parts: Array<Part> = []
  const scope = Effect.runSync(Scope.make())
  known.set(Scope.Scope.key, scope)
  const building = buildSequentially(scope, layer, given, (made, by, of) => {
    // Each part will see all earlier services, which is correct only if there is one of each.
    for (const [key, service] of of.unsafeMap)
      if (known.get(key) !== service) throw new Error(`there are two of ${key}, and a plan knows one`)
    if (!isNew(made, known)) return
    parts.push({ makes: by, standIns: isLate && !of.unsafeMap.has(Scope.Scope.key) ? lazyServicesFor(made) : null })
    for (const [key, service] of made.unsafeMap) known.set(key, service)
  })
  Effect.runSync(building)
  return { parts }
}

export const applyBugs = <A>(services: Context.Context<A>, planted: Planted): Context.Context<A> => {
  const touched = Array.from(planted).filter(([key]) => services.unsafeMap.has(key))
  if (touched.length === 0) return services
  const all = new Map<string, unknown>(services.unsafeMap)
  for (const [key, wrap] of touched) all.set(key, wrap(all.get(key)))
  return Context.unsafeMake(all)
}

/** The scope is never closed. */
export const buildPlan = <A, R>(
  { parts }: Plan<A, R>,
  given: Context.Context<NoInfer<R>>,
  planted: Planted = nothingPlanted
): Effect.Effect<Context.Context<A>> => {
  const all = new Map<string, unknown>(given.unsafeMap)
  const services = Context.unsafeMake<never>(all)
  const building = Effect.gen(function* () {
    all.set(Scope.Scope.key, yield* Scope.make())
    const runtime = yield* Effect.runtime<never>()
    for (const { makes, standIns } of parts) {
      if (standIns === null) {
        const made = (yield* makes) as AnyContext
        for (const [key, service] of applyBugs(made, planted).unsafeMap) all.set(key, service)
        continue
      }
      let made: AnyContext | undefined
      const make = () => (made ??= applyBugs(Runtime.runSync(runtime)(makes) as AnyContext, planted)).unsafeMap
      for (const [key, standIn] of standIns)
        all.set(
          key,
          standIn(() => make().get(key))
        )
    }
    const made = Array.from(all).filter(([key]) => key !== Scope.Scope.key && !given.unsafeMap.has(key))
    return Context.unsafeMake<A>(new Map(made))
  })
  return Effect.locally(building, FiberRef.currentContext, services)
}
