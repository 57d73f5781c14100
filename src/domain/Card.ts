/** What may be kept of a card, enough for a person to recognise it, never enough to pay with it; and until when it is good. */
import { Duration } from "effect"

const brands: ReadonlyArray<readonly [RegExp, string]> = [
  [/^4/, "visa"],
  [/^(5[1-5]|2(22[1-9]|2[3-9]|[3-6]|7[01]|720))/, "mastercard"],
  [/^3[47]/, "amex"],
  [/^(6011|65|64[4-9])/, "discover"],
  [/^(506[01]|507[89]|6500)/, "verve"],
  [/^35(2[89]|[3-8])/, "jcb"],
  [/^3(0[0-5]|[68])/, "diners"],
  [/^62/, "unionpay"]
]

export const brandOf = (number: string): string => brands.find(([pattern]) => pattern.test(number))?.[1] ?? "unknown"

const FEWEST_DIGITS = 13

/** Typed or pasted into another field, in groups or not: what is written there is kept. */
export const holdsNumber = (text: string, number: string): boolean =>
  number.length >= FEWEST_DIGITS && text.replaceAll(/(?<=\d)[\s-]+(?=\d)/g, "").includes(number)

export const maskCard = (card: {
  readonly card_number: string
  readonly expiry_month: string
  readonly expiry_year: string
  readonly card_holder_name?: string | undefined
}) => ({
  bin: card.card_number.slice(0, 6),
  last4: card.card_number.slice(-4),
  brand: brandOf(card.card_number),
  expiry_month: card.expiry_month,
  expiry_year: card.expiry_year,
  card_holder_name: card.card_holder_name ?? null
})

const AFTER_THE_LAST_TIME_ZONE = Duration.toMillis("1 day")

/** A card is good until its month is over, wherever on earth that is last. */
export const isExpired = (month: string, year: string, now: Date): boolean => {
  const monthAfter = Date.UTC(Number(year.length === 2 ? `20${year}` : year), Number(month))
  return monthAfter + AFTER_THE_LAST_TIME_ZONE <= now.getTime()
}
