/** Which callbacks a built-in rail sends of its own accord, and when. */
import { Duration, Effect } from "effect"
import { railCompletion, railSlowAnswer, railStragglerGap } from "../../domain/Policies.ts"
import type { Ids } from "../../domain/Ids.ts"
import type { Behaviour } from "./RailBehaviour.ts"
import type { NewRailTimer, RailState } from "./RailPayment.ts"

type IdSource = typeof Ids.Service

const soon = Duration.toMillis(railCompletion)
const gap = Duration.toMillis(railStragglerGap)

export const timerOf = Effect.fnUntraced(function* (
  ids: IdSource,
  report: RailState,
  reason: string | null,
  dueInMillis: number = soon
) {
  const id = yield* ids.next
  const timer: NewRailTimer = { timerId: id, eventId: id, report, reason, occursInMillis: dueInMillis, dueInMillis }
  return timer
})

export const FAILED_LATER = "The payment failed after it was accepted"

export const timersFor = Effect.fnUntraced(function* (ids: IdSource, behaviour: Behaviour) {
  const completed = (dueInMillis = soon) => timerOf(ids, "completed", null, dueInMillis)
  switch (behaviour) {
    case "completes":
    case "loses_answer":
      return [yield* completed()]
    case "answers_slowly":
      return [yield* completed(soon + Duration.toMillis(railSlowAnswer))]
    case "fails_later":
      return [yield* timerOf(ids, "failed", FAILED_LATER)]
    case "repeats_callbacks": {
      const first = yield* completed()
      const again = { ...(yield* completed(soon + gap)), eventId: first.eventId, occursInMillis: soon }
      return [first, again, yield* completed(soon + 2 * gap)]
    }
    case "reorders_callbacks": {
      const late = yield* timerOf(ids, "processing", null, soon + gap)
      return [yield* completed(), { ...late, occursInMillis: 0 }]
    }
    default:
      return []
  }
})
