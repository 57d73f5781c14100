/**
 * Rules, as a pure function, on one word about money on its way back to whoever sent it, for a payment that had no place
 * for it. It leaves suspense when its provider takes it on, and is in suspense again when that comes to nothing.
 */
import { type Money } from "../domain/Money.ts"
import { totals } from "../domain/Received.ts"
import type { AttemptOutcome, Word } from "../domain/Settlement.ts"
import type { Attempt, SuspenseMoney } from "./Payment.ts"
import { assemble, type Known, type Moment, type Ruled, type Source } from "./Ruling.ts"

/** What the attempt gives back is noted with it, when it is committed. */
export const returnedMoney = ({ attempt_id, received }: Attempt): Money => {
  const [money] = totals(received)
  if (money === undefined) throw new Error(`attempt ${attempt_id} returns money of which there is no note`)
  return money
}

type Fate = "gone" | "stays" | "unknown" | "unchanged"

const fateOf = (word: Word, outcome: AttemptOutcome | null): Fate => {
  switch (word._tag) {
    case "Declined":
      return "stays"
    case "Absent":
      return outcome === "accepted" ? "unchanged" : "stays"
    case "Unknown":
      return outcome === null ? "unknown" : "unchanged"
    default:
      return word.state === "failed" || word.state === "returned" ? "stays" : "gone"
  }
}

const outcomeAfter = (fate: Fate, before: AttemptOutcome | null): AttemptOutcome | null => {
  switch (fate) {
    case "gone":
      return "accepted"
    case "stays":
      return "declined"
    case "unknown":
      return "unknown"
    case "unchanged":
      return before
  }
}

export const returnChangeOf = (known: Known, word: Word, source: Source, moment: Moment): Ruled => {
  const { attempt, payment } = known
  const outcome = outcomeAfter(fateOf(word, attempt.outcome), attempt.outcome)
  const money = returnedMoney(attempt)
  const sum = money.toString()
  const leaves = outcome === "accepted" && attempt.outcome !== "accepted"
  const comesBack = attempt.outcome === "accepted" && outcome === "declined"
  const about = attempt.of_attempt ?? attempt.attempt_id
  const posted = (amount: Money): SuspenseMoney => ({
    attempt_id: about,
    provider: attempt.provider,
    amount,
    // A provider may change its mind, and each time money moves: the version tells the times apart.
    occasion: `${leaves ? "gone" : "back"} ${payment.version}`
  })
  const final = (word._tag === "Report" || word._tag === "Accepted") && word.state === "completed"
  return assemble(
    known,
    word,
    {
      status: payment.status,
      outcome,
      patch: {},
      waits: outcome === "unknown" || (outcome === "accepted" && !final),
      underWay: outcome === "accepted",
      suspense: leaves ? [posted(money.negate())] : comesBack ? [posted(money)] : [],
      note: comesBack
        ? `${attempt.provider} could not give ${sum} back: it is held until an operator settles it.`
        : undefined,
      cleared: leaves,
      about,
      changes: leaves || comesBack
    },
    source,
    moment
  )
}
