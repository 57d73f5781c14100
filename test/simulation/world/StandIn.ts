/** Stands in for a service until somebody asks it for something, and has it made then. */
import { Effect } from "effect"

// A stand-in is for services of any kind.
// eslint-disable-next-line @typescript-eslint/no-explicit-any
type Any = any

/** `make`: the service itself, made at the first time. */
export type StandIn = (make: () => Any) => unknown

const later = (member: unknown, name: string, make: () => Any): unknown => {
  if (typeof member === "function") return (...given: ReadonlyArray<unknown>) => make()[name](...given)
  return Effect.isEffect(member) ? Effect.suspend(() => make()[name] as Effect.Effect<unknown>) : make()[name]
}

/** For services that look like this one; nothing for what is neither a function nor a record. */
export const standInFor = (service: unknown): StandIn | undefined => {
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
        return later(member, name, this.make)
      }
    })
  }
  return (make) => Object.assign(Object.create(shape) as object, { make })
}
