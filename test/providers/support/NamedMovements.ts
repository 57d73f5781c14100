/**
 * Contract about movements: money that an adapter reports has the provider's id, in answers, callbacks and enquiries.
 */
import { Equal } from "effect"
import { Money } from "../../../src/domain/Money.ts"
import type { Movement, MovementKind } from "../../../src/domain/Movement.ts"
import type { Accepted, Report } from "../../../src/domain/Outcome.ts"
import type { AttemptContext } from "../../../src/providers/port/Provider.ts"

type Reported = Accepted | Report

const moving: ReadonlyArray<MovementKind> = ["collection", "disbursement", "refund"]

/** Kinds of movements by an order of this attempt. A return goes out as a refund or as a payout. */
export const kindsOf = ({ flow, leg }: Pick<AttemptContext, "flow" | "leg">): ReadonlyArray<MovementKind> => {
  switch (leg) {
    case "refund":
      return ["refund"]
    case "return":
      return ["refund", "disbursement"]
    case "collection":
      return ["collection"]
    case "settlement":
      return ["disbursement"]
    case "payment":
      return flow === "outbound" ? ["disbursement"] : ["collection"]
  }
}

const settledOf = ({ movements = [] }: Reported, kinds: ReadonlyArray<MovementKind>) =>
  movements.filter(({ kind, state }) => state === "settled" && kinds.includes(kind))

/** Sum of the settled movements of these kinds in this currency; undefined where an amount is not named. */
export const movedIn = (reported: Reported, kinds: ReadonlyArray<MovementKind>, money: Money): Money | undefined => {
  const mine = settledOf(reported, kinds)
  return mine.length === 0 || mine.some(({ amount }) => amount === null) ? undefined : sumIn(mine, money)
}

const sumIn = (movements: ReadonlyArray<Movement>, { currency }: Money): Money =>
  movements.reduce(
    (sum, { amount }) =>
      amount === null || amount.currency !== currency ? sum : new Money({ currency, minor: sum.minor + amount.minor }),
    Money.zero(currency)
  )

/** Problem of a report's movements; undefined where they are as the port wants them. */
export const movementsProblem = (reported: Reported, kinds?: ReadonlyArray<MovementKind>): string | undefined => {
  const { movements = [] } = reported
  const identities = movements.map(({ id, kind }) => `${kind} ${id}`)
  if (movements.some(({ id }) => id.trim() === "")) return "a movement has no id"
  if (new Set(identities).size < identities.length) return "one movement is listed twice"
  if (movements.some(({ amount }) => amount !== null && !amount.isPositive)) return "a movement has no amount"
  // A dispute that was won completes a payment too.
  if (reported.state === "completed" && settledOf(reported, [...(kinds ?? moving), "reinstatement"]).length === 0) {
    return "it is completed, and no movement is settled"
  }
  if (reported.state === "returned" && settledOf(reported, ["refund", "reversal", "reinstatement"]).length === 0) {
    return "money went back, and no movement names it"
  }
  return undefined
}

/** The settled movements of the one that the other does not name, or names otherwise. */
export const notIn = (one: Reported, other: Reported): ReadonlyArray<Movement> =>
  (one.movements ?? []).filter(
    (movement) =>
      movement.state === "settled" &&
      !(other.movements ?? []).some(
        ({ amount, id, kind }) =>
          kind === movement.kind &&
          id === movement.id &&
          (amount === null || movement.amount === null || Equal.equals(amount, movement.amount))
      )
  )
