/** Bugs about money that a provider takes back after a dispute, and gives back again. */
import type { ProviderSignal } from "../../src/domain/Settlement.ts"
import { Report } from "../../src/domain/Outcome.ts"
import { RecordOutcome } from "../../src/payments/record/RecordOutcome.ts"
import { PaymentStore, type Store } from "../../src/payments/store/PaymentStore.ts"
import type { Bug, Planted } from "./Bug.ts"

type Recorder = (typeof RecordOutcome)["Service"]

const unheard = ({ regained: _, ...report }: Report): Report => new Report(report)

const heardAs = (change: (signal: ProviderSignal) => ProviderSignal): Planted =>
  new Map([
    [
      RecordOutcome.key,
      (recorder: Recorder): Recorder => ({
        hear: (known, signal, source) => recorder.hear(known, change(signal), source),
        hearAbout: (attempt, signal, source) => recorder.hearAbout(attempt, change(signal), source),
        hearOnce: (known, signal, source) => recorder.hearOnce(known, change(signal), source)
      })
    ]
  ])

export const disputeBugs: ReadonlyArray<Omit<Bug, "foundBy">> = [
  {
    name: "a dispute that is won is not noticed",
    about: "what is given back after a dispute is taken for the word that the payment was completed",
    planted: heardAs((signal) => (signal._tag === "Report" && signal.regained !== undefined ? unheard(signal) : signal))
  },
  {
    name: "a second dispute is the first one",
    about: "what a provider names beyond the books is forgotten",
    planted: new Map([
      [
        PaymentStore.key,
        (store: Store): Store => ({
          ...store,
          apply: ({ patch, ...change }) => {
            const { unmatched: _, ...rest } = patch
            return store.apply({ ...change, patch: rest })
          }
        })
      ]
    ])
  }
]
