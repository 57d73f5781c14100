/** Reads Circle's recipients, transfers and refusals. */
import { Option, Schema, Either } from "effect"
import { Accepted, Declined, type Outcome, Report, Unknown, Absent, type Enquiry } from "../../domain/Outcome.ts"
import type { ProviderReply } from "../client/ProviderHttp.ts"
import {
  credentialsRefused,
  isMade,
  noVerdict,
  providerIds,
  settledOnce,
  unreadable
} from "../client/ProviderReplies.ts"
import { type RecipientCreation, moneyOfCircle } from "./CircleRequests.ts"
import type { RefusalCode } from "../../domain/PaymentStatus.ts"
import { Money } from "../../domain/Money.ts"
import { meaningOf, optional, optionalText } from "../port/WireValues.ts"
import { outcomeOfReport } from "../client/DuplicateOrder.ts"

export const Amount = Schema.Struct({ amount: Schema.String, currency: Schema.String })

/** Everything is in `data`. */
export const enclosed = <A, I>(schema: Schema.Schema<A, I>) =>
  Schema.decodeUnknownEither(Schema.Struct({ data: schema }))

const decodeProblem = Schema.decodeUnknownOption(Schema.Struct({ code: optionalText, message: optionalText }))

/** What is refused before anything was made. */
export const refusalOf = (reply: ProviderReply): Declined | Unknown => {
  const { code, message } = Option.getOrElse(decodeProblem(reply.json), (): { code?: string; message?: string } => ({}))
  switch (reply.status) {
    case 400:
    case 404:
      return new Declined({
        reason: message ?? `HTTP ${reply.status}`,
        code: "INVALID_ORDER",
        providerCode: code ?? `${reply.status}`
      })
    case 401:
    case 403:
      return credentialsRefused(reply)
    case 409:
      return new Unknown({ reason: "Circle has another order under this key, or still works on it" })
    default:
      return noVerdict(reply)
  }
}

/** `isInstruments`: a failure is due to the recipient's address. */
export const acceptedAs = (
  report: Report,
  answer: Pick<Accepted, "nextAction" | "actionData">,
  isInstruments = false
): Outcome => {
  const outcome = outcomeOfReport(report)
  if (outcome._tag === "Accepted") return new Accepted({ ...outcome, ...answer })
  return isInstruments ? new Declined({ ...outcome, instrument: true }) : outcome
}

const Recipient = Schema.Struct({
  id: Schema.String,
  address: optionalText,
  chain: optionalText,
  status: optionalText
})

const decodeRecipient = enclosed(Recipient)
const decodeRecipients = enclosed(Schema.Array(Recipient))

/** `known`: Circle has the address under an id that must be looked for. */
export type RecipientAnswer = { readonly id: string } | "known"

const usable = ({ id, status }: typeof Recipient.Type): Either.Either<{ readonly id: string }, Declined> =>
  status === "pending_verification"
    ? Either.left(
        new Declined({
          reason: "The recipient's address waits for its verification in the Circle console",
          code: "NOT_SUPPORTED",
          providerCode: status
        })
      )
    : Either.right({ id })

export const recipientCreated = (reply: ProviderReply): Either.Either<RecipientAnswer, Declined> => {
  if (reply.status === 409) return Either.right("known")
  if (isMade(reply)) {
    return Either.match(decodeRecipient(reply.json), {
      onLeft: () => Either.left(new Declined({ reason: unreadable(reply).reason, code: "PROVIDER_UNAVAILABLE" })),
      onRight: ({ data }) => usable(data)
    })
  }
  const refusal = refusalOf(reply)
  return Either.left(
    refusal._tag === "Declined"
      ? refusal
      : new Declined({ reason: refusal.reason, code: "PROVIDER_UNAVAILABLE", providerCode: `${reply.status}` })
  )
}

export interface RecipientPage {
  readonly found: { readonly id: string } | undefined
  /** The id to go on from; nothing on the last page. */
  readonly next: string | undefined
}

export const recipientListed = (
  reply: ProviderReply,
  { address, chain }: RecipientCreation
): Either.Either<RecipientPage, Declined> =>
  Either.gen(function* () {
    const { data } = yield* Either.mapLeft(
      reply.status === 200 ? decodeRecipients(reply.json) : Either.left(undefined),
      () => new Declined({ reason: `HTTP ${reply.status} to a list of recipients`, code: "PROVIDER_UNAVAILABLE" })
    )
    const known = data.find((one) => one.address === address && one.chain === chain)
    return known === undefined
      ? { found: undefined, next: data.at(-1)?.id }
      : { found: yield* usable(known), next: undefined }
  })

const Transfer = Schema.Struct({
  id: Schema.String,
  status: Schema.String,
  source: optional(Schema.Struct({ type: Schema.String })),
  amount: optional(Amount),
  transactionHash: optionalText,
  fees: optional(Schema.Array(Amount)),
  errorCode: optionalText
})
type Transfer = typeof Transfer.Type

const decodeTransfer = enclosed(Transfer)

const known = new Set(["pending", "complete", "failed"])

export const isKnownStatus = (status: string): boolean => known.has(status)

const errorCodes: Readonly<Record<string, { readonly code?: RefusalCode; readonly instrument?: true }>> = {
  insufficient_funds: { code: "PROVIDER_BALANCE_LOW" },
  // The recipient's address is blocked.
  transfer_denied: { code: "SUSPECTED_FRAUD", instrument: true }
}

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
      const code = meaningOf(errorCodes, errorCode)?.code
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
            meaningOf(errorCodes, data.errorCode)?.instrument === true
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
