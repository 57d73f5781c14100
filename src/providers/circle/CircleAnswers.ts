/** From Circle's answers to outcomes: nothing here talks to anybody. */
import { Either, Option, Schema } from "effect"
import type { RefusalCode } from "../../domain/FailureCode.ts"
import { Money } from "../../domain/Money.ts"
import { Absent, Accepted, Declined, type Enquiry, type Outcome, Report, Unknown } from "../../domain/Outcome.ts"
import type { ProviderReply } from "../client/ProviderHttp.ts"
import { credentialsRefused, noVerdict } from "../client/Replies.ts"
import { moneyOfCircle } from "./CircleMoney.ts"
import { type Kind, networkOfChain, type RecipientCreation } from "./CircleRequests.ts"

const optional = <A, I>(schema: Schema.Schema<A, I>) => Schema.optionalWith(schema, { nullable: true })

const Amount = Schema.Struct({ amount: Schema.String, currency: Schema.String })

export const Intent = Schema.Struct({
  id: Schema.String,
  amountPaid: optional(Amount),
  paymentMethods: optional(Schema.Array(Schema.Struct({ chain: Schema.String, address: optional(Schema.String) }))),
  paymentIds: optional(Schema.Array(Schema.String)),
  timeline: optional(
    Schema.Array(
      Schema.Struct({
        status: Schema.String,
        context: optional(Schema.String),
        reason: optional(Schema.String),
        time: optional(Schema.String)
      })
    )
  )
})
export type Intent = typeof Intent.Type

export const Transfer = Schema.Struct({
  id: Schema.String,
  status: Schema.String,
  source: optional(Schema.Struct({ type: Schema.String })),
  amount: optional(Amount),
  fees: optional(Schema.Array(Amount)),
  errorCode: optional(Schema.String)
})
export type Transfer = typeof Transfer.Type

const Recipient = Schema.Struct({
  id: Schema.String,
  address: optional(Schema.String),
  chain: optional(Schema.String),
  status: optional(Schema.String)
})

const enclosed = <A, I>(schema: Schema.Schema<A, I>) => Schema.decodeUnknownEither(Schema.Struct({ data: schema }))
const decodeIntent = enclosed(Intent)
const decodeTransfer = enclosed(Transfer)
const decodeRecipient = enclosed(Recipient)
const decodeRecipients = enclosed(Schema.Array(Recipient))
const decodeProblem = Schema.decodeUnknownOption(
  Schema.Struct({ code: optional(Schema.String), message: optional(Schema.String) })
)

type Moment = NonNullable<Intent["timeline"]>[number]

/** Circle puts the newest first, and tells the time of each. */
const newestOf = ({ timeline = [] }: Intent): Moment | undefined => {
  const at = ({ time }: Moment): number => Date.parse(time ?? "") || 0
  return timeline.reduce<Moment | undefined>(
    (newest, one) => (newest === undefined || at(one) > at(newest) ? one : newest),
    undefined
  )
}

const knownMoments = new Set(["created", "pending", "complete", "expired", "failed", "refunded"])
const knownTransfers = new Set(["pending", "complete", "failed"])

/** Whatever else it says is taken for under way, and whoever looks after the account should hear of it. */
export const isKnownStatus = (kind: Kind, status: string | null): boolean =>
  status === null || (kind === "intent" ? knownMoments : knownTransfers).has(status)

export const addressIn = ({ paymentMethods = [] }: Intent): string | undefined =>
  paymentMethods.find(({ address }) => address !== undefined && address !== "")?.address

/** `null` until Circle has chosen one. */
const actionDataOf = (intent: Intent) => ({
  address: addressIn(intent) ?? null,
  network: networkOfChain(intent.paymentMethods?.[0]?.chain ?? "")
})

