/** An amount that a form asks for. */
import { type Amount, typedAmount } from "./Amount.ts"
import { Problem } from "./Problem.ts"

export const amountIn = (text: string): Amount => {
  const amount = typedAmount(text)
  if (amount === undefined) throw new Problem(400, "Write the amount as a number, such as 1500.00.")
  return amount
}

/** Left empty: none. */
export const maybeAmountIn = (text: string): Amount | undefined => (text === "" ? undefined : amountIn(text))
