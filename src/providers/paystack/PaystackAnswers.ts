/** Reads Paystack's answers into outcomes and reports. */
import { Either, Option, Schema } from "effect"
import type { RefusalCode } from "../../domain/PaymentStatus.ts"
import type { Movement } from "../../domain/Movement.ts"
import { Absent, Accepted, Declined, type Enquiry, type Outcome, type Report, Unknown } from "../../domain/Outcome.ts"
import {
  outcomeOfReport,
  asDeclined,
  credentialsRefused,
  isOk,
  unknownOutcome,
  unreadable
} from "../client/ProviderReplies.ts"
import { balanceText } from "../port/AccountTest.ts"
import type { ProviderReply } from "../client/ProviderHttp.ts"
import type { AccountFacts } from "../port/Provider.ts"
import { meanings, moneyOfMinor, optional, optionalText, present, objectReader } from "../client/WireValues.ts"
import type { RefundsOfTransaction } from "./PaystackCallbacks.ts"
import {
  isOurs,
  type Kind,
  Moved,
  movementsOf,
  readMoved,
  refusalOf,
  reportOf,
  reversalsIn
} from "./PaystackMovements.ts"

const readEnvelope = objectReader({
  status: Schema.Boolean,
  message: optionalText,
  type: optionalText,
  code: optionalText,
  data: Schema.optional(Schema.Unknown)
})

