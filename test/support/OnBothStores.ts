/** Runs a suite on the memory stores and on PostgreSQL. */
import { layer, type Vitest } from "@effect/vitest"
import { Layer } from "effect"
import { StoresLive, StoresMemory } from "../../src/app/Stores.ts"
import { Ids } from "../../src/domain/Ids.ts"
import { TestDatabase } from "./TestDatabase.ts"
import { testSettings } from "./TestSettings.ts"

export const backends = ["memory", "PostgreSQL"] as const
export type Backend = (typeof backends)[number]

/** Every suite has a new database. */
export const storesOn = (backend: Backend) =>
  backend === "memory" ? StoresMemory : StoresLive.pipe(Layer.provide(TestDatabase))

type Provided = Layer.Layer.Success<typeof StoresMemory> | Ids

/** On the real clock, since stores use the database's time. */
export const onBothStores = (name: string, tests: (it: Vitest.MethodsNonLive<Provided, true>) => void): void => {
  for (const backend of backends) {
    const services = storesOn(backend).pipe(Layer.provideMerge(Ids.layer), Layer.provide(testSettings()))
    layer(services, { excludeTestServices: true, timeout: "60 seconds" })(`${name} on ${backend}`, tests)
  }
}
