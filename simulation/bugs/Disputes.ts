/** Bugs about money that a provider takes back after a dispute, and gives back again. */
import { Report } from "../../src/domain/Outcome.ts"
import type { ProviderSignal } from "../../src/domain/Settlement.ts"
import { RecordOutcome } from "../../src/payments/record/RecordOutcome.ts"
import type { Bug } from "./Bug.ts"
import { planted } from "./Planting.ts"

type Recorder = (typeof RecordOutcome)["Service"]

const withoutRegain = (signal: ProviderSignal): ProviderSignal => {
  if (signal._tag !== "Report" || signal.regained === undefined) return signal
  const { regained: _, ...report } = signal
  return new Report(report)
}

export const disputeBugs: ReadonlyArray<Omit<Bug, "foundBy">> = [
  {
    name: "a dispute that is won is not noticed",
    about: "what is given back after a dispute is taken for the word that the payment was completed",
    planted: planted(RecordOutcome, (recorder: Recorder): Recorder => ({
      hear: (known, signal, source) => recorder.hear(known, withoutRegain(signal), source),
      hearAbout: (attempt, signal, source) => recorder.hearAbout(attempt, withoutRegain(signal), source),
      hearOnce: (known, signal, source) => recorder.hearOnce(known, withoutRegain(signal), source)
    }))
  }
]
