/** The time of a clock that only goes forward, whatever is done to the machine's. */
import { type Clock, Effect } from "effect"

export const monotonicNow = (clock: Clock.Clock): number => Number(clock.unsafeCurrentTimeNanos() / 1_000_000n)

export const monotonicMillis = Effect.map(Effect.clock, monotonicNow)
