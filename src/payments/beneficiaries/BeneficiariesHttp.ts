import { Effect, Option } from "effect"
import type {
  BeneficiariesApi,
  BankValidationApi,
  UkAccount,
  UkAccountValidation,
  NetworksApi
} from "../../contract/api/BeneficiariesApi.ts"
import { success } from "../../contract/api/Envelope.ts"
import type { Handlers } from "../../platform/http/Handlers.ts"
import { makePages } from "../../platform/pagination/Pagination.ts"
import { Beneficiaries } from "./Beneficiaries.ts"
import { networksOfCountry } from "../../domain/MobileNetwork.ts"

export const beneficiariesHandlers = Effect.gen(function* () {
  const beneficiaries = yield* Beneficiaries
  const pages = yield* makePages
  const handlers: Handlers<typeof BeneficiariesApi> = {
    list: (request) => {
      const { permit, urlParams } = request
      return pages(request, {
        message: "Beneficiaries",
        filters: urlParams.user_id,
        fetch: (window) => beneficiaries.list(permit, Option.fromNullable(urlParams.user_id), window),
        idOf: (beneficiary) => beneficiary.beneficiary_id
      })
    },
    create: ({ payload, permit }) =>
      Effect.map(beneficiaries.create(permit, payload), (made) => success("Beneficiary created", made)),
    get: ({ path, permit }) =>
      Effect.map(beneficiaries.get(permit, path.beneficiary_id), (found) => success("Beneficiary", found)),
    change: ({ path, payload, permit }) =>
      Effect.map(beneficiaries.change(permit, path.beneficiary_id, payload), (changed) =>
        success("Beneficiary changed", changed)
      ),
    remove: ({ path, permit }) => beneficiaries.remove(permit, path.beneficiary_id)
  }
  return handlers
})

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

export const networksHandlers: Handlers<typeof NetworksApi> = {
  list: ({ payload }) => Effect.succeed(success("Mobile money networks", networksOfCountry(payload.country)))
}
