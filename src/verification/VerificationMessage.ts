/** What a person reads who is asked to verify who they are. */
import type { RequestVerification } from "../api/Verification.ts"

const names = { bvn: "Bank Verification Number (BVN)", nin: "National Identification Number (NIN)" } as const

interface About {
  readonly organization: string
  readonly transactionId: string
  readonly requestId: string
  readonly wanted: Pick<typeof RequestVerification.Type, "message" | "verification_type">
}

export const verificationMessage = ({ organization, requestId, transactionId, wanted }: About) => {
  const number = names[wanted.verification_type]
  const ours = `${organization} asks you to verify your ${number} for a transaction in which you take part.`
  return {
    subject: `${organization}: please verify your ${wanted.verification_type.toUpperCase()}`,
    text: [
      wanted.message ?? ours,
      `Transaction: ${transactionId}\nRequest: ${requestId}`,
      "Never send the number itself by e-mail."
    ].join("\n\n")
  }
}
