/** Callbacks that belong to no payment of ours, at rest: kept in case one turns up, but not for good. */
import { Context } from "effect"
import { providerNames } from "../../domain/Corridor.ts"
import { counter } from "../../platform/observability/Metrics.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"

export const droppedUnmatchedCallbacks = counter(
  "corridor_stray_callbacks_dropped_total",
  "Callbacks about no payment of ours that were dropped because their account had more than 10,000 of them.",
  ["provider"]
)

for (const provider of providerNames) droppedUnmatchedCallbacks([provider], 0)

export class UnmatchedCallbackStore extends Context.Tag("corridor/UnmatchedCallbackStore")<
  UnmatchedCallbackStore,
  {
    /** Answers with how many were forgotten, one batch at most. */
    readonly forgetOld: Stored<number>
  }
>() {}
