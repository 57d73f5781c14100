/** Reads a card from the form of a hosted page. Card data is never shown again. */
import { Either, Redacted } from "effect"
import { brandOf, holdsCardNumber, holdsNumber, isExpired } from "../../domain/Card.ts"
import type { Card } from "../../providers/port/Provider.ts"

export const cardFields = ["number", "expiry", "cvv", "holder"] as const
export type CardField = (typeof cardFields)[number]

const LONGEST_HOLDER = 200

/** Luhn check, which catches typing errors. UnionPay numbers need no check digit. */
const hasCheckDigit = (number: string): boolean => {
  if (brandOf(number) === "unionpay") return true
  const sum = Array.from(number)
    .reverse()
    .map((digit, index) => Number(digit) * (index % 2 === 0 ? 1 : 2))
    .reduce((total, value) => total + (value > 9 ? value - 9 : value), 0)
  return sum % 10 === 0
}

const numberOf = (typed: string): string | undefined => {
  const digits = typed.replaceAll(/[\s-]/g, "")
  return /^\d{13,19}$/.test(digits) && hasCheckDigit(digits) ? digits : undefined
}

interface Expiry {
  readonly month: string
  readonly year: string
}

const expiryOf = (typed: string, now: Date): Expiry | undefined => {
  const [, month, digits] = /^\s*(0?[1-9]|1[0-2])\s*[/\s.-]\s*((?:20)?\d{2})\s*$/.exec(typed) ?? []
  if (month === undefined || digits === undefined) return undefined
  const year = digits.length === 2 ? `20${digits}` : digits
  return isExpired(month, year, now) ? undefined : { month: month.padStart(2, "0"), year }
}

const cvvOf = (typed: string): string | undefined => (/^\d{3,4}$/.test(typed.trim()) ? typed.trim() : undefined)

const holderOf = (typed: string, number = ""): string | undefined => {
  const holder = typed.trim()
  const isName = holder.length >= 1 && holder.length <= LONGEST_HOLDER && !holder.includes("\0")
  return isName && !holdsNumber(holder, number) && !holdsCardNumber(holder) ? holder : undefined
}

/** Left: invalid fields. */
export const cardOf = (
  form: URLSearchParams,
  now: Date
): Either.Either<Redacted.Redacted<Card>, ReadonlyArray<CardField>> => {
  const typed = (field: CardField): string => form.get(field) ?? ""
  const number = numberOf(typed("number"))
  const expiry = expiryOf(typed("expiry"), now)
  const cvv = cvvOf(typed("cvv"))
  const holder = holderOf(typed("holder"), number)
  if (number === undefined || expiry === undefined || cvv === undefined || holder === undefined) {
    const read = { number, expiry, cvv, holder }
    return Either.left(cardFields.filter((field) => read[field] === undefined))
  }
  return Either.right(Redacted.make({ number, expiryMonth: expiry.month, expiryYear: expiry.year, cvv, holder }))
}
