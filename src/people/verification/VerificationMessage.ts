/** What a person reads who is asked to verify who they are. Whose request it is stands first, in our own words. */
import type { TransactionId } from "../../domain/Identifiers.ts"
import type { RequestVerification } from "../../contract/api/Verification.ts"
import { asName, asQuotation } from "../../domain/PlainWords.ts"

const names = { bvn: "Bank Verification Number (BVN)", nin: "National Identification Number (NIN)" } as const

interface About {
  readonly organization: string
  readonly transactionId: TransactionId
  readonly requestId: string
  readonly wanted: Pick<typeof RequestVerification.Type, "message" | "verification_type">
}

export const verificationMessage = ({ organization, requestId, transactionId, wanted }: About) => {
  const asking = asName(organization)
  const number = names[wanted.verification_type]
  const { message } = wanted
  return {
    subject: `${asking}: please verify your ${wanted.verification_type.toUpperCase()}`,
    text: [
      `${asking} asks you to verify your ${number} for a transaction in which you take part.`,
      ...(message === undefined || message === null ? [] : [`${asking} writes:\n${asQuotation(message)}`]),
      `Transaction: ${transactionId}\nRequest: ${requestId}`,
      "Never send the number itself by e-mail."
    ].join("\n\n")
  }
}
