/**
 * Writes down what is heard of an attempt: decides on where the payment stands, and writes everything in one statement
 * on the version it read. Whoever loses a race decides again on what the winner left.
 */
import { Clock, Context, Effect, Layer, Option } from "effect"
import { Settings } from "../config/Settings.ts"
import { Ids } from "../domain/Ids.ts"
import { overtakenRetry } from "../domain/Policies.ts"
import type { AttemptOutcome, Word } from "../domain/Settlement.ts"
import { FundingEvents } from "./FundingEvents.ts"
import type { Attempt, Change, Payment } from "./Payment.ts"
import { refundChangeOf } from "./actions/RefundChange.ts"
import { changeOf, noted, type Source } from "./PaymentChange.ts"
import { type Known, PaymentStore } from "./PaymentStore.ts"
import { isRamp } from "./ramp/LegOrder.ts"
import { rampChangeOf } from "./ramp/RampChange.ts"
import { SecondLeg } from "./ramp/SecondLeg.ts"

/** Where things stand after a word was heard. */
export interface Heard {
  readonly payment: Payment
  readonly outcome: AttemptOutcome | null
}

/** A change takes at most this many ids of its own: three events, a callback, an operator item. */
const IDS_PER_CHANGE = 5

interface Built {
  readonly change: Change
  readonly after: Payment
}

/** It stands behind what the service notes of its own. */
const withNote = ({ after, change }: Built, { note }: Source): Built => {
  if (note === undefined) return { after, change }
  const comments = noted(after.comments, note)
  return { after: { ...after, comments }, change: { ...change, patch: { ...change.patch, comments } } }
}

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
      const funding = yield* FundingEvents
      const second = yield* SecondLeg
      const { statusEnquiryDelays } = yield* Settings

      /** Whom to ask for the second leg, where this word may be that the first has been paid. */
      const settlerOf = ({ attempt, payment }: Known, word: Word) =>
        attempt.leg === "collection" &&
        payment.ramp?.collected === null &&
        "state" in word &&
        word.state === "completed"
          ? second.choose(payment)
          : Effect.succeed(undefined)

      const write = Effect.fnUntraced(function* ({ attempt, payment }: Known, word: Word, source: Source) {
        const fresh = yield* ids.several(IDS_PER_CHANGE)
        const at = new Date(yield* Clock.currentTimeMillis)
        const moment = { at, newId: () => fresh.shift()!, enquiryDelays: statusEnquiryDelays }
        const built =
          attempt.leg === "refund"
            ? refundChangeOf({ payment, attempt, refunds: yield* store.refundsOf(payment) }, word, source, moment)
            : isRamp(payment)
              ? rampChangeOf({ payment, attempt }, word, source, moment, yield* settlerOf({ payment, attempt }, word))
              : changeOf(payment, attempt, word, source, moment)
        const { decision } = built
        const { after, change } = withNote(built, source)
        const told =
          after.funding === null || after.status === payment.status ? [] : yield* funding.of(after, payment.status)
        // Whatever it takes was held beforehand.
        const written = yield* Effect.orDie(store.apply({ ...change, events: [...change.events, ...told] }))
        if (!written) return Option.none()
        if (change.nextAttempt?.leg === "settlement" && attempt.leg === "collection") {
          yield* second.send({ payment: after, attempt: change.nextAttempt })
        }
        return Option.some({ payment: after, outcome: decision.outcome })
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
  ).pipe(Layer.provideMerge(SecondLeg.layer))
}
