/** Scenarios of the fakes, chosen by the last two digits of the amount. */
import { type ThirdPartyName, thirdPartyNames } from "../../src/domain/Corridor.ts"
import type { Money } from "../../src/domain/Money.ts"
import type { Fake } from "./Fake.ts"

export const scenarios = {
  declined_instrument: "declines it because of the payer's card or account",
  declined_provider: "declines it for reasons of its own, so that the next provider is asked",
  lost_before: "cuts the connection without taking it",
  lost_after: "takes it and cuts the connection without an answer",
  server_error: "answers 500 without taking it",
  garbage: "takes it and answers with what nobody can read",
  slow: "takes it and lets its answer drip",
  busy: "answers 429 without taking it",
  fails_later: "takes it and reports later that it failed",
  silent: "takes it, never reports, and says for ever that it is under way",
  twice: "reports its end twice",
  late: "reports its end late",
  reordered: "reports its end first and its beginning afterwards",
  other_amount: "reports that less arrived than was asked for; a payout is paid in full",
  disputed: "stripe, adyen, paypal and paystack: completes a payin, whose payer then disputes it and leaves it at that",
  dispute_won: "the same four: the payer disputes a payin, and loses",
  dispute_lost: "the same four: the payer disputes a payin, and gets it back",
  dispute_lost_in_part: "the same four: the payer disputes half of a payin, and gets that back",
  refunded_by_hand: "stripe and adyen: completes a payin, half of which somebody then refunds by hand"
} as const

export type Scenario = keyof typeof scenarios | "completes"

const byDigits: Readonly<Record<string, Scenario>> = Object.fromEntries(
  Object.keys(scenarios).map((scenario, index) => [`${index + 1}`.padStart(2, "0"), scenario as Scenario])
)

/** `01` to `19`, and what each of them does. */
export const magicDigits: ReadonlyArray<readonly [digits: string, scenario: Scenario]> =
  Object.entries(byDigits).toSorted()

/** From `21` on: exactly one provider declines, so the next candidate takes the payment. */
export const declinedByOne: ReadonlyArray<readonly [digits: string, by: ThirdPartyName]> = thirdPartyNames.map(
  (name, index) => [`${index + 21}`, name]
)

const HUNDREDTHS = 2

/** Minor digits above those of the scenario. */
export const digitsBelow = (exponent: number, wholeUnits = false): number =>
  wholeUnits ? exponent : Math.max(0, exponent - HUNDREDTHS)

const digitsOf = ({ exponent, minor }: Money, wholeUnits?: boolean): string =>
  ((minor / 10n ** BigInt(digitsBelow(exponent, wholeUnits))) % 100n).toString().padStart(2, "0")

/** Scenario of an amount at this fake. */
export const scenarioOf = (money: Money, { name, wholeUnits }: Pick<Fake, "name" | "wholeUnits">): Scenario => {
  const digits = digitsOf(money, wholeUnits)
  const alone = declinedByOne.some(([of, by]) => of === digits && by === name)
  return alone ? "declined_provider" : (byDigits[digits] ?? "completes")
}
