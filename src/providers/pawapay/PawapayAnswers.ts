/** Reads pawaPay's answers into outcomes and reports. */
import { Either, Option, Schema } from "effect"
import type { RefusalCode } from "../../domain/PaymentStatus.ts"
import { Absent, Accepted, Declined, type Enquiry, type Outcome, Report, Unknown } from "../../domain/Outcome.ts"
import type { ProviderReply } from "../client/ProviderHttp.ts"
import { credentialsRefused, noVerdict, providerIds, settledOnce, unreadable } from "../client/ProviderReplies.ts"
import { meaningOf, moneyOfMajor, optional, optionalText } from "../port/WireValues.ts"
import { type Kind, kinds } from "./PawapayRequests.ts"

const Created = Schema.Struct({
  status: Schema.String,
  rejectionReason: optional(Schema.Struct({ rejectionCode: optionalText, rejectionMessage: optionalText }))
})
const decodeCreated = Schema.decodeUnknownEither(Created)

const Transaction = Schema.Struct({
  status: Schema.String,
  currency: optionalText,
  amount: optionalText,
  depositedAmount: optionalText,
  correspondentIds: optional(Schema.Record({ key: Schema.String, value: Schema.Unknown })),
  failureReason: optional(Schema.Struct({ failureCode: optionalText, failureMessage: optionalText }))
})
type Transaction = typeof Transaction.Type
const decodeFound = Schema.decodeUnknownEither(Schema.Array(Transaction))

const Problem = Schema.Struct({ errorCode: optionalText, errorMessage: optionalText })
const decodeProblem = Schema.decodeUnknownOption(Problem)

interface Meaning {
  readonly code?: RefusalCode
  /** It is the payer's or the recipient's own account. */
  readonly instrument?: true
}

/** Codes of immediate rejections. */
const rejections: Readonly<Record<string, Meaning>> = {
  INVALID_PAYER_FORMAT: { code: "ACCOUNT_INVALID", instrument: true },
  INVALID_RECIPIENT_FORMAT: { code: "ACCOUNT_INVALID", instrument: true },
  INVALID_CORRESPONDENT: { code: "NOT_SUPPORTED" },
  INVALID_CURRENCY: { code: "NOT_SUPPORTED" },
  INVALID_COUNTRY: { code: "NOT_SUPPORTED" },
  DEPOSITS_NOT_ALLOWED: { code: "NOT_SUPPORTED" },
  PAYOUTS_NOT_ALLOWED: { code: "NOT_SUPPORTED" },
  REFUNDS_NOT_ALLOWED: { code: "NOT_SUPPORTED" },
  INVALID_AMOUNT: { code: "INVALID_ORDER" },
  PARAMETER_INVALID: { code: "INVALID_ORDER" },
  INVALID_INPUT: { code: "INVALID_ORDER" },
  DEPOSIT_NOT_FOUND: { code: "INVALID_ORDER" },
  DEPOSIT_NOT_COMPLETED: { code: "INVALID_ORDER" },
  ALREADY_REFUNDED: { code: "INVALID_ORDER" },
  IN_PROGRESS: { code: "PROVIDER_BUSY" },
  AMOUNT_TOO_SMALL: { code: "LIMIT_EXCEEDED" },
  AMOUNT_TOO_LARGE: { code: "LIMIT_EXCEEDED" },
  BALANCE_INSUFFICIENT: { code: "PROVIDER_BALANCE_LOW" },
  CORRESPONDENT_TEMPORARILY_UNAVAILABLE: { code: "PROVIDER_UNAVAILABLE" }
}

/** Codes of later failures. An unknown code says only that it failed. */
const failures: Readonly<Record<string, Meaning>> = {
  PAYER_NOT_FOUND: { code: "ACCOUNT_INVALID", instrument: true },
  PAYMENT_NOT_APPROVED: { code: "NOT_APPROVED", instrument: true },
  PAYER_LIMIT_REACHED: { code: "LIMIT_EXCEEDED", instrument: true },
  INSUFFICIENT_BALANCE: { code: "INSUFFICIENT_FUNDS", instrument: true },
  TRANSACTION_ALREADY_IN_PROCESS: { instrument: true },
  RECIPIENT_NOT_FOUND: { code: "ACCOUNT_INVALID", instrument: true },
  RECIPIENT_NOT_ALLOWED_TO_RECEIVE: { code: "LIMIT_EXCEEDED", instrument: true },
  RECIPIENT_LIMIT_REACHED: { code: "LIMIT_EXCEEDED", instrument: true },
  BALANCE_INSUFFICIENT: { code: "PROVIDER_BALANCE_LOW" }
}

const underWay = new Set(["ACCEPTED", "SUBMITTED", "ENQUEUED", "IN_RECONCILIATION"])

export const DUPLICATE = "DUPLICATE_IGNORED"

