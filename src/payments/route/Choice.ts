/** Whom to ask first among the candidates of a leg, as an attempt that is to be committed before the call. */
import { type Array as Arr, Clock, Duration, Effect } from "effect"
import { Ids } from "../../domain/Ids.ts"
import { orphanedAfter } from "../../domain/Policies.ts"
import type { Candidate } from "../../domain/Routing.ts"
import { ProviderHealth } from "../../providers/health/ProviderHealth.ts"
import type { Leg, NewAttempt } from "../store/Payment.ts"
import { openSendWindow, type SendWindow } from "./SendWindow.ts"

export type Candidates = Arr.NonEmptyReadonlyArray<Candidate>

export interface Chosen {
  readonly attempt: NewAttempt
  /** Nobody is asked twice for a payment, however many configurations a provider has. */
  readonly rest: ReadonlyArray<Candidate>
  readonly window: SendWindow
  /** It may have been sent before. */
  readonly again?: boolean
}

/** The first whose circuit lets it through, else simply the first. */
export const makeChoose = Effect.gen(function* () {
  const health = yield* ProviderHealth
  const ids = yield* Ids
  return Effect.fnUntraced(function* (candidates: Candidates, leg: Leg) {
    let picked = candidates[0]
    for (const candidate of candidates) {
      if (yield* health.begin(candidate.provider)) {
        picked = candidate
        break
      }
    }
    const window = yield* openSendWindow
    const attempt: NewAttempt = {
      attempt_id: yield* ids.next,
      leg,
      provider: picked.provider,
      config_id: picked.config_id,
      started_at: new Date(yield* Clock.currentTimeMillis),
      enquire_in: Duration.toSeconds(orphanedAfter)
    }
    const rest = candidates.filter(({ provider }) => provider !== picked.provider)
    const chosen: Chosen = { attempt, rest, window }
    return chosen
  })
})
