/** Bugs about money that a provider takes back after a dispute, and gives back again. */
import { Either } from "effect"
import type { Movement } from "../../../src/domain/Movement.ts"
import type { ProviderSignal } from "../../../src/domain/Settlement.ts"
import type { Bug } from "./Bug.ts"
import { hearing, mishearing, retold } from "./Planting.ts"

const isWon = (signal: ProviderSignal): boolean =>
  (signal._tag === "Report" || signal._tag === "Accepted") && signal.state === "completed"

/** Of what is taken a second time from one attempt, under another id. */
const secondTime = (change: (movement: Movement, before: Movement) => ReadonlyArray<Movement>) => () => {
  const taken = new Map<string, Movement>()
  return (signal: ProviderSignal, attemptId: string): ProviderSignal =>
    retold(signal, (movement) => {
      if (movement.kind !== "reversal") return [movement]
      const before = taken.get(attemptId)
      if (before === undefined) taken.set(attemptId, movement)
      return before === undefined || before.id === movement.id ? [movement] : change(movement, before)
    })
}

export const disputeBugs: ReadonlyArray<Omit<Bug, "foundBy">> = [
  {
    name: "a dispute that is won is not noticed",
    about: "what is given back after a dispute is taken for the word that the payment was completed",
    planted: hearing((signal) =>
      isWon(signal) ? retold(signal, (one) => (one.kind === "reinstatement" ? [] : [one])) : signal
    )
  },
  {
    name: "a second dispute is not booked",
    about: "who has disputed a payment once is taken to say it again",
    planted: mishearing(secondTime(() => []))
  },
  {
    name: "a second dispute is booked with the first",
    about: "what a provider takes is added to what it took before, and all of that booked again",
    planted: mishearing(
      secondTime((movement, before) => [
        { ...movement, amount: Either.getOrThrow(before.amount!.add(movement.amount!)) }
      ])
    )
  }
]
