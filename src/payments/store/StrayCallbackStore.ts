/** Callbacks that belong to no payment of ours, at rest: kept in case one turns up, but not for good. */
import { Context, type Effect } from "effect"

export class StrayCallbackStore extends Context.Tag("corridor/StrayCallbackStore")<
  StrayCallbackStore,
  {
    /** Answers with how many were forgotten, one batch at most. */
    readonly forgetOld: Effect.Effect<number>
  }
>() {}
