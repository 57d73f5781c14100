/** Bank validation: whether the numbers of an account can be right, before anything is sent there. */
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "@effect/platform"
import { Schema } from "effect"
import { NotFound } from "./Errors.ts"
import { examples, operation } from "./Operation.ts"

export const UkAccount = Schema.Struct({
  sortCode: Schema.String.annotations({ description: "`NN-NN-NN`" }),
  accountNumber: Schema.String.annotations({ description: "8 digits" })
}).annotations({ identifier: "UkAccount" })

export const UkAccountValidation = Schema.Struct({
  success: Schema.Boolean.annotations({ description: "The same as `accountDetails.validated`" }),
  accountDetails: Schema.Struct({
    sortCode: Schema.String,
    accountNumber: Schema.String,
    validated: Schema.Boolean.annotations({ description: "Whether both have the format of a UK account" }),
    message: Schema.String.annotations({ description: "What is wrong with which of them, if anything" })
  })
}).annotations({ identifier: "UkAccountValidation" })

const request = { sortCode: "20-00-00", accountNumber: "55779911" }

export const BankValidationApi = HttpApiGroup.make("bankValidation")
  .add(
    HttpApiEndpoint.post("validateUkAccount", "/payments/bank-validation/validate-uk-account")
      .setPayload(UkAccount)
      .addSuccess(UkAccountValidation)
      .addError(NotFound)
      .pipe(
        operation({
          access: "any",
          summary: "Validate a UK account",
          description:
            "Looks at the format alone: neither whether the account exists nor whose it is. A wrong format is an answer (200, `success: false`), not an error.",
          request: examples({ "Well formed": request, "Too short": { ...request, accountNumber: "5577" } }),
          response: examples({
            "Well formed": {
              success: true,
              accountDetails: {
                ...request,
                validated: true,
                message: "The sort code and the account number are well formed."
              }
            },
            "Too short": {
              success: false,
              accountDetails: {
                ...request,
                accountNumber: "5577",
                validated: false,
                message: "accountNumber: is not eight digits."
              }
            }
          })
        })
      )
  )
  .annotate(OpenApi.Title, "Bank validation")
  .annotate(OpenApi.Description, "Whether an account number can be one.")
