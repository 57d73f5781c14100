/** Schedules the callbacks of each behaviour. */
import { Duration, Effect } from "effect"
import { simulatorSlowness, simulatorDuplicateGap } from "../../domain/policies/ProviderPolicies.ts"
import { Ids } from "../../domain/Ids.ts"
import { Settings } from "../../platform/config/Settings.ts"
import type { Behaviour } from "./SimulatorBehaviour.ts"
import type { NewSimulatorTimer, SimulatorState } from "./SimulatorStore.ts"

export const FAILED_LATER = "The payment failed after it was accepted"

export const makeTimers = Effect.gen(function* () {
  const ids = yield* Ids
  const { sandboxRailPace } = yield* Settings
  const soon = Math.ceil(Duration.toMillis(sandboxRailPace))
  const gap = Math.ceil(soon * simulatorDuplicateGap)
  const slowAnswer = soon * simulatorSlowness

  const timerOf = Effect.fnUntraced(function* (
    report: SimulatorState,
    reason: string | null = null,
    dueInMillis: number = soon
  ) {
    const id = yield* ids.next
    const timer: NewSimulatorTimer = {
      timerId: id,
      eventId: id,
      report,
      reason,
      occursInMillis: dueInMillis,
      dueInMillis
    }
    return timer
  })

  const completed = (dueInMillis = soon) => timerOf("completed", null, dueInMillis)

  const timersFor = Effect.fnUntraced(function* (behaviour: Behaviour) {
    switch (behaviour) {
      case "completes":
      case "loses_answer":
        return [yield* completed()]
      case "answers_slowly":
        return [yield* completed(soon + slowAnswer)]
      case "fails_later":
        return [yield* timerOf("failed", FAILED_LATER)]
      case "repeats_callbacks": {
        const first = yield* completed()
        const again = { ...(yield* completed(soon + gap)), eventId: first.eventId, occursInMillis: soon }
        return [first, again, yield* completed(soon + 2 * gap)]
      }
      case "reorders_callbacks": {
        const late = yield* timerOf("processing", null, soon + gap)
        return [yield* completed(), { ...late, occursInMillis: 0 }]
      }
      default:
        return []
    }
  })

  return { timerOf, timersFor, slowAnswer: Duration.millis(slowAnswer) }
})

export type SimulatorTimers = Effect.Effect.Success<typeof makeTimers>
