/** Money as a customer reads it: every digit of the exact amount, in groups of three. */
import type { Money } from "../../domain/Money.ts"
import type { Words } from "./Words.ts"

type Separators = Pick<Words, "groupSeparator" | "decimalSeparator">

export const amountText = (money: Money, { decimalSeparator, groupSeparator }: Separators): string => {
  const [whole = "", fraction] = money.toNumericText().split(".")
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, groupSeparator)
  const digits = fraction === undefined ? grouped : `${grouped}${decimalSeparator}${fraction}`
  return `${digits}\u00a0${money.currency}`
}
