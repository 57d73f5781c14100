/** The time of a clock that only goes forward, whatever is done to the machine's. */
import { Clock, Effect } from "effect"

export const monotonicMillis = Effect.map(Clock.currentTimeNanos, (nanos) => Number(nanos / 1_000_000n))
