import { Effect, Either, Option } from "effect"
import { checkLocked } from "../domain/LockedRate.ts"
import { RateQuote } from "../rates/RateQuote.ts"
import type { Payment } from "./Payment.ts"

/** Why the amounts of a payment that had to wait no longer hold, if they do not; they are never worked out again. */
export const makeStaleness = Effect.map(RateQuote, (rates) =>
  Effect.fnUntraced(function* ({ amount, org_id, org_rate_id, target }: Payment) {
    if (org_rate_id === null) return Option.none<string>()
    const lock = yield* rates.locked(org_id, org_rate_id)
    return Option.match(lock, {
      onNone: () => Option.some("org_rate_id: is not a rate that was locked for this organisation."),
      onSome: (locked) => Either.getLeft(checkLocked(locked, amount.currency, target.currency))
    })
  })
)