/** Nothing where money is said to have come, and it cannot be read how much. */
export const intentReport = (intent: Intent): Option.Option<Report> => {
  const { amountPaid, id, paymentIds = [] } = intent
  const newest = newestOf(intent)
  const status = newest?.status ?? null
  const about = { reason: null, providerPaymentId: id, providerStatus: status }
  const paid = amountPaid === undefined ? Option.none() : moneyOfCircle(amountPaid)
  const hasCome = Option.exists(paid, ({ isPositive }) => isPositive)
  const completed = Option.map(paid, (received) => new Report({ ...about, state: "completed", received }))
  const waiting = {
    ...about,
    state: "pending" as const,
    ...(addressIn(intent) === undefined
      ? {}
      : { waitsFor: { nextAction: "wait" as const, actionData: actionDataOf(intent) } })
  }
  switch (status) {
    case "created":
      return Option.some(new Report(waiting))
    case "pending":
      // It waits for its customer until a payment was seen.
      return Option.some(
        paymentIds.length > 0 || hasCome ? new Report({ ...about, state: "processing" }) : new Report(waiting)
      )
    case "complete":
      return completed
    case "expired":
      // Too little may have come before its end: that is money, not a failure.
      if (hasCome) return completed
      return Option.some(
        new Report({
          ...about,
          state: "failed",
          reason: "Nothing was paid before the payment intent expired",
          code: "NOT_APPROVED",
          providerCode: "expired"
        })
      )
    case "failed":
      return Option.some(
        hasCome
          ? new Report({ ...about, state: "processing" })
          : new Report({
              ...about,
              state: "failed",
              reason: newest?.reason ?? null,
              providerCode: newest?.reason ?? "failed"
            })
      )
    case "refunded":
      return Option.some(new Report({ ...about, state: "returned" }))
    default:
      return Option.some(new Report({ ...about, state: "processing" }))
  }
}

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

export const transferReport = (transfer: Transfer): Report => {
  const { amount, errorCode, id, status } = transfer
  const about = { reason: null, providerPaymentId: id, providerStatus: status }
  switch (status) {
    case "complete": {
      const received = amount === undefined ? Option.none() : moneyOfCircle(amount)
      return new Report({
        ...about,
        state: "completed",
        ...feeOf(transfer),
        ...(Option.isSome(received) ? { received: received.value } : {})
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

/** What is refused before anything was made. */
const refusalOf = (reply: ProviderReply): Declined | Unknown => {
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

const unreadable = (reply: ProviderReply): Unknown => noVerdict(reply, "whose body cannot be read")

const isMade = ({ status }: ProviderReply): boolean => status === 200 || status === 201

const acceptedAs = (report: Report, answer: Pick<Accepted, "nextAction" | "actionData" | "providerData">): Outcome => {
  const { code, fee, providerCode, providerPaymentId, providerStatus, reason, received, state } = report
  if (state === "failed" || state === "returned") {
    return new Declined({
      reason: reason ?? "Circle says that it failed",
      ...(code === undefined ? {} : { code }),
      ...(providerCode === undefined ? {} : { providerCode, ...meaningOf(providerCode) })
    })
  }
  return new Accepted({
    ...answer,
    state,
    providerPaymentId,
    providerStatus,
    ...(received === undefined ? {} : { received }),
    ...(fee === undefined ? {} : { fee })
  })
}

/** The intent as it is, where it was made or had been: without an address it must be asked for again. */
export const readIntent = (reply: ProviderReply): Option.Option<Intent> =>
  isMade(reply) ? Option.map(Either.getRight(decodeIntent(reply.json)), ({ data }) => data) : Option.none()

const intentOutcome = (intent: Intent): Outcome =>
  Option.match(intentReport(intent), {
    onNone: () => new Unknown({ reason: "Circle has it, paid with an amount that cannot be read" }),
    onSome: (report) =>
      acceptedAs(report, {
        nextAction: report.state === "pending" ? "wait" : null,
        actionData: report.state === "pending" ? actionDataOf(intent) : {},
        providerData: { payment_intent_id: intent.id }
      })
  })

export const intentCreated = (reply: ProviderReply): Outcome =>
  isMade(reply)
    ? Option.match(readIntent(reply), {
        onNone: () => unreadable(reply),
        onSome: intentOutcome
      })
    : refusalOf(reply)

export const transferCreated = (reply: ProviderReply): Outcome =>
  isMade(reply)
    ? Either.match(decodeTransfer(reply.json), {
        onLeft: () => unreadable(reply),
        onRight: ({ data }) =>
          acceptedAs(transferReport(data), {
            nextAction: null,
            actionData: {},
            providerData: { transfer_id: data.id }
          })
      })
    : refusalOf(reply)

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

export const enquiryOf = (kind: Kind, reply: ProviderReply): Enquiry => {
  if (reply.status === 404) return new Absent()
  if (reply.status !== 200) return noVerdict(reply)
  if (kind === "transfer") {
    return Either.match(decodeTransfer(reply.json), {
      onLeft: () => unreadable(reply),
      onRight: ({ data }): Enquiry => transferReport(data)
    })
  }
  return Option.match(Option.flatMap(readIntent(reply), intentReport), {
    onNone: (): Enquiry => unreadable(reply),
    onSome: (report) => report
  })
}
