/** Time for limits and ages within one process: it never jumps when somebody, or NTP, sets the machine's clock. */
import { Clock, Effect } from "effect"

/** Milliseconds since some fixed moment. The live clock counts them by the processor's timer, a test's clock as it is told. */
export const monotonicMillis: Effect.Effect<number> = Effect.map(Clock.currentTimeNanos, (nanos) => Number(nanos) / 1e6)
