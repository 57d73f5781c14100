/** Callbacks of Paystack. The secret key signs the raw bytes. Failed charges get no callback. */
import { createHmac } from "node:crypto"
import { Effect, Option, Redacted, Schema } from "effect"
import { sha256Hex } from "../../domain/Digest.ts"
import type { Movement } from "../../domain/Movement.ts"
import { Report } from "../../domain/Outcome.ts"
import {
  type Callback,
  type CallbackEvent,
  type CallbackRequest,
  Check,
  Hint,
  jsonOfBody,
  type Named,
  type NoProof,
  NotNow,
  Proof,
  VerifiedReport
} from "../port/Callback.ts"
import { meanings, optionalText, objectReader } from "../client/WireValues.ts"
import { transferIn } from "./PaystackAccounts.ts"
import {
  endOf,
  readDispute,
  reversalOf,
  isOurs,
  isExpectedStatus,
  type Kind,
  readMoved,
  reportOf
} from "./PaystackMovements.ts"

export const signatureOf = (secretKey: string, body: Buffer | string): string =>
  createHmac("sha512", secretKey).update(body).digest("hex")

const readEvent = objectReader({ event: Schema.String, data: Schema.Unknown })

const readRefund = objectReader({ merchant_note: optionalText, transaction_reference: optionalText })

const DISPUTE_RESOLVED = "charge.dispute.resolve"

const eventsOfDispute = (data: unknown, proof: Proof<"account">): Effect.Effect<ReadonlyArray<CallbackEvent>> => {
  const dispute = Option.getOrUndefined(readDispute(data))
  const reference = dispute?.transaction?.reference
  if (dispute === undefined || reference === undefined) {
    return Effect.as(Effect.logWarning(`Paystack's ${DISPUTE_RESOLVED} cannot be read`), [])
  }
  const { refund_amount: amount, resolution, transaction } = dispute
  if (endOf(dispute) === "won") return Effect.succeed([])
  const attempt = { reference, providerPaymentId: transaction?.id ?? null, about: "payin" as const }
  const reversal = reversalOf(dispute)
  if (reversal === undefined) {
    const warning = `Paystack resolved a dispute of ${reference} as ${resolution}, with an amount of ${amount}`
    return Effect.as(Effect.logWarning(warning), [new Hint({ attempt })])
  }
  const report = new Report({
    state: "returned",
    reason: "the payer disputed it, and Paystack took the money back",
    providerPaymentId: attempt.providerPaymentId,
    providerStatus: transaction?.status ?? null,
    providerCode: resolution ?? DISPUTE_RESOLVED,
    movements: [reversal]
  })
  return Effect.succeed([new VerifiedReport({ key: `${DISPUTE_RESOLVED} ${reversal.id}`, attempt, report, proof })])
}

const kinds = meanings<Kind>({
  transaction: "charge.success",
  transfer: "transfer.success transfer.failed transfer.reversed",
  refund: "refund.pending refund.processing refund.needs-attention refund.processed refund.failed"
})

/** Payers can choose the reference of a transaction, with no more than the public key. */
const abouts = { transaction: "payin", transfer: "payout", refund: "refund" } as const

/** Refunds of a transaction, as Paystack lists them when it is asked with our key. */
export interface RefundsOfTransaction {
  /** Report by look-up; undefined if Paystack does not know the transaction. */
  readonly paid: Report | undefined
  readonly ours: ReadonlyArray<Named>
  /** Refunds made in the dashboard, once they are paid. */
  readonly byHand: ReadonlyArray<Movement>
}

export type RefundsOf = (
  transactionReference: string
) => Effect.Effect<RefundsOfTransaction, { readonly reason: string }>

type Events<E = never> = Effect.Effect<ReadonlyArray<CallbackEvent>, E>

