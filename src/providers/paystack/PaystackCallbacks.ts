/** What Paystack calls back with. The secret key signs the raw bytes; failed charges are never called back about. */
import { createHmac } from "node:crypto"
import { Effect, Either, Option, Redacted, Schema } from "effect"
import { sha256Hex } from "../../domain/Digest.ts"
import { type Callback, type CallbackRequest, Check, type NoProof, Proof, Statement } from "../port/Callback.ts"
import { readJson } from "../port/WireJson.ts"
import { meaningOf } from "../port/WireWord.ts"
import { isRemarkable, type Kind, readMoved, reportOf } from "./PaystackStates.ts"

export const signatureOf = (secretKey: string, body: Buffer | string): string =>
  createHmac("sha512", secretKey).update(body).digest("hex")

const readEvent = Schema.decodeUnknownOption(Schema.Struct({ event: Schema.String, data: Schema.Unknown }))

const readNote = Schema.decodeUnknownOption(Schema.Struct({ merchant_note: Schema.String }))

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

const ours = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** A refund bears no reference of ours but its note; one without it was made by hand, or is asked about in its turn. */
const noteIn = (data: unknown): string | null =>
  Option.getOrNull(
    Option.filter(
      Option.map(readNote(data), ({ merchant_note: note }) => note),
      (note) => ours.test(note)
    )
  )

const statementIn = (body: Buffer, proof: Proof): Effect.Effect<ReadonlyArray<Statement>> => {
  const read = Option.flatMap(Either.getRight(readJson(body.toString("utf8"))), readEvent)
  if (Option.isNone(read)) return Effect.as(Effect.logWarning("Paystack called back with what cannot be read"), [])
  const { data, event } = read.value
  const kind = meaningOf(kinds, event)
  if (kind === undefined) return Effect.succeed([])
  return Option.match(readMoved(data), {
    onNone: () => Effect.as(Effect.logWarning(`Paystack's ${event} cannot be read`), []),
    onSome: (moved) => {
      const report = reportOf(kind, moved)
      const reference = kind === "refund" ? noteIn(data) : (moved.reference ?? null)
      if (reference === null) return Effect.succeed([])
      const key = report.providerPaymentId === null ? sha256Hex(body) : `${event} ${report.providerPaymentId}`
      const statement = new Statement({
        key,
        attempt: { reference, providerPaymentId: report.providerPaymentId },
        report,
        proof
      })
      return isRemarkable(kind, moved.status)
        ? Effect.as(Effect.logWarning(`Paystack's ${event} has the status ${moved.status}`), [statement])
        : Effect.succeed([statement])
    }
  })
}

export const readCallback =
  (secretKey: Redacted.Redacted) =>
  ({ body, headers }: CallbackRequest): Effect.Effect<Callback, NoProof> => {
    const key = Redacted.value(secretKey)
    const check = Check.same(signatureOf(key, body), headers["x-paystack-signature"]?.toLowerCase())
    const proof = Proof.from(
      // Anybody can sign with an empty key.
      check.where(key !== ""),
      "x-paystack-signature is not the signature of this body under PAYSTACK_SECRET_KEY"
    )
    return Effect.flatMap(proof, (one) => Effect.map(statementIn(body, one), (events) => ({ events })))
  }
