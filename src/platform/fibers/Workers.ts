/** The background fibers of an instance, each supervised, and which of them are down: readiness asks. */
import { Cause, Context, Duration, Effect, Exit, Fiber, Layer, Schedule, type Scope } from "effect"
import {
  supervision,
  workerDownAfter,
  workerHealthyAfter,
  workersStopWithin
} from "../../domain/policies/ServerPolicies.ts"
import { beforeScrape, gauge } from "../observability/Metrics.ts"
import { unspanned } from "../observability/Spans.ts"
import { alertOperator } from "../observability/OperatorAlert.ts"
import { monotonicMillis } from "./Deadlines.ts"
import { endWithin } from "./Shutdown.ts"

const up = gauge(
  "corridor_worker_up",
  "1 while a background worker of this process does its work, 0 while it keeps failing, by worker.",
  ["worker"]
)

interface State {
  /** When the first of the failures in a row happened, none of them after a healthy time. */
  failingSince: number | undefined
  /** Undefined while it waits for its restart. */
  runningSince: number | undefined
}

const isDown = ({ failingSince, runningSince }: State, now: number): boolean =>
  failingSince !== undefined &&
  now - failingSince >= Duration.toMillis(workerDownAfter) &&
  (runningSince === undefined || now - runningSince < Duration.toMillis(workerHealthyAfter))

/** A worker that ends by itself has failed too. */
const causeOf = (exit: Exit.Exit<unknown, unknown>): Cause.Cause<unknown> =>
  Exit.isFailure(exit) ? exit.cause : Cause.die("it ended by itself")

const keepRunning = <E, R>(name: string, worker: Effect.Effect<unknown, E, R>, state: State) =>
  Effect.gen(function* () {
    const backOff = yield* Schedule.driver(supervision)
    const run = Effect.gen(function* () {
      const began = yield* monotonicMillis
      state.runningSince = began
      const exit = yield* Effect.exit(unspanned(worker))
      const now = yield* monotonicMillis
      state.runningSince = undefined
      const cause = causeOf(exit)
      if (state.failingSince === undefined || now - began >= Duration.toMillis(workerHealthyAfter)) {
        state.failingSince = now
        yield* backOff.reset
        yield* alertOperator(
          "worker_restarted",
          `The worker "${name}" failed and is started again`,
          { worker: name },
          cause
        )
      } else {
        yield* Effect.logDebug(`The worker "${name}" failed again`, cause)
      }
      yield* Effect.orDie(backOff.next(undefined))
    })
    return yield* Effect.forever(run)
  }).pipe(Effect.annotateLogs("job", name))

export class Workers extends Context.Tag("corridor/Workers")<
  Workers,
  {
    /** Runs the worker for as long as the scope lives, and again whenever it ends. */
    readonly start: <E, R>(
      name: string,
      worker: Effect.Effect<unknown, E, R>
    ) => Effect.Effect<void, never, R | Scope.Scope>
    /** The names of those that have been failing for a while. */
    readonly down: Effect.Effect<ReadonlyArray<string>>
  }
>() {
  static readonly layer = Layer.scoped(
    Workers,
    Effect.gen(function* () {
      const states = new Map<string, State>()
      yield* beforeScrape(
        Effect.map(monotonicMillis, (now) => {
          for (const [name, state] of states) up([name], isDown(state, now) ? 0 : 1)
        })
      )
      return {
        start: <E, R>(name: string, worker: Effect.Effect<unknown, E, R>) =>
          Effect.suspend(() => {
            const state: State = { failingSince: undefined, runningSince: undefined }
            states.set(name, state)
            return Effect.acquireRelease(
              Effect.forkDaemon(Effect.interruptible(keepRunning(name, worker, state))),
              (fiber) => endWithin(workersStopWithin, () => `the worker "${name}"`)(Fiber.interrupt(fiber))
            )
          }),
        down: Effect.map(monotonicMillis, (now) =>
          Array.from(states).flatMap(([name, state]) => (isDown(state, now) ? [name] : []))
        )
      }
    })
  )
}
