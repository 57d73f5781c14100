/** When prompts were sent to a phone number, which is kept as a keyed hash. */
import { Context, Duration } from "effect"
import type { Counted } from "../../platform/notifications/MessageCounts.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"

export interface PromptLimit {
  readonly window: Duration.Duration
  readonly most: number
}

/** Seconds until each limit has room again; 0 where all have. `sent`: when prompts were sent, in milliseconds. */
export const secondsToWait = (
  sent: ReadonlyArray<number>,
  limits: ReadonlyArray<PromptLimit>,
  nowMillis: number
): number => {
  const newest = sent.toSorted((a, b) => b - a)
  const waits = limits.map(({ most, window }) => {
    const last = newest[most - 1]
    return last === undefined ? 0 : (last + Duration.toMillis(window) - nowMillis) / 1000
  })
  return Math.max(0, ...waits.map(Math.ceil))
}

export class PromptStore extends Context.Tag("corridor/PromptStore")<
  PromptStore,
  {
    /** Counts one more now unless a limit is reached, for all instances together. The last limit's window is the longest. */
    readonly count: (counted: string, limits: readonly [PromptLimit, ...ReadonlyArray<PromptLimit>]) => Stored<Counted>
  }
>() {}
