/**
 * Nigerian account numbers (NUBAN): nine digits and a check digit that depends on the institution, as the Central Bank
 * of Nigeria set it in 2010 for banks and in 2020 for other financial institutions.
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
