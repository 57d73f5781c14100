import type { Amount } from "../../api/Amount.ts"

const places: Readonly<Record<string, string>> = {
  virtual: "accounts",
  escrow: "escrow",
  ramp: "payments",
  clearing: "payments"
}

interface AccountPlace {
  readonly path: string
  readonly id: string
}

/** Console page of a ledger account. */
export const pageOfAccount = (account: string): AccountPlace | undefined => {
  const [kind = "", id = ""] = account.split("/")
  const page = places[kind]
  return page === undefined ? undefined : { path: `${page}/${id}`, id }
}

/** Sorts currencies by number of payments, the most first. */
export const byPaymentCount = <A extends { readonly currency: string }>(
  all: ReadonlyArray<A>,
  used: ReadonlyArray<string>
): ReadonlyArray<A> => {
  const timesOf = ({ currency }: A): number => used.filter((one) => one === currency).length
  return all.toSorted((a, b) => timesOf(b) - timesOf(a))
}

interface BalanceLine {
  readonly currency: string
  readonly balances: ReadonlyArray<Amount>
}

const daysChanged = ({ balances }: BalanceLine): number =>
  balances.filter(({ value }, index) => index > 0 && value !== balances[index - 1]!.value).length

/** Sorts by days with changes, the most first; at a tie, the organisation's own currency first. */
export const byDaysChanged = <A extends BalanceLine>(
  all: ReadonlyArray<A>,
  own: string | undefined
): ReadonlyArray<A> =>
  all.toSorted((a, b) => daysChanged(b) - daysChanged(a) || Number(b.currency === own) - Number(a.currency === own))
