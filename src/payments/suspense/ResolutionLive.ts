/** What a person settles, with all that it takes of suspense. */
import { Layer } from "effect"
import { Resolution } from "./Resolution.ts"
import { Suspense } from "./Suspense.ts"
import { SuspenseReturn } from "./SuspenseReturn.ts"

export const ResolutionLive = Resolution.layer.pipe(
  Layer.provide(SuspenseReturn.layer.pipe(Layer.provideMerge(Suspense.layer)))
)
