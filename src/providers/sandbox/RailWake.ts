/** Tells the worker of this process about callbacks that fall due before it would look again. */
import { Duration, Effect, Queue } from "effect"
import { workerPoll } from "../../domain/policies/Server.ts"
import type { NewRailTimer } from "./RailPayment.ts"

export const makeWake = Effect.map(Queue.sliding<void>(1), (bell) => ({
  added: (timers: ReadonlyArray<NewRailTimer>): Effect.Effect<void> =>
    timers.some((timer) => timer.dueInMillis < Duration.toMillis(workerPoll))
      ? Queue.offer(bell, undefined)
      : Effect.void,
  dueSoon: Queue.take(bell)
}))
