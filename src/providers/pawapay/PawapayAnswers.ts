/** Reads pawaPay's answers into outcomes and reports. */
import { Option, Schema } from "effect"
import { Absent, Accepted, Declined, type Enquiry, type Outcome, Report, Unknown } from "../../domain/Outcome.ts"
import type { ProviderReply } from "../client/ProviderHttp.ts"
import { credentialsRefused, unknownOutcome, providerIds, settledOnce, unreadable } from "../client/ProviderReplies.ts"
import { moneyOfMajor, optional, optionalText, present, refusalsBy, objectReader } from "../client/WireValues.ts"
import { type Kind, kinds } from "./PawapayRequests.ts"

const createdIn = objectReader({
  status: Schema.String,
  rejectionReason: optional(Schema.Struct({ rejectionCode: optionalText, rejectionMessage: optionalText }))
})

const Transaction = Schema.Struct({
  status: Schema.String,
  currency: optionalText,
  amount: optionalText,
  depositedAmount: optionalText,
  correspondentIds: optional(Schema.Record({ key: Schema.String, value: Schema.Unknown })),
  failureReason: optional(Schema.Struct({ failureCode: optionalText, failureMessage: optionalText }))
})
type Transaction = typeof Transaction.Type
const foundIn = Schema.decodeUnknownOption(Schema.Array(Transaction))

const Problem = Schema.Struct({ errorCode: optionalText, errorMessage: optionalText })
const problemIn = Schema.decodeUnknownOption(Problem)

/** Codes of immediate rejections. */
const rejections = refusalsBy({
  instrument: { ACCOUNT_INVALID: "INVALID_PAYER_FORMAT INVALID_RECIPIENT_FORMAT" },
  provider: {
    NOT_SUPPORTED: `INVALID_CORRESPONDENT INVALID_CURRENCY INVALID_COUNTRY DEPOSITS_NOT_ALLOWED PAYOUTS_NOT_ALLOWED
      REFUNDS_NOT_ALLOWED`,
    INVALID_ORDER: `INVALID_AMOUNT PARAMETER_INVALID INVALID_INPUT DEPOSIT_NOT_FOUND DEPOSIT_NOT_COMPLETED
      ALREADY_REFUNDED`,
    PROVIDER_BUSY: "IN_PROGRESS",
    LIMIT_EXCEEDED: "AMOUNT_TOO_SMALL AMOUNT_TOO_LARGE",
    PROVIDER_BALANCE_LOW: "BALANCE_INSUFFICIENT",
    PROVIDER_UNAVAILABLE: "CORRESPONDENT_TEMPORARILY_UNAVAILABLE"
  }
})

/** Codes of later failures. An unknown code says only that it failed. */
const failures = new Map([
  ...refusalsBy({
    instrument: {
      ACCOUNT_INVALID: "PAYER_NOT_FOUND RECIPIENT_NOT_FOUND",
      NOT_APPROVED: "PAYMENT_NOT_APPROVED",
      LIMIT_EXCEEDED: "PAYER_LIMIT_REACHED RECIPIENT_NOT_ALLOWED_TO_RECEIVE RECIPIENT_LIMIT_REACHED",
      INSUFFICIENT_FUNDS: "INSUFFICIENT_BALANCE"
    },
    provider: { PROVIDER_BALANCE_LOW: "BALANCE_INSUFFICIENT" }
  }),
  ["TRANSACTION_ALREADY_IN_PROCESS", { instrument: true }] as const
])

export const DUPLICATE = "DUPLICATE_IGNORED"

const known = new Set(["ACCEPTED", "SUBMITTED", "ENQUEUED", "IN_RECONCILIATION", DUPLICATE, "COMPLETED", "FAILED"])

export const isExpectedStatus = (status: string): boolean => known.has(status)

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
    ...present({ movements })
  })

const declined = (failure: ReturnType<typeof rejections.get>, reason: string, providerCode: string | undefined) =>
  new Declined({ reason, ...failure, ...present({ providerCode }) })

/** Outcome of a creation. `DUPLICATE_IGNORED` counts as under way; an enquiry tells more. */
export const outcomeOf = (kind: Kind, reference: string, reply: ProviderReply): Outcome => {
  switch (reply.status) {
    case 200:
      return Option.match(createdIn(reply.json), {
        onNone: () => unreadable(reply),
        onSome: ({ rejectionReason: { rejectionCode: code, rejectionMessage } = {}, status }) =>
          status === "REJECTED"
            ? declined(rejections.get(code), rejectionMessage ?? code ?? "pawaPay rejected it", code)
            : accepted(kind, reference, status, "processing")
      })
    case 400: {
      const { errorCode, errorMessage } = Option.getOrElse(problemIn(reply.json), (): typeof Problem.Type => ({}))
      return declined({ code: "INVALID_ORDER" }, errorMessage ?? "HTTP 400", errorCode ?? "400")
    }
    case 401:
    case 403:
      return credentialsRefused(reply)
    default:
      return unknownOutcome(reply)
  }
}

/** The id moves money once: what was deposited, or the amount of a payout or refund. None: a deposit cannot be read. */
const movedBy = (kind: Kind, reference: string, { amount, currency, depositedAmount }: Transaction) => {
  const moved = kind === "deposit" ? depositedAmount : amount
  const money = Option.getOrUndefined(moneyOfMajor(moved, currency))
  return kind === "deposit" && moved !== undefined && money === undefined
    ? Option.none()
    : Option.some(settledOnce(kinds[kind].moves, reference, money))
}

const reportOf = (kind: Kind, reference: string, transaction: Transaction): Option.Option<Report> => {
  const { correspondentIds, failureReason: { failureCode, failureMessage } = {}, status } = transaction
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
  const reason = failureMessage ?? failureCode ?? null
  const codes = present({ code: failures.get(failureCode)?.code, providerCode: failureCode })
  return Option.some(new Report({ ...about, state: "failed", reason, ...codes }))
}

export const enquiryOf = (kind: Kind, reference: string, reply: ProviderReply): Enquiry => {
  if (reply.status !== 200) return unknownOutcome(reply)
  return Option.match(foundIn(reply.json), {
    onNone: () => unreadable(reply),
    onSome: ([found]) =>
      found === undefined
        ? new Absent()
        : Option.getOrElse(
            reportOf(kind, reference, found),
            () => new Unknown({ reason: `it is ${found.status}, with an amount that cannot be read` })
          )
  })
}

/** Outcome of an order that pawaPay had before, by its current state. */
export const outcomeOfKnown = (kind: Kind, reference: string, first: Accepted, now: Enquiry): Outcome => {
  if (now._tag === "Unknown") return first
  if (now._tag === "Absent") return new Unknown({ reason: "pawaPay has it and does not find it" })
  const status = now.providerStatus ?? DUPLICATE
  switch (now.state) {
    case "failed":
      return declined(failures.get(now.providerCode), now.reason ?? "pawaPay says that it failed", now.providerCode)
    case "completed":
      return accepted(kind, reference, status, "completed", now)
    default:
      return accepted(kind, reference, status, "processing")
  }
}
