/** International account numbers: told from domestic ones by their first two letters, and checked to the last digit. */
import { electronicFormatIBAN, isValidIBAN } from "ibantools"
import type { CountryCode } from "./Country.ts"

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

/** What is wrong with it as an account in that country, if anything. */
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
