import { Effect } from "effect"
import type { BankValidationApi, UkAccount, UkAccountValidation } from "../../contract/api/BankValidation.ts"
import type { Handlers } from "../../platform/http/Handlers.ts"

const sortCodeFormat = /^\d{2}-\d{2}-\d{2}$/
const accountNumberFormat = /^\d{8}$/

/** The format of a UK account, and nothing but the format. */
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

export const bankValidationHandlers: Handlers<typeof BankValidationApi> = {
  validateUkAccount: ({ payload }) => Effect.succeed(validateUkAccount(payload))
}
