/** What Paystack calls back with. The secret key signs the raw bytes; failed charges are never called back about. */
import { createHmac } from "node:crypto"
import { Effect, Either, Option, Redacted, Schema } from "effect"
import { sha256Hex } from "../../domain/Digest.ts"
import { Report } from "../../domain/Outcome.ts"
import {
  type Callback,
  type CallbackEvent,
  type CallbackRequest,
  Check,
  Hint,
  type Named,
  type NoProof,
  NotNow,
  Proof,
  Statement
} from "../port/Callback.ts"
import { readJson } from "../port/WireJson.ts"
import { meaningOf } from "../port/WireWord.ts"
import { isOurs, isRemarkable, type Kind, moneyOf, readMoved, reportOf, text } from "./PaystackStates.ts"

export const signatureOf = (secretKey: string, body: Buffer | string): string =>
  createHmac("sha512", secretKey).update(body).digest("hex")

const readEvent = Schema.decodeUnknownOption(Schema.Struct({ event: Schema.String, data: Schema.Unknown }))

const readRefund = Schema.decodeUnknownOption(Schema.Struct({ merchant_note: text, transaction_reference: text }))

const readDispute = Schema.decodeUnknownOption(
  Schema.Struct({
    id: text,
    resolution: text,
    refund_amount: text,
    currency: text,
    transaction: Schema.Struct({ reference: text, id: text, status: text, currency: text })
  })
)

const DISPUTE_RESOLVED = "charge.dispute.resolve"

/** Nothing is taken before a dispute is resolved, and then only where the merchant gave in or did not answer. */
const resolutions: Readonly<Record<string, "lost" | "won">> = {
  "merchant-accepted": "lost",
  "auto-accepted": "lost",
  declined: "won"
}

const eventsOfDispute = (data: unknown, proof: Proof<"account">): Effect.Effect<ReadonlyArray<CallbackEvent>> => {
  const dispute = Option.getOrUndefined(readDispute(data))
  const reference = dispute?.transaction.reference
  if (dispute === undefined || reference === undefined) {
    return Effect.as(Effect.logWarning(`Paystack's ${DISPUTE_RESOLVED} cannot be read`), [])
  }
  const { currency, id, refund_amount: amount, resolution, transaction } = dispute
  const end = meaningOf(resolutions, resolution)
  if (end === "won") return Effect.succeed([])
  const attempt = { reference, providerPaymentId: transaction.id ?? null, about: "payin" as const }
  const taken = moneyOf(amount, currency ?? transaction.currency)
  if (end === undefined || taken === undefined || id === undefined) {
    const warning = `Paystack resolved a dispute of ${reference} as ${resolution}, with an amount of ${amount}`
    return Effect.as(Effect.logWarning(warning), [new Hint({ attempt })])
  }
  const report = new Report({
    state: "returned",
    reason: "the payer disputed it, and Paystack took the money back",
    providerPaymentId: attempt.providerPaymentId,
    providerStatus: transaction.status ?? null,
    providerCode: resolution ?? DISPUTE_RESOLVED,
    taken
  })
  return Effect.succeed([new Statement({ key: `${DISPUTE_RESOLVED} ${id}`, attempt, report, proof })])
}

const kinds: Readonly<Record<string, Kind>> = {
  "charge.success": "transaction",
  "transfer.success": "transfer",
  "transfer.failed": "transfer",
  "transfer.reversed": "transfer",
  "refund.pending": "refund",
  "refund.processing": "refund",
  "refund.needs-attention": "refund",
  "refund.processed": "refund",
  "refund.failed": "refund"
}

/** Payers can choose the reference of a transaction, with no more than the public key. */
const abouts = { transaction: "payin", transfer: "payout", refund: "refund" } as const

/** Our refunds of a transaction, as Paystack lists them when it is asked with our key. */
export type RefundsOf = (
  transactionReference: string
) => Effect.Effect<ReadonlyArray<Named>, { readonly reason: string }>

type Events<E = never> = Effect.Effect<ReadonlyArray<CallbackEvent>, E>

/**
 * Paystack publishes the events of refunds without its id of the refund and without our note: only the transaction is
 * named. So it is asked which refunds of ours that transaction has, and those are asked about in their turn.
 */
const askedRefunds = (transaction: string, refundsOf: RefundsOf, proof: Proof<"account">): Events<NotNow> =>
  Effect.mapBoth(refundsOf(transaction), {
    onFailure: ({ reason }) =>
      new NotNow({ message: `the refunds of ${transaction} cannot be read: ${reason}`, proof }),
    onSuccess: (all) => all.map((attempt) => new Hint({ attempt }))
  })

const eventsOfMoved = (
  { data, event, kind }: { readonly data: unknown; readonly event: string; readonly kind: Kind },
  body: Buffer,
  refundsOf: RefundsOf,
  proof: Proof<"account">
): Events<NotNow> =>
  Option.match(readMoved(data), {
    onNone: () => Effect.as(Effect.logWarning(`Paystack's ${event} cannot be read`), []),
    onSome: (moved) => {
      const report = reportOf(kind, moved)
      const refund = kind === "refund" ? Option.getOrUndefined(readRefund(data)) : undefined
      const transaction = refund?.transaction_reference
      if (kind === "refund" && !isOurs(refund?.merchant_note)) {
        return isOurs(transaction) ? askedRefunds(transaction, refundsOf, proof) : Effect.succeed([])
      }
      const reference = kind === "refund" ? refund?.merchant_note : moved.reference
      if (reference === undefined) return Effect.succeed([])
      const key = report.providerPaymentId === null ? sha256Hex(body) : `${event} ${report.providerPaymentId}`
      const statement = new Statement({
        key,
        attempt: { reference, providerPaymentId: report.providerPaymentId, about: abouts[kind] },
        report,
        proof
      })
      return isRemarkable(kind, moved.status)
        ? Effect.as(Effect.logWarning(`Paystack's ${event} has the status ${moved.status}`), [statement])
        : Effect.succeed([statement])
    }
  })

const eventsIn = (body: Buffer, refundsOf: RefundsOf, proof: Proof<"account">): Events<NotNow> => {
  const read = Option.flatMap(Either.getRight(readJson(body.toString("utf8"))), readEvent)
  if (Option.isNone(read)) return Effect.as(Effect.logWarning("Paystack called back with what cannot be read"), [])
  const { data, event } = read.value
  if (event === DISPUTE_RESOLVED) return eventsOfDispute(data, proof)
  const kind = meaningOf(kinds, event)
  return kind === undefined ? Effect.succeed([]) : eventsOfMoved({ data, event, kind }, body, refundsOf, proof)
}

export const readCallback =
  (secretKey: Redacted.Redacted, refundsOf: RefundsOf) =>
  ({ body, headers }: CallbackRequest): Effect.Effect<Callback, NoProof | NotNow> => {
    const key = Redacted.value(secretKey)
    const check = Check.same(signatureOf(key, body), headers["x-paystack-signature"]?.toLowerCase())
    const proof = Proof.from(
      // Anybody can sign with an empty key.
      check.where(key !== ""),
      "x-paystack-signature is not the signature of this body under PAYSTACK_SECRET_KEY"
    )
    return Effect.flatMap(proof, (one) => Effect.map(eventsIn(body, refundsOf, one), (events) => ({ events })))
  }
