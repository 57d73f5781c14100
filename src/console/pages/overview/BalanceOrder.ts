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

/** Where the console shows what lies on an account of the books, by the account's name there. */
export const pageOfAccount = (account: string): AccountPlace | undefined => {
  const [kind = "", id = ""] = account.split("/")
  const page = places[kind]
  return page === undefined ? undefined : { path: `${page}/${id}`, id }
}

/** The currencies of most payments first; among those of as many, in the order that they came in. */
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

/** Those that moved on most days first; among those of as many, one's own currency. */
export const byDaysChanged = <A extends BalanceLine>(
  all: ReadonlyArray<A>,
  own: string | undefined
): ReadonlyArray<A> =>
  all.toSorted((a, b) => daysChanged(b) - daysChanged(a) || Number(b.currency === own) - Number(a.currency === own))
