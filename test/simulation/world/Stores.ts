/** The one database of a run and every store over it, which all of its instances share. */
import { Layer } from "effect"
import { StoresOverMemory } from "../../../src/app/Stores.ts"
import { MemoryDatabase } from "../../../src/platform/database/MemoryDatabase.ts"
import { planOf } from "./Build.ts"
import { surroundings } from "./Surroundings.ts"

const stores = StoresOverMemory.pipe(Layer.provideMerge(MemoryDatabase.layer))

export type Stores = Layer.Layer.Success<typeof stores>

export const storesPlan = planOf(stores, surroundings)
