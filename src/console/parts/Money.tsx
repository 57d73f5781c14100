import { type Amount, amountText } from "../api/Amount.ts"

interface Props {
  readonly amount: Amount
  readonly currency: string | null
}

/** Digits of one width, so that amounts below each other can be compared. */
export const Money = ({ amount, currency }: Props) => (
  <span class="money">
    {amountText(amount)} <span class="currency">{currency}</span>
  </span>
)
