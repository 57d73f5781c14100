/** The format of a UK account, and nothing but the format. */
import type { UkAccount, UkAccountValidation } from "../../contract/api/BankValidation.ts"

const sortCodeFormat = /^\d{2}-\d{2}-\d{2}$/
const accountNumberFormat = /^\d{8}$/

export const validateUkAccount = ({
  accountNumber,
  sortCode
}: typeof UkAccount.Type): typeof UkAccountValidation.Type => {
  const wrong = [
    ...(sortCodeFormat.test(sortCode) ? [] : ["sortCode: is not six digits as NN-NN-NN."]),
    ...(accountNumberFormat.test(accountNumber) ? [] : ["accountNumber: is not eight digits."])
  ]
  const validated = wrong.length === 0
  const message = validated ? "The sort code and the account number are well formed." : wrong.join(" ")
  return { success: validated, accountDetails: { sortCode, accountNumber, validated, message } }
}
