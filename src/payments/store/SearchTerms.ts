/** Search text of a user, read as each kind of value that it may be. */
import { isAnyCurrencyCode } from "../../domain/Currency.ts"
import type { CountryCode } from "../../domain/Country.ts"
import type { PaymentId } from "../../domain/Ids.ts"
import type { Payment } from "./Payment.ts"
import { hasReference, isOfCustomer } from "./PaymentSearch.ts"

export interface SearchedAmount {
  /** Decimal text without zeros that do not count. */
  readonly value: string
  readonly currency: string | undefined
}

export interface SearchTerms {
  readonly text: string
  /** Parts of the text that a reference or a name contains, in any order. */
  readonly words: ReadonlyArray<string>
  readonly amount: SearchedAmount | undefined
  readonly last4: string | undefined
  /** E-mail address or phone number. */
  readonly customer: string | undefined
}

/** Digits of an amount that are compared; longer ones are references. */
const LONGEST_AMOUNT = 18

/** 1500, 1,500.00, 1 500.00, 1500,00, 1.500,00 and 1 500,00. */
const shapes: ReadonlyArray<readonly [RegExp, groups: RegExp]> = [
  [/^\d+(\.\d+)?$/, /[^\d.]/g],
  [/^\d{1,3}([, \u00a0\u202f'])\d{3}(\1\d{3})*(\.\d+)?$/, /[^\d.]/g],
  [/^\d+,\d{1,2}$/, /[^\d,]/g],
  [/^\d{1,3}([. \u00a0\u202f'])\d{3}(\1\d{3})*,\d+$/, /[^\d,]/g]
]

/** Signs of currencies belong to several: $1,500 is an amount of any. */
const SIGN = /^(?:[a-z]{0,2}\p{Sc})\s*(?=\d)|(?<=\d)\s*\p{Sc}$/iu

/** As receipts of mobile money write them. */
const shillings: Readonly<Record<string, string>> = { KSH: "KES", TSH: "TZS", USH: "UGX" }

const plain = (digits: string): string => {
  const [whole = "", fraction = ""] = digits.split(".")
  const rest = fraction.replace(/0+$/, "")
  return `${whole.replace(/^0+(?=\d)/, "")}${rest === "" ? "" : `.${rest}`}`
}

const valueOf = (text: string): string | undefined => {
  const shape = shapes.find(([pattern]) => pattern.test(text))
  if (shape === undefined || text.length > LONGEST_AMOUNT) return undefined
  const value = plain(text.replace(shape[1], "").replace(",", "."))
  return value === "0" ? undefined : value
}

const amountIn = (text: string): SearchedAmount | undefined => {
  const [, before, digits = "", after] =
    /^([a-z]{3,4})?\s*([\d][\d.,' \u00a0\u202f]*?)\s*([a-z]{3,4})?$/i.exec(text.replace(SIGN, "")) ?? []
  const named = (before ?? after)?.toUpperCase()
  const code = named === undefined ? undefined : (shillings[named] ?? named)
  const value = valueOf(digits)
  const isCurrency = code === undefined || (isAnyCurrencyCode(code) && (before === undefined || after === undefined))
  return value !== undefined && isCurrency ? { value, currency: code } : undefined
}

const last4In = (text: string): string | undefined =>
  /^(?:[\d*x\u2022\u00b7.\s-]*[*x\u2022\u00b7.][\s-]*)?(\d{4})$/i.exec(text)?.[1]

const isCustomer = (text: string): boolean => /.@./.test(text) || /^\+?[\d ()-]{7,20}$/.test(text)

/** Each word is compared with each text that is read. */
const MOST_WORDS = 6

const wordsIn = (text: string): ReadonlyArray<string> => {
  const words = text.split(/,?\s+/)
  return words.length > MOST_WORDS ? [text] : words
}

export const searchTerms = (typed: string): SearchTerms => {
  const text = typed.trim()
  return {
    text,
    words: wordsIn(text),
    amount: amountIn(text),
    last4: last4In(text),
    customer: isCustomer(text) ? text : undefined
  }
}

const amountMatches = ({ currency, value }: SearchedAmount, payment: Payment): boolean =>
  [payment.amount, payment.target].some(
    (money) => plain(money.toNumericText()) === value && (currency === undefined || money.currency === currency)
  )

/** A match by amount, card or customer, as the indexes find them. */
export const matchesValues = (
  { amount, customer, last4 }: SearchTerms,
  home: CountryCode | undefined,
  payment: Payment
): boolean =>
  (amount !== undefined && amountMatches(amount, payment)) ||
  (last4 !== undefined && payment.card_details["last4"] === last4) ||
  (customer !== undefined && isOfCustomer(customer, home, payment))

/** `called`: payments that some provider calls by the text, or a transfer of which. */
export const matchesExactly = (
  terms: SearchTerms,
  home: CountryCode | undefined,
  payment: Payment,
  called: ReadonlySet<PaymentId>
): boolean => hasReference(terms.text, payment, called) || matchesValues(terms, home, payment)

const part = (value: unknown, longest: number): string => (typeof value === "string" ? value.slice(0, longest) : "")

/** The function `search_form` of the database, for the store in memory. */
const searchForm = (words: string): string =>
  words
    .replace(/[\u2019\u2018\u02bc]/g, "'")
    .toLowerCase()
    .replaceAll("ς", "σ")
    .normalize("NFD")
    .replace(/[\u0300-\u036f]/g, "")
    .normalize("NFC")

const searchTextOf = ({ client_reference, payer_details, recipient_info }: Payment): string =>
  `${client_reference ?? ""}\n${part(payer_details["name"], 200)}\n${part(recipient_info["fname"], 100)} ${part(recipient_info["lname"], 100)}`

export const containsText = ({ words }: SearchTerms, payment: Payment): boolean => {
  const text = searchForm(searchTextOf(payment))
  return words.every((word) => text.includes(searchForm(word)))
}
