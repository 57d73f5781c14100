/** Circle calls USDC by the name of the dollar that it stands for, and writes it with two digits at least. */
import { type Option } from "effect"
import type { Money } from "../../domain/Money.ts"
import { moneyOfMajor, shortText } from "../port/WireValues.ts"

export interface CircleMoney {
  readonly amount: string
  readonly currency: string
}

const LEAST_DIGITS = 2

/** Only USDC comes here: nothing else is served. */
export const circleMoney = (money: Money): CircleMoney => {
  const [whole = "0", fraction = ""] = shortText(money).split(".")
  return { amount: `${whole}.${fraction.padEnd(LEAST_DIGITS, "0")}`, currency: "USD" }
}

export const moneyOfCircle = ({ amount, currency }: CircleMoney): Option.Option<Money> =>
  moneyOfMajor(amount, currency === "USD" ? "USDC" : currency)
