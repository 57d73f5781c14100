/** Data of a card that may be kept: enough to recognise it, never enough to pay. And its expiry. */

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

/** By network: how its numbers begin, and how long they are. Numbers of 13 digits are out of use, and as long as those of phones. */
const ranges: ReadonlyArray<RegExp> = [
  /^4(\d{15}|\d{18})$/,
  /^(5[1-5]\d\d|222[1-9]|22[3-9]\d|2[3-6]\d\d|27[01]\d|2720)\d{12}$/,
  /^3[47]\d{13}$/,
  /^(6011|65\d\d|64[4-9]\d)(\d{12}|\d{15})$/,
  /^(506[01]|507[89])(\d{12}|\d{15})$/,
  /^35(2[89]|[3-8]\d)\d{12}$/,
  /^3(0[0-5]|[68]\d)\d{11}$/,
  /^62(\d{14}|\d{17})$/
]

export const passesLuhn = (digits: string, start = 0, end = digits.length): boolean => {
  let sum = 0
  for (let i = end - 1, double = false; i >= start; i--, double = !double) {
    const digit = digits.charCodeAt(i) - 48
    sum += double ? (digit > 4 ? digit * 2 - 9 : digit * 2) : digit
  }
  return sum % 10 === 0
}

/**
 * Digits that stand alone: not after a letter, a digit, a plus, or a point with a digit before it. Others belong to an
 * order number, an IBAN, a phone number or a fraction.
 */
const standingAlone = /(?<![\p{L}\d+]|\d\.)\d{14,19}(?![\p{L}\d])/gu

/** Separators between the groups of a card number. */
const BETWEEN = "[\\s./_·\\u2010-\\u2015\\u2212-]"

/** Card number in printed groups. With more groups of the same kind around it, it is part of something longer. */
const inGroups = new RegExp(
  `(?<![\\p{L}\\d+]|\\d${BETWEEN})\\d{4}(${BETWEEN})(?:\\d{4}\\1\\d{4}\\1\\d{4}|\\d{6}\\1\\d{4,5})(?![\\p{L}\\d]|\\1\\d{4})`,
  "gu"
)

const isForeignDigit = (code: number): boolean => code > 0x7f && /\p{Nd}/u.test(String.fromCodePoint(code))

/** Every script has its ten digits in a row. */
const usualDigit = (digit: string): string => {
  const code = digit.codePointAt(0) ?? 0
  let zero = code
  while (code - zero < 9 && isForeignDigit(zero - 1)) zero--
  return String(code - zero)
}

const isAscii = (text: string): boolean => {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) > 0x7f) return false
  return true
}

/**
 * Text as a person reads it: other scripts' digits and spaces become usual ones, characters without width are removed.
 */
const asRead = (text: string): string =>
  isAscii(text)
    ? text
    : text
        .normalize("NFKC")
        .replaceAll(/\p{Cf}/gu, "")
        .replaceAll(/[^\P{Nd}0-9]/gu, usualDigit)

/** Fewest digits of a card number, in any script. */
const FEWEST_SIGNS = 14

const mayHoldOne = (text: string): boolean => {
  let signs = 0
  for (let at = 0; at < text.length && signs < FEWEST_SIGNS; at++) {
    const code = text.charCodeAt(at)
    if ((code >= 0x30 && code <= 0x39) || code > 0x7f) signs++
  }
  return signs >= FEWEST_SIGNS
}

const patterns = [standingAlone, inGroups]

/** Has the prefix, length and check digit of a card number. */
const isCardNumber = (found: string): boolean => {
  const digits = found.replaceAll(/\D/g, "")
  return ranges.some((range) => range.test(digits)) && passesLuhn(digits)
}

/** Digits of what a network has for a card's number. */
export const cardNumbersIn = (text: string): ReadonlyArray<string> => {
  if (!mayHoldOne(text)) return []
  const read = asRead(text)
  return patterns
    .flatMap((pattern) => Array.from(read.matchAll(pattern), ([found]) => found))
    .filter(isCardNumber)
    .map((found) => found.replaceAll(/\D/g, ""))
}

export const holdsCardNumber = (text: string): boolean => cardNumbersIn(text).length > 0

/** Text of others, which cannot be refused: of a provider, for example. */
export const hideCardNumbers = (text: string): string =>
  holdsCardNumber(text)
    ? patterns.reduce(
        (rest, pattern) => rest.replaceAll(pattern, (found) => (isCardNumber(found) ? "[card]" : found)),
        asRead(text)
      )
    : text

export const CARD_REFUSED =
  "contains a possible card number, which is never stored: leave it out, or put a letter right before it if it is another number"

/** Filter of schemas. */
export const withoutCardNumber = (text: string): true | string => !holdsCardNumber(text) || CARD_REFUSED

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

const AFTER_THE_LAST_TIME_ZONE = 24 * 60 * 60 * 1000

/** A card is good until its month is over, wherever on earth that is last. */
export const isExpired = (month: string, year: string, now: Date): boolean => {
  const monthAfter = Date.UTC(Number(year.length === 2 ? `20${year}` : year), Number(month))
  return monthAfter + AFTER_THE_LAST_TIME_ZONE <= now.getTime()
}