/** The payin as it stands, with the refunds that were made by hand. One that is reversed is asked about: all of it went. */
const eventsByHand = (
  reference: string,
  { byHand, paid }: RefundsOfTransaction,
  proof: Proof<"account">
): ReadonlyArray<CallbackEvent> => {
  if (paid === undefined || byHand.length === 0) return []
  const attempt = { reference, providerPaymentId: paid.providerPaymentId, about: "payin" as const }
  if (paid.state !== "completed") return [new Hint({ attempt })]
  const ids = byHand.map(({ id }) => id).toSorted()
  const key = `refunded by hand ${sha256Hex(ids.join(" "))}`
  const report = new Report({ ...paid, movements: [...(paid.movements ?? []), ...byHand] })
  return [new VerifiedReport({ key, attempt, report, proof })]
}

/**
 * Paystack publishes the events of refunds without its id of the refund and without our note: only the transaction is
 * named. So it is asked which refunds that transaction has: ours are asked about in their turn, the others are told.
 */
const askedRefunds = (transaction: string, refundsOf: RefundsOf, proof: Proof<"account">): Events<NotNow> =>
  Effect.mapBoth(refundsOf(transaction), {
    onFailure: ({ reason }) =>
      new NotNow({ message: `the refunds of ${transaction} cannot be read: ${reason}`, proof }),
    onSuccess: (all) => [...all.ours.map((attempt) => new Hint({ attempt })), ...eventsByHand(transaction, all, proof)]
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
      const { providerPaymentId } = report
      const key = providerPaymentId === null ? sha256Hex(body) : `${event} ${providerPaymentId}`
      const attempt = { reference, providerPaymentId, about: abouts[kind] }
      const verified = new VerifiedReport({ key, attempt, report, proof })
      return isExpectedStatus(kind, moved.status)
        ? Effect.succeed([verified])
        : Effect.as(Effect.logWarning(`Paystack's ${event} has the status ${moved.status}`), [verified])
    }
  })

/**
 * Transfers to dedicated accounts, which have references of Paystack's. Their refunds are listed soon: the event of a refund
 * lacks its id.
 */
const transfersIn = (body: Buffer, proof: Proof<"account">): Pick<Callback, "transfers" | "listTransfers"> => {
  const read = Option.getOrUndefined(Option.flatMap(jsonOfBody({ body }), readEvent))
  if (read?.event === "refund.processed") {
    const refunded = Option.getOrUndefined(readRefund(read.data))?.transaction_reference
    return isOurs(refunded) ? {} : { listTransfers: true }
  }
  const transfer = read?.event === "charge.success" ? transferIn(read.data) : undefined
  return transfer === undefined ? {} : { transfers: [{ ...transfer, proof }] }
}

const eventsIn = (body: Buffer, refundsOf: RefundsOf, proof: Proof<"account">): Events<NotNow> => {
  const read = Option.flatMap(jsonOfBody({ body }), readEvent)
  if (Option.isNone(read)) return Effect.as(Effect.logWarning("Paystack called back with what cannot be read"), [])
  const { data, event } = read.value
  if (event === DISPUTE_RESOLVED) return eventsOfDispute(data, proof)
  const kind = kinds.get(event)
  return kind === undefined ? Effect.succeed([]) : eventsOfMoved({ data, event, kind }, body, refundsOf, proof)
}

export const readCallback =
  (secretKey: Redacted.Redacted, refundsOf: RefundsOf) =>
  ({ body, headers }: CallbackRequest): Effect.Effect<Callback, NoProof | NotNow> => {
    const key = Redacted.value(secretKey)
    const check = Check.same(signatureOf(key, body), headers["x-paystack-signature"]?.toLowerCase())
    const proof = Proof.from(
      // An empty key would accept forged signatures.
      check.where(key !== ""),
      "x-paystack-signature is not the signature of this body under PAYSTACK_SECRET_KEY"
    )
    return Effect.flatMap(proof, (one): Effect.Effect<Callback, NotNow> => {
      const found = transfersIn(body, one)
      if (found.transfers !== undefined) return Effect.succeed({ events: [], ...found })
      return Effect.map(eventsIn(body, refundsOf, one), (events) => ({ events, ...found }))
    })
  }
