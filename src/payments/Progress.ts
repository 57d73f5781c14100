/**
 * Writes down what is heard of an attempt: decides on where the payment stands, and writes everything in one statement
 * on the version it read. Whoever loses a race decides again on what the winner left.
 */
import { Clock, Context, Effect, Layer, Option } from "effect"
import { Settings } from "../config/Settings.ts"
import { Ids } from "../domain/Ids.ts"
import { overtakenRetry } from "../domain/Policies.ts"
import type { AttemptOutcome, Word } from "../domain/Settlement.ts"
import type { Attempt, Payment } from "./Payment.ts"
import { refundChangeOf } from "./actions/RefundChange.ts"
import { changeOf, type Source } from "./PaymentChange.ts"
import { type Known, PaymentStore } from "./PaymentStore.ts"

/** Where things stand after a word was heard. */
export interface Heard {
  readonly payment: Payment
  readonly outcome: AttemptOutcome | null
}

/** A change takes at most this many ids of its own: three events, a callback, an operator item. */
const IDS_PER_CHANGE = 5

export class Progress extends Context.Tag("corridor/Progress")<
  Progress,
  {
    /** What is known already saves reading it; it may be outdated. */
    readonly hear: (known: Known, word: Word, source: Source) => Effect.Effect<Heard>
    readonly hearAbout: (attempt: Attempt, word: Word, source: Source) => Effect.Effect<Heard>
  }
>() {
  static readonly layer = Layer.effect(
    Progress,
    Effect.gen(function* () {
      const store = yield* PaymentStore
      const ids = yield* Ids
      const { statusEnquiryDelays } = yield* Settings

      const write = Effect.fnUntraced(function* ({ attempt, payment }: Known, word: Word, source: Source) {
        const fresh = yield* ids.several(IDS_PER_CHANGE)
        const at = new Date(yield* Clock.currentTimeMillis)
        const moment = { at, newId: () => fresh.pop()!, enquiryDelays: statusEnquiryDelays }
        const { after, change, decision } =
          attempt.leg === "refund"
            ? refundChangeOf({ payment, attempt, refunds: yield* store.refundsOf(payment) }, word, source, moment)
            : changeOf(payment, attempt, word, source, moment)
        const written = yield* store.apply(change)
        return written ? Option.some({ payment: after, outcome: decision.outcome }) : Option.none()
      })

      const again = ({ attempt_id }: Attempt, word: Word, source: Source): Effect.Effect<Heard> =>
        Effect.flatten(store.known(attempt_id)).pipe(
          Effect.flatMap((known) => write(known, word, source)),
          Effect.flatten,
          Effect.retry(overtakenRetry),
          Effect.orDie
        )

      return {
        hear: (known, word, source) =>
          Effect.flatMap(
            write(known, word, source),
            Option.match({ onSome: Effect.succeed, onNone: () => again(known.attempt, word, source) })
          ),
        hearAbout: again
      }
    })
  )
}
