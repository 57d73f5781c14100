/** From Circle's transfers to outcomes: nothing here talks to anybody. */
import { Either, Option, Schema } from "effect"
import type { RefusalCode } from "../../domain/FailureCode.ts"
import { Money } from "../../domain/Money.ts"
import { Absent, type Enquiry, type Outcome, Report } from "../../domain/Outcome.ts"
import type { ProviderReply } from "../client/ProviderHttp.ts"
import { isMade, noVerdict, providerIds, settledOnce } from "../client/ProviderReplies.ts"
import { moneyOfCircle } from "./CircleMoney.ts"
import { acceptedAs, Amount, enclosed, optional, refusalOf, unreadable } from "./CircleReplies.ts"

const Transfer = Schema.Struct({
  id: Schema.String,
  status: Schema.String,
  source: optional(Schema.Struct({ type: Schema.String })),
  amount: optional(Amount),
  transactionHash: optional(Schema.String),
  fees: optional(Schema.Array(Amount)),
  errorCode: optional(Schema.String)
})
type Transfer = typeof Transfer.Type

const decodeTransfer = enclosed(Transfer)

const known = new Set(["pending", "complete", "failed"])

/** Whatever else it says is taken for under way, and whoever looks after the account should hear of it. */
export const isKnownStatus = (status: string | null): boolean => status === null || known.has(status)

const errorCodes: Readonly<Record<string, { readonly code?: RefusalCode; readonly instrument?: true }>> = {
  insufficient_funds: { code: "PROVIDER_BALANCE_LOW" },
  // The recipient's address is one that nobody may pay to.
  transfer_denied: { code: "SUSPECTED_FRAUD", instrument: true }
}

const meaningOf = (code: string | undefined) =>
  code !== undefined && Object.hasOwn(errorCodes, code) ? (errorCodes[code] ?? {}) : {}

/** Left out where one of them cannot be read. */
const feeOf = ({ fees = [] }: Transfer): { readonly fee?: Money } => {
  const read = Option.all(fees.map(moneyOfCircle))
  const [first, ...rest] = Option.getOrElse(read, () => [])
  if (first === undefined || rest.some(({ currency }) => currency !== first.currency)) return {}
  const minor = rest.reduce((sum, one) => sum + one.minor, first.minor)
  return { fee: new Money({ currency: first.currency, minor }) }
}

const transferReport = (transfer: Transfer): Report => {
  const { amount, errorCode, id, status, transactionHash } = transfer
  const ids = providerIds({ transfer_id: id, transaction_hash: transactionHash })
  const about = { reason: null, providerPaymentId: id, providerStatus: status, ...ids }
  switch (status) {
    case "complete": {
      const money = amount === undefined ? undefined : Option.getOrUndefined(moneyOfCircle(amount))
      return new Report({
        ...about,
        state: "completed",
        ...feeOf(transfer),
        ...settledOnce("disbursement", id, money)
      })
    }
    case "failed": {
      const { code } = meaningOf(errorCode)
      return new Report({
        ...about,
        state: "failed",
        reason: errorCode ?? null,
        ...(code === undefined ? {} : { code }),
        ...(errorCode === undefined ? {} : { providerCode: errorCode })
      })
    }
    default:
      return new Report({ ...about, state: "processing" })
  }
}

export const transferCreated = (reply: ProviderReply): Outcome =>
  isMade(reply)
    ? Either.match(decodeTransfer(reply.json), {
        onLeft: () => unreadable(reply),
        onRight: ({ data }) =>
          acceptedAs(
            transferReport(data),
            { nextAction: null, actionData: {} },
            meaningOf(data.errorCode).instrument === true
          )
      })
    : refusalOf(reply)

export const transferEnquiry = (reply: ProviderReply): Enquiry => {
  if (reply.status === 404) return new Absent()
  if (reply.status !== 200) return noVerdict(reply)
  return Either.match(decodeTransfer(reply.json), {
    onLeft: () => unreadable(reply),
    onRight: ({ data }): Enquiry => transferReport(data)
  })
}
