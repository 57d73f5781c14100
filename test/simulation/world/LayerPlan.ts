/**
 * Builds the same layers again and again, which is what most of a short run would be spent on: which parts there are, and in
 * which order, is found out once, and each build only makes them. Bugs are planted in what is made.
 */
import { Context, Effect, FiberRef, type Layer, Runtime, Scope } from "effect"
import { buildSequentially } from "./SequentialLayers.ts"
import { nothingPlanted, type Planted } from "../bugs/Planting.ts"

/** Stands in for a service until somebody asks it for something, and has it made then. */

// A stand-in is for services of any kind.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Any = any

/** `make`: the service itself, made at the first time. */
export type LazyService = (make: () => Any) => unknown

const lazyMember = (member: unknown, name: string, make: () => Any): unknown => {
  if (typeof member === "function") return (...given: ReadonlyArray<unknown>) => make()[name](...given)
  return Effect.isEffect(member) ? Effect.suspend(() => make()[name] as Effect.Effect<unknown>) : make()[name]
}

/** For services that look like this one; nothing for what is neither a function nor a record. */
export const lazyServiceFor = (service: unknown): LazyService | undefined => {
  if (typeof service === "function" && Object.keys(service).length === 0)
    return (make) =>
      (...given: ReadonlyArray<unknown>) =>
        make()(...given)
  if (typeof service !== "object" || service === null || Object.getPrototypeOf(service) !== Object.prototype)
    return undefined
  // What is the same of all of them is made once: there are a hundred in each instance of each run.
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
  /** Who stands in for what it makes until somebody asks for it; nothing where it is made at once. */
  readonly standIns: ReadonlyMap<string, LazyService> | null
}

export interface Plan<A, R> {
  readonly parts: ReadonlyArray<Part>
  /** What it makes, of what it is given. */
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
 * By building it once, of services that are like those that it will be given. `isLate`: a part is made when somebody first
 * asks for something of it, which in most runs is few of them; what has a scope may do something by itself, and is not late.
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
    // Each part will see all that was made before it: that is the same only while there is one of each.
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

/** In a scope that is never closed. */
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
