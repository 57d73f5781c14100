/** An amount as a payer types it. What could mean two amounts is none. */
import { Either, Option } from "effect"
import type { CurrencyCode } from "../../../domain/Currency.ts"
import { Money } from "../../../domain/Money.ts"
import type { Words } from "../Words.ts"

const LONGEST = 15

const SPACES = /[\s\u00a0\u202f]/g
const GROUPED = /^\d{1,3}(,\d{3})+(\.\d+)?$/
const PLAIN = /^(\d+)(?:[.,](\d+))?$/

export const typedAmount = (
  text: string,
  currency: CurrencyCode,
  { language }: Pick<Words, "language">
): Option.Option<Money> => {
  const spaceless = text.replaceAll(SPACES, "")
  const ungrouped = language === "en" && GROUPED.test(spaceless) ? spaceless.replaceAll(",", "") : spaceless
  const [, whole, fraction = ""] = PLAIN.exec(ungrouped) ?? []
  if (whole === undefined || whole.length + fraction.length > LONGEST) return Option.none()
  const { exponent } = Money.zero(currency)
  // Three digits behind a comma are thousands to one and a fraction to another.
  if (fraction.length > exponent) return Option.none()
  const money = Money.fromNumericText(fraction === "" ? whole : `${whole}.${fraction}`, currency)
  return Option.filter(Either.getRight(money), (one) => one.isPositive)
}