const readHosted = objectReader({
  authorization_url: Schema.String.pipe(Schema.pattern(/^https?:\/\//)),
  access_code: Schema.String
})

const readCharge = objectReader({
  url: optionalText,
  account_name: optionalText,
  account_number: optionalText,
  bank: optional(Schema.Struct({ name: optionalText })),
  account_expires_at: optionalText
})

const readRecipient = objectReader({ recipient_code: Schema.String })

const Listed = Schema.Struct({ merchant_note: optionalText, dispute: optionalText, ...Moved.fields })

const readRefunds = Schema.decodeUnknownOption(Schema.Array(Listed))

const readBalances = Schema.decodeUnknownOption(
  Schema.Array(Schema.Struct({ currency: Schema.String, balance: optionalText }))
)

const envelopeOf = ({ json }: ProviderReply) => readEnvelope(json)

const dataOf =
  <A>(read: (data: unknown) => Option.Option<A>) =>
  (reply: ProviderReply): Option.Option<A> =>
    Option.flatMap(envelopeOf(reply), ({ data }) => read(data))

const DEFINITE = [400, 402, 404, 405, 413, 415, 422]

const codes = meanings<RefusalCode>({
  PROVIDER_BALANCE_LOW: "insufficient_balance",
  NOT_SUPPORTED: "transfer_unavailable",
  INVALID_ORDER: "missing_params invalid_params invalid_transfer_recipient"
})

/** A definite refusal before anything moved, or unknown. */
const refused = (reply: ProviderReply): Declined | Unknown => {
  if (reply.status === 401 || reply.status === 403) return credentialsRefused(reply)
  const envelope = Option.getOrUndefined(envelopeOf(reply))
  if (envelope === undefined || envelope.status || !DEFINITE.includes(reply.status)) return unknownOutcome(reply)
  const { code, message, type } = envelope
  const known = codes.get(code)
  if (known === undefined && type === "api_error") return unknownOutcome(reply)
  return new Declined({
    reason: message ?? `HTTP ${reply.status}`,
    ...present({
      code: known ?? (type === "processor_error" ? undefined : "INVALID_ORDER"),
      providerCode: code ?? type
    })
  })
}

/** Paystack has this reference already; the caller looks the order up. */
export const duplicateReference = new Unknown({ reason: "it has this reference already" })

const isDuplicate = (reply: ProviderReply): boolean =>
  Option.exists(
    envelopeOf(reply),
    ({ code, message, status }) =>
      !status &&
      (/^duplicate_(transfer_)?reference$/.test(code ?? "") ||
        /duplicate.*reference|reference already exists/i.test(message ?? ""))
  )

const movedBy = dataOf(readMoved)

/** Reads an answer only if it is about our order. */
export const ofOrder =
  <A>(reference: string, read: (reply: ProviderReply) => A) =>
  (reply: ProviderReply): A | Unknown =>
    Option.exists(movedBy(reply), (moved) => moved.reference !== undefined && moved.reference !== reference)
      ? new Unknown({ reason: "its answer is about another reference" })
      : read(reply)

export const hostedOutcome = (reply: ProviderReply): Outcome => {
  if (isDuplicate(reply)) return duplicateReference
  if (!isOk(reply)) return refused(reply)
  return Option.match(dataOf(readHosted)(reply), {
    onNone: () => unreadable(reply),
    onSome: ({ access_code, authorization_url }) =>
      new Accepted({
        state: "pending",
        providerPaymentId: null,
        providerStatus: null,
        nextAction: "redirect",
        actionData: { redirect_url: authorization_url },
        providerData: { access_code }
      })
  })
}

/** Step that the customer must take, as far as this service can lead them there. */
const stepOf = (moved: Moved, data: unknown): Pick<Accepted, "nextAction" | "actionData"> => {
  const charge = Option.getOrUndefined(readCharge(data))
  switch (moved.status) {
    case "pending_bank_transfer":
      return {
        nextAction: "bank_transfer",
        actionData: {
          account_name: charge?.account_name ?? null,
          account_number: charge?.account_number ?? null,
          bank_name: charge?.bank?.name ?? null,
          bank_code: null,
          reference: null,
          expires_at: charge?.account_expires_at ?? null
        }
      }
    case "send_otp":
      return { nextAction: "collect_otp", actionData: {} }
    case "open_url":
      return charge?.url !== undefined && /^https?:\/\//.test(charge.url)
        ? { nextAction: "redirect", actionData: { redirect_url: charge.url } }
        : { nextAction: "check_status", actionData: {} }
    case "success":
      return { nextAction: null, actionData: {} }
    default:
      return { nextAction: "wait", actionData: {} }
  }
}

const declinedOf = ({ reason, providerStatus }: Report, moved: Moved, isInstrument = false): Declined =>
  new Declined({
    reason: reason ?? providerStatus ?? moved.status,
    ...present({ instrument: isInstrument || undefined }),
    ...refusalOf(moved)
  })

/** A charge that failed was refused by the payer's bank or network, or by the payer. */
export const chargeOutcome = (reply: ProviderReply): Outcome => {
  if (isDuplicate(reply)) return duplicateReference
  const moved = Option.getOrUndefined(movedBy(reply))
  if (moved === undefined || reply.status >= 500) return isOk(reply) ? unreadable(reply) : refused(reply)
  const report = reportOf("transaction", moved)
  const outcome = outcomeOfReport(report, declinedOf(report, moved, true))
  if (outcome._tag === "Declined") return outcome
  // The error is about an existing charge: an enquiry tells its outcome.
  if (!isOk(reply)) return reply.status === 401 || reply.status === 403 ? refused(reply) : unknownOutcome(reply)
  return new Accepted({ ...outcome, ...stepOf(moved, Option.getOrUndefined(envelopeOf(reply))?.data) })
}

export const recipientCode = (reply: ProviderReply): Either.Either<string, Declined> => {
  const code = dataOf(readRecipient)(reply)
  return isOk(reply) && Option.isSome(code)
    ? Either.right(code.value.recipient_code)
    : Either.left(asDeclined(refused(reply)))
}

const orderedOutcome =
  (kind: "transfer" | "refund") =>
  (reply: ProviderReply): Outcome => {
    if (kind === "transfer" && isDuplicate(reply)) return duplicateReference
    if (!isOk(reply)) return refused(reply)
    return Option.match(movedBy(reply), {
      onNone: () => unreadable(reply),
      onSome: (moved) => {
        const report = reportOf(kind, moved)
        return outcomeOfReport(report, declinedOf(report, moved))
      }
    })
  }

export const transferOutcome = orderedOutcome("transfer")

export const refundOutcome = orderedOutcome("refund")

/** Of the order itself: an account or an address that is not found says nothing of it. */
const isAbsence = (reply: ProviderReply): boolean =>
  (reply.status === 404 || reply.status === 400) &&
  Option.exists(
    envelopeOf(reply),
    ({ code, message, status }) =>
      !status &&
      (/^(transaction|transfer)_not_found$/.test(code ?? "") ||
        /^(transaction|transfer)( reference)? not found\.?$/i.test(message ?? ""))
  )

export const enquiryOf =
  (kind: Kind) =>
  (reply: ProviderReply): Enquiry => {
    // A refund that it gave an id to exists, whatever it says later.
    if (kind !== "refund" && isAbsence(reply)) return new Absent()
    if (!isOk(reply)) return unknownOutcome(reply)
    return Option.match(movedBy(reply), { onNone: () => unreadable(reply), onSome: (moved) => reportOf(kind, moved) })
  }

const refundsIn = dataOf(readRefunds)

/** Finds a refund by our note. A missing note proves nothing: Paystack does not document when a refund is listed. */
export const refundNoted =
  (reference: string) =>
  (reply: ProviderReply): Enquiry => {
    if (!isOk(reply)) return unknownOutcome(reply)
    const refunds = refundsIn(reply)
    if (Option.isNone(refunds)) return unreadable(reply)
    const ours = refunds.value.find(({ merchant_note: note }) => note === reference)
    return ours === undefined
      ? new Unknown({ reason: "no refund of that time bears our note, which proves nothing" })
      : reportOf("refund", ours)
  }

/** Every refund on a list; nothing where the list cannot be read. Ours are those that bear a note of ours. */
export const refundsListed = (reply: ProviderReply): Option.Option<Pick<RefundsOfTransaction, "ours" | "byHand">> =>
  Option.map(isOk(reply) ? refundsIn(reply) : Option.none(), (refunds) => ({
    ours: refunds.flatMap(({ id = null, merchant_note: note }) =>
      isOurs(note) ? [{ reference: note, providerPaymentId: id, about: "refund" as const }] : []
    ),
    byHand: settledOf(refunds.filter(({ merchant_note: note }) => !isOurs(note)))
  }))

/**
 * A refund without a readable amount is left out: no order names its amount. One that Paystack made for a dispute is the
 * money that the dispute took, under the dispute's id.
 */
const settledOf = (refunds: ReadonlyArray<typeof Listed.Type>): ReadonlyArray<Movement> =>
  refunds
    .flatMap((one) =>
      movementsOf("refund", one).map((movement): Movement => {
        if (one.dispute !== undefined) return { ...movement, kind: "reversal", id: one.dispute }
        return isOurs(one.merchant_note) ? { ...movement, refund: one.merchant_note } : movement
      })
    )
    .filter(({ amount, state }) => amount !== null && state === "settled")

export const settledRefunds = (reply: ProviderReply): Option.Option<ReadonlyArray<Movement>> =>
  Option.map(isOk(reply) ? refundsIn(reply) : Option.none(), settledOf)

export const settledDisputes = (reply: ProviderReply): Option.Option<ReadonlyArray<Movement>> =>
  isOk(reply) ? dataOf(reversalsIn)(reply) : Option.none()

/** Result of a one-time password. A charge that failed is left to the enquiry. */
export const passwordTaken = (reply: ProviderReply): "accepted" | "wrong" | "not_expected" | "unknown" => {
  const status = Option.getOrUndefined(movedBy(reply))?.status
  if (status === "send_otp") return "wrong"
  if (isOk(reply)) return status === undefined || status === "failed" ? "unknown" : "accepted"
  return status === undefined && (reply.status === 400 || reply.status === 404) ? "not_expected" : "unknown"
}

export const balanceRead = (reply: ProviderReply): Either.Either<AccountFacts, string> => {
  const balances = dataOf(readBalances)(reply)
  if (!isOk(reply) || Option.isNone(balances)) return Either.left(refused(reply).reason)
  return Either.right({
    balances: balances.value.map(({ balance, currency }) =>
      balance === undefined ? currency : balanceText(moneyOfMinor(balance, currency), balance, currency)
    )
  })
}
