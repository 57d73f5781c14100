/** Formats of bank accounts (IBAN, NUBAN, UK) and mobile money accounts. */
import type { CountryCode } from "./Country.ts"
import { electronicFormatIBAN, isValidIBAN } from "ibantools"
import { Either, Option } from "effect"
import type { AnyCurrencyCode } from "./Currency.ts"
import { findNetwork, networksOfCountry } from "./MobileNetwork.ts"
import { readPhoneNumberOf } from "./PhoneNumber.ts"

/** International account numbers: told from domestic ones by their first two letters, and checked to the last digit. */

/** Territories whose banks issue the IBANs of another country. */
const issuedBy: Readonly<Record<string, string>> = {
  AX: "FI",
  ...Object.fromEntries(["GG", "IM", "JE"].map((territory) => [territory, "GB"])),
  ...Object.fromEntries(
    ["BL", "GF", "GP", "MF", "MQ", "NC", "PF", "PM", "RE", "TF", "WF", "YT"].map((territory) => [territory, "FR"])
  )
}

export const startsLikeIban = (accountNumber: string): boolean => /^[A-Za-z]{2}/.test(accountNumber)

/** Without spaces and dashes, in upper case. */
export const compactIban = (text: string): string => electronicFormatIBAN(text) ?? ""

const wellFormed = /^[A-Za-z0-9]+(?:[ -][A-Za-z0-9]+)*$/

/** Why the text is not an IBAN of that country, if so. */
export const ibanProblem = (text: string, country: CountryCode): string | undefined => {
  const iban = compactIban(text)
  if (!wellFormed.test(text) || !isValidIBAN(iban)) {
    return "is not a valid IBAN: its length or its check digits are wrong (an account number that starts with two letters is read as an IBAN)"
  }
  const issuer = iban.slice(0, 2)
  return issuer === country || issuer === issuedBy[country]
    ? undefined
    : `is an IBAN of ${issuer}, but the bank's country is ${country}`
}

/**
 * Nigerian account numbers (NUBAN): nine digits and a check digit that depends on the institution. The Central Bank of
 * Nigeria set the rule in 2010 for banks and in 2020 for other financial institutions.
 */
const weights = [3, 7, 3] as const

/**
 * The six digits that an institution has in the check digit: a bank's three, or another institution's five after a 9.
 * A six-digit code in use is a switch's own number, not these: it proves nothing about the account.
 */
const institutionOf = (bankCode: string): string | undefined => {
  if (/^\d{3}$/.test(bankCode)) return `000${bankCode}`
  if (/^\d{5}$/.test(bankCode)) return `9${bankCode}`
  return undefined
}

export const isNubanShaped = (accountNumber: string): boolean => /^\d{10}$/.test(accountNumber)

/** Of the first nine digits of an account; nothing for a bank code that the scheme does not know. */
export const nubanCheckDigit = (bankCode: string, serial: string): number | undefined => {
  const institution = institutionOf(bankCode)
  if (institution === undefined) return undefined
  const sum = Array.from(`${institution}${serial}`, Number).reduce(
    (total, digit, index) => total + digit * weights[index % 3]!,
    0
  )
  return (10 - (sum % 10)) % 10
}

/** Whether an account number of ten digits can be one of this bank's. */
export const agreesWithBank = (accountNumber: string, bankCode: string): boolean => {
  const expected = nubanCheckDigit(bankCode, accountNumber.slice(0, 9))
  return expected === undefined || expected === Number(accountNumber[9])
}

interface BankAccountParts {
  readonly account_number: string
  readonly bank_code: string | null
  readonly country: CountryCode
}

interface FieldProblem {
  readonly field: "account_number" | "bank_code"
  readonly reason: string
}

/** Where an account number alone does not say which bank holds it, and the code has a form that can be checked. */
const NEED_BANK_CODE: ReadonlySet<string> = new Set(["GB", "NG"])

const isSortCode = (bankCode: string): boolean => /^(?:\d{6}|\d{2}-\d{2}-\d{2})$/.test(bankCode)

const inNigeria = ({ account_number, bank_code }: BankAccountParts): string | undefined => {
  if (!isNubanShaped(account_number)) return "is not a Nigerian account number (NUBAN) of 10 digits"
  return bank_code === null || agreesWithBank(account_number, bank_code)
    ? undefined
    : "is not a NUBAN of the bank in bank_code: its check digit does not match"
}

const inUnitedKingdom = ({ account_number }: BankAccountParts): string | undefined =>
  /^\d{8}$/.test(account_number) ? undefined : "is not a UK account number of 8 digits"

const domesticProblem = (parts: BankAccountParts): string | undefined => {
  switch (parts.country) {
    case "NG":
      return inNigeria(parts)
    case "GB":
      return inUnitedKingdom(parts)
    default:
      return undefined
  }
}

export const bankAccountProblems = (parts: BankAccountParts): ReadonlyArray<FieldProblem> => {
  const { account_number, bank_code, country } = parts
  const problems: Array<FieldProblem> = []
  const international = startsLikeIban(account_number)
  const reason = international ? ibanProblem(account_number, country) : domesticProblem(parts)
  if (reason !== undefined) problems.push({ field: "account_number", reason })
  if (bank_code === null && !international && NEED_BANK_CODE.has(country)) {
    problems.push({ field: "bank_code", reason: `is missing: in ${country} only an IBAN goes without it` })
  } else if (bank_code !== null && country === "GB" && !isSortCode(bank_code)) {
    problems.push({ field: "bank_code", reason: "is not a UK sort code of 6 digits, such as 12-34-56 or 123456" })
  }
  return problems
}

/** Problems of a mobile money account: network, number and currency must match. */
interface MobileMoneyAccount {
  readonly provider: string
  readonly phone_number: string
}

/** The fields by which the problems are to be named. */
interface MobileMoneyFields {
  readonly details: string
  readonly currency: string
}

/** `field: reason` for each. */
export const mobileMoneyProblems = (
  { phone_number, provider }: MobileMoneyAccount,
  country: CountryCode,
  currency: AnyCurrencyCode,
  fields: MobileMoneyFields
): ReadonlyArray<string> => {
  const known = networksOfCountry(country).map(({ name }) => name)
  if (known.length === 0) return [`${fields.details}.provider: is not a network of ${country}; it has none`]
  const phone = readPhoneNumberOf(phone_number, country)
  const wrongPhone = Either.isLeft(phone) ? [`${fields.details}.phone_number: ${phone.left}`] : []
  return Option.match(findNetwork(country, provider), {
    onNone: () => [
      `${fields.details}.provider: is not a network of ${country}; use one of ${known.join(", ")}`,
      ...wrongPhone
    ],
    onSome: ({ currency: own, name }) => [
      ...wrongPhone,
      ...(currency === own ? [] : [`${fields.currency}: ${name} of ${country} moves ${own} only`])
    ]
  })
}
