/** Reads Circle's recipients, transfers and refusals. */
import { Either, Option, Schema } from "effect"
import { Money } from "../../domain/Money.ts"
import { Accepted, Declined, type Enquiry, type Outcome, Report, Unknown } from "../../domain/Outcome.ts"
import {
  outcomeOfReport,
  asDeclined,
  credentialsRefused,
  enquiryFrom,
  isMade,
  unknownOutcome,
  outcomeFrom,
  providerIds,
  settledOnce,
  unreadable
} from "../client/ProviderReplies.ts"
import type { ProviderReply } from "../client/ProviderHttp.ts"
import { enclosed, optional, optionalText, present, refusalsBy, objectReader } from "../client/WireValues.ts"
import { moneyOfCircle, type RecipientCreation } from "./CircleRequests.ts"

export const Amount = Schema.Struct({ amount: Schema.String, currency: Schema.String })

export const PER_PAGE = 50

const decodeProblem = objectReader({ code: optionalText, message: optionalText })

export const messageIn = ({ json }: ProviderReply): string | undefined =>
  Option.getOrUndefined(Option.flatMap(decodeProblem(json), ({ message }) => Option.fromNullable(message)))

/** Refusal before anything was created. */
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
      return unknownOutcome(reply)
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
type RecipientAnswer = { readonly id: string } | "known"

/** Circle has many words for an address that it checks, and holds transfers to it. */
const usable = ({ id, status = "active" }: typeof Recipient.Type): Either.Either<{ readonly id: string }, Declined> =>
  status === "active" || status === "verification_succeeded"
    ? Either.right({ id })
    : Either.left(
        new Declined({
          reason: status.startsWith("pending")
            ? "The recipient's address waits for its verification in the Circle console"
            : `The recipient's address is ${status} at Circle`,
          code: "NOT_SUPPORTED",
          providerCode: status
        })
      )

export const recipientCreated = (reply: ProviderReply): Either.Either<RecipientAnswer, Declined> => {
  if (reply.status === 409) return Either.right("known")
  if (isMade(reply)) {
    return Option.match(decodeRecipient(reply.json), {
      onNone: () => Either.left(asDeclined(unreadable(reply))),
      onSome: usable
    })
  }
  const refusal = refusalOf(reply)
  return Either.left(
    refusal._tag === "Declined" ? refusal : new Declined({ ...asDeclined(refusal), providerCode: `${reply.status}` })
  )
}

interface RecipientPage {
  readonly found: { readonly id: string } | undefined
  /** The id to go on from; nothing on the last page. */
  readonly next: string | undefined
}

export const recipientListed = (
  reply: ProviderReply,
  { address, chain }: RecipientCreation
): Either.Either<RecipientPage, Declined> =>
  Either.gen(function* () {
    const data = yield* Either.fromOption(
      reply.status === 200 ? decodeRecipients(reply.json) : Option.none(),
      () => new Declined({ reason: `HTTP ${reply.status} to a list of recipients`, code: "PROVIDER_UNAVAILABLE" })
    )
    const found = data.find((one) => one.address === address && one.chain === chain)
    return found === undefined ? { found, next: data.at(-1)?.id } : { found: yield* usable(found), next: undefined }
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

export const isExpectedStatus = (status: string): boolean => known.has(status)

const errorCodes = refusalsBy({
  // The recipient's address is blocked.
  instrument: { SUSPECTED_FRAUD: "transfer_denied" },
  provider: { PROVIDER_BALANCE_LOW: "insufficient_funds" }
})

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
      const codes = present({ code: errorCodes.get(errorCode)?.code, providerCode: errorCode })
      return new Report({ ...about, state: "failed", reason: errorCode ?? null, ...codes })
    }
    default:
      return new Report({ ...about, state: "processing" })
  }
}

export const transferCreated = outcomeFrom(
  decodeTransfer,
  (transfer) =>
    acceptedAs(
      transferReport(transfer),
      { nextAction: null, actionData: {} },
      errorCodes.get(transfer.errorCode)?.instrument === true
    ),
  refusalOf,
  isMade
)

export const transferEnquiry = (reply: ProviderReply): Enquiry =>
  reply.status === 200 || reply.status === 404
    ? enquiryFrom(decodeTransfer, transferReport)(reply)
    : unknownOutcome(reply)
