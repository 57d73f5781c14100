/** What an account number and a bank code must look like, in the countries that have a rule for it. */
import type { CountryCode } from "./Country.ts"
import { ibanProblem, startsLikeIban } from "./Iban.ts"
import { agreesWithBank, isNubanShaped } from "./Nuban.ts"

export interface BankAccountParts {
  readonly account_number: string
  readonly bank_code: string | null
  readonly country: CountryCode
}

export interface FieldProblem {
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
