import type { Amount } from "../../api/Amount.ts"

interface Line {
  readonly currency: string
  readonly balances: ReadonlyArray<Amount>
}

const daysMoved = ({ balances }: Line): number =>
  balances.filter(({ value }, index) => index > 0 && value !== balances[index - 1]!.value).length

/** Those that moved on most days first; among those of as many, one's own currency. */
export const byMovement = <A extends Line>(all: ReadonlyArray<A>, own: string | undefined): ReadonlyArray<A> =>
  all.toSorted((a, b) => daysMoved(b) - daysMoved(a) || Number(b.currency === own) - Number(a.currency === own))
