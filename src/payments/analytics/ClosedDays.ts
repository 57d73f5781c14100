/**
 * Keeps the counts of days that are over, all of whose payments are settled: nothing can change them any more. What is
 * kept is what counting again would give, so it does not matter when, how often or by how many instances it is done.
 */
import { Context, type Effect } from "effect"

export class ClosedDays extends Context.Tag("corridor/ClosedDays")<
  ClosedDays,
  {
    /** Answers with the number of days that were closed. */
    readonly closeAll: Effect.Effect<number>
  }
>() {}
