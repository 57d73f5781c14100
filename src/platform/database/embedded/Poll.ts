/** Looks again on a schedule until there is an answer; the schedule's end gives the last look's None. */
import { Effect, Option, Schedule } from "effect"

export const poll = <A, E, R>(
  look: Effect.Effect<Option.Option<A>, E, R>,
  schedule: Schedule.Schedule<unknown>
): Effect.Effect<Option.Option<A>, E, R> =>
  Effect.repeat(
    look,
    Schedule.identity<Option.Option<A>>().pipe(Schedule.zipLeft(schedule), Schedule.untilInput(Option.isSome))
  )

/** Whether `condition` came true in time. */
export const pollUntil = <E, R>(
  condition: Effect.Effect<boolean, E, R>,
  schedule: Schedule.Schedule<unknown>
): Effect.Effect<boolean, E, R> =>
  Effect.map(
    poll(
      Effect.map(condition, (met) => (met ? Option.some(met) : Option.none())),
      schedule
    ),
    Option.isSome
  )
