/** Bugs about money that a provider takes back after a dispute, and gives back again. */
import { Either } from "effect"
import { Report } from "../../src/domain/Outcome.ts"
import type { ProviderSignal } from "../../src/domain/Settlement.ts"
import { RecordOutcome } from "../../src/payments/settlement/RecordOutcome.ts"
import type { Bug, Planted } from "./Bug.ts"
import { planted } from "./Planting.ts"

type Recorder = (typeof RecordOutcome)["Service"]

/** `change` is made for each recorder: it may remember what it heard. */
const mishearing = (change: () => (signal: ProviderSignal, attemptId: string) => ProviderSignal): Planted =>
  planted(RecordOutcome, (recorder: Recorder): Recorder => {
    const misheard = change()
    return {
      hear: (known, signal, source) => recorder.hear(known, misheard(signal, known.attempt.attempt_id), source),
      hearAbout: (attempt, signal, source) => recorder.hearAbout(attempt, misheard(signal, attempt.attempt_id), source),
      hearOnce: (known, signal, source) => recorder.hearOnce(known, misheard(signal, known.attempt.attempt_id), source)
    }
  })

const withoutRegain = (signal: ProviderSignal): ProviderSignal => {
  if (signal._tag !== "Report" || signal.regained === undefined) return signal
  const { regained: _, ...report } = signal
  return new Report(report)
}

/** Of what is taken a second time from one attempt. */
const secondTime = (change: (signal: Report, before: NonNullable<Report["taken"]>) => Report) => () => {
  const taken = new Map<string, NonNullable<Report["taken"]>>()
  return (signal: ProviderSignal, attemptId: string): ProviderSignal => {
    if (signal._tag !== "Report" || signal.taken === undefined) return signal
    const before = taken.get(attemptId)
    taken.set(attemptId, signal.taken)
    return before === undefined ? signal : change(signal, before)
  }
}

export const disputeBugs: ReadonlyArray<Omit<Bug, "foundBy">> = [
  {
    name: "a dispute that is won is not noticed",
    about: "what is given back after a dispute is taken for the word that the payment was completed",
    planted: mishearing(() => withoutRegain)
  },
  {
    name: "a second dispute is not booked",
    about: "who has disputed a payment once is taken to say it again",
    planted: mishearing(secondTime(({ taken: _, ...report }) => new Report({ ...report, state: "completed" })))
  },
  {
    name: "a second dispute is booked with the first",
    about: "what a provider takes is added to what it took before, and all of that booked again",
    planted: mishearing(
      secondTime((report, before) => new Report({ ...report, taken: Either.getOrThrow(before.add(report.taken!)) }))
    )
  }
]
