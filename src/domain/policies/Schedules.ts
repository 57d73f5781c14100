/** Delays, and the delay after the nth failure. */
import { type Array as Arr, Duration, Effect, type Option, Schedule, ScheduleDecision, ScheduleIntervals } from "effect"

export type Delays = Arr.NonEmptyReadonlyArray<Duration.Duration>

export const inTurn = ([first, ...rest]: Delays) => Schedule.fromDelays(first, ...rest)

/**
 * Delay of a schedule after the nth failure; none once the schedule is over. Count and next time are stored in a row,
 * so no fiber sleeps for longer than a poll.
 */
export const nthDelay = <Out, R>(
  schedule: Schedule.Schedule<Out, unknown, R>,
  nth: number
): Effect.Effect<Option.Option<Duration.Duration>, never, R> => {
  const step = (state: unknown, now: number, left: number): Effect.Effect<Option.Option<Duration.Duration>, never, R> =>
    Effect.flatMap(schedule.step(now, undefined, state), ([next, , decision]) => {
      if (ScheduleDecision.isDone(decision)) return Effect.succeedNone
      const at = ScheduleIntervals.start(decision.intervals)
      return left <= 1 ? Effect.succeedSome(Duration.millis(at - now)) : step(next, at, left - 1)
    })
  return step(schedule.initial, 0, nth)
}