const known = new Set([...underWay, DUPLICATE, "COMPLETED", "FAILED"])

export const isKnownStatus = (status: string): boolean => known.has(status)

const problemIn = ({ json }: ProviderReply): typeof Problem.Type =>
  Option.getOrElse(decodeProblem(json), (): typeof Problem.Type => ({}))

const accepted = (
  kind: Kind,
  reference: string,
  status: string,
  state: Accepted["state"],
  { movements, providerData = { [kinds[kind].id]: reference } }: Pick<Report, "movements" | "providerData"> = {}
) =>
  new Accepted({
    state,
    providerPaymentId: reference,
    providerStatus: status,
    nextAction: kind === "deposit" && state !== "completed" ? "wait" : null,
    actionData: {},
    providerData,
    ...(movements === undefined ? {} : { movements })
  })

/** What a creation came to. `DUPLICATE_IGNORED` is taken for under way: what became of it must be asked for. */
export const outcomeOf = (kind: Kind, reference: string, reply: ProviderReply): Outcome => {
  switch (reply.status) {
    case 200:
      return Either.match(decodeCreated(reply.json), {
        onLeft: () => unreadable(reply),
        onRight: ({ rejectionReason, status }) => {
          if (status !== "REJECTED") return accepted(kind, reference, status, "processing")
          const { rejectionCode, rejectionMessage } = rejectionReason ?? {}
          return new Declined({
            reason: rejectionMessage ?? rejectionCode ?? "pawaPay rejected it",
            ...meaningOf(rejections, rejectionCode),
            ...(rejectionCode === undefined ? {} : { providerCode: rejectionCode })
          })
        }
      })
    case 400: {
      const { errorCode, errorMessage } = problemIn(reply)
      return new Declined({
        reason: errorMessage ?? "HTTP 400",
        code: "INVALID_ORDER",
        providerCode: errorCode ?? "400"
      })
    }
    case 401:
    case 403:
      return credentialsRefused(reply)
    default:
      return noVerdict(reply)
  }
}

/** What moved under its id: what was deposited, or the amount of a payout or refund. Nothing for an unreadable deposit. */
const movedBy = (kind: Kind, reference: string, { amount, currency, depositedAmount }: Transaction) => {
  const moved = kind === "deposit" ? depositedAmount : amount
  const money = moved === undefined ? undefined : Option.getOrUndefined(moneyOfMajor(moved, currency ?? ""))
  return kind === "deposit" && moved !== undefined && money === undefined
    ? Option.none()
    : Option.some(settledOnce(kinds[kind].moves, reference, money))
}

const reportOf = (kind: Kind, reference: string, transaction: Transaction): Option.Option<Report> => {
  const { correspondentIds, failureReason, status } = transaction
  const about = {
    reason: null,
    providerPaymentId: reference,
    providerStatus: status,
    ...providerIds({ [kinds[kind].id]: reference, correspondent_ids: correspondentIds })
  }
  if (status === "COMPLETED") {
    return Option.map(
      movedBy(kind, reference, transaction),
      (moved) => new Report({ ...about, ...moved, state: "completed" })
    )
  }
  if (status !== "FAILED") return Option.some(new Report({ ...about, state: "processing" }))
  const { failureCode, failureMessage } = failureReason ?? {}
  const code = meaningOf(failures, failureCode)?.code
  return Option.some(
    new Report({
      ...about,
      state: "failed",
      reason: failureMessage ?? failureCode ?? null,
      ...(code === undefined ? {} : { code }),
      ...(failureCode === undefined ? {} : { providerCode: failureCode })
    })
  )
}

export const enquiryOf = (kind: Kind, reference: string, reply: ProviderReply): Enquiry => {
  if (reply.status !== 200) return noVerdict(reply)
  return Either.match(decodeFound(reply.json), {
    onLeft: () => unreadable(reply),
    onRight: ([found]) =>
      found === undefined
        ? new Absent()
        : Option.getOrElse(
            reportOf(kind, reference, found),
            () => new Unknown({ reason: `it is ${found.status}, with an amount that cannot be read` })
          )
  })
}

/** What a creation came to that pawaPay says it had before, by what it says of it now. */
export const outcomeOfKnown = (kind: Kind, reference: string, first: Accepted, now: Enquiry): Outcome => {
  if (now._tag === "Unknown") return first
  if (now._tag === "Absent") return new Unknown({ reason: "pawaPay has it and does not find it" })
  const status = now.providerStatus ?? DUPLICATE
  switch (now.state) {
    case "failed":
      return new Declined({
        reason: now.reason ?? "pawaPay says that it failed",
        ...meaningOf(failures, now.providerCode),
        ...(now.providerCode === undefined ? {} : { providerCode: now.providerCode })
      })
    case "completed":
      return accepted(kind, reference, status, "completed", now)
    default:
      return accepted(kind, reference, status, "processing")
  }
}
