import { Effect } from "effect"
import type { BankValidationApi } from "../../contract/api/BankValidation.ts"
import type { Handlers } from "../../platform/http/Handlers.ts"
import { validateUkAccount } from "./UkAccount.ts"

export const bankValidationHandlers: Handlers<typeof BankValidationApi> = {
  validateUkAccount: ({ payload }) => Effect.succeed(validateUkAccount(payload))
}
