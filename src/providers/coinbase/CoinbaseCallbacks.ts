/** Callbacks of Coinbase: signature and events. */
import { createHmac } from "node:crypto"
import { Duration, Effect, Either, Option, Redacted, Schema } from "effect"
import { Report } from "../../domain/Outcome.ts"
import {
  type Callback,
  type CallbackEvent,
  type CallbackRequest,
  Check,
  Hint,
  jsonOfBody,
  type NoProof,
  Proof,
  secretNotSet,
  VerifiedReport
} from "../port/Callback.ts"
import { isExpectedStatus, Transfer, transferReport } from "./CoinbaseAnswers.ts"
import { makeStatusWarning } from "../client/ProviderReplies.ts"
import { objectReader } from "../client/WireValues.ts"

export const signatureHeader = "x-hook0-signature"

const tolerance = Duration.toSeconds(Duration.minutes(5))

const headerNames = /^[a-z0-9-]+( [a-z0-9-]+)*$/i

const partsOf = (header: string): ReadonlyMap<string, string> =>
  new Map(
    header.split(",").map((part) => {
      const at = part.indexOf("=")
      return [part.slice(0, at).trim(), part.slice(at + 1)] as const
    })
  )

const hmac = (secret: string, before: string, body: Buffer): string =>
  createHmac("sha256", secret).update(`${before}.`).update(body).digest("hex")

/** `v1` covers some headers besides the time and the body, which are all that `v0` covers. */
const checkOf = (
  secret: string,
  { body, headers }: CallbackRequest,
  parts: ReadonlyMap<string, string>
): Check<"account"> => {
  const [t = "", h = "", v0, v1] = ["t", "h", "v0", "v1"].map((name) => parts.get(name))
  if (v1 === undefined) return Check.same(hmac(secret, t, body), v0)
  if (!headerNames.test(h)) return Check.failed
  const values = h.split(" ").map((name) => headers[name.toLowerCase()] ?? "")
  return Check.same(hmac(secret, `${t}.${h}.${values.join(".")}`, body), v1)
}

const prove = (
  secret: Redacted.Redacted | undefined,
  request: CallbackRequest,
  nowMillis: number
): Either.Either<Proof<"account">, NoProof> => {
  const header = request.headers[signatureHeader]
  if (secret === undefined) return Either.left(secretNotSet("COINBASE_WEBHOOK_SECRET"))
  if (header === undefined) return Proof.from(Check.failed, "X-Hook0-Signature is missing")
  const parts = partsOf(header)
  const t = parts.get("t") ?? ""
  if (!/^\d{1,12}$/.test(t)) return Proof.from(Check.failed, "X-Hook0-Signature does not say when it was made")
  const age = Math.abs(Math.floor(nowMillis / 1000) - Number(t))
  if (age > tolerance) return Proof.from(Check.failed, "The signature is older than five minutes, or of a time to come")
  return Proof.from(checkOf(Redacted.value(secret), request, parts), "The signature does not fit the body")
}

const decodeEvent = objectReader({ eventID: Schema.String, eventType: Schema.String, data: Schema.Unknown })
const decodeTransfer = Schema.decodeUnknownOption(Transfer)

const transfers = "payments.transfers."

/** The quote of a transfer that was not carried out in time has ended. */
const expired = (report: Report): Report =>
  new Report({
    state: "failed",
    reason: "The transfer expired before it was carried out",
    providerPaymentId: report.providerPaymentId,
    providerStatus: "expired",
    providerCode: "expired"
  })

interface CallbackSource {
  readonly proof: Proof<"account">
  /** Undefined while it is not known which account the key opens. */
  readonly ownAccount: string | undefined
}

/** A webhook's secret serves a whole project, which may have other accounts: only what left this one is verified. */
const eventOf = (
  eventType: string,
  key: string,
  transfer: Transfer,
  { ownAccount, proof }: CallbackSource
): Option.Option<CallbackEvent> => {
  const reference = transfer.metadata?.reference ?? null
  const destinationId = transfer.details?.depositDestination?.id
  // About one of the payments to an address; the total is only in Coinbase's list.
  if (destinationId !== undefined) {
    return Option.some(new Hint({ attempt: { reference, providerPaymentId: destinationId } }))
  }
  const from = transfer.source?.accountId
  if (from === undefined || transfer.transferId === undefined) return Option.none()
  const attempt = { reference, providerPaymentId: transfer.transferId }
  if (ownAccount === undefined) return Option.some(new Hint({ attempt }))
  if (from !== ownAccount) return Option.none()
  const said = transferReport(transfer)
  return Option.some(
    new VerifiedReport({
      key,
      attempt,
      report: eventType === `${transfers}expired` ? expired(said) : said,
      proof
    })
  )
}

const eventsOf = (body: Buffer, source: CallbackSource): ReadonlyArray<CallbackEvent> =>
  jsonOfBody({ body }).pipe(
    Option.flatMap(decodeEvent),
    Option.filter(({ eventType }) => eventType.startsWith(transfers)),
    Option.flatMap(({ data, eventID, eventType }) =>
      Option.flatMap(decodeTransfer(data), (transfer) => eventOf(eventType, eventID, transfer, source))
    ),
    Option.toArray
  )

const warnIfUnexpected = makeStatusWarning("Coinbase", isExpectedStatus)

export const readCallback = (
  secret: Redacted.Redacted | undefined,
  request: CallbackRequest,
  nowMillis: number,
  ownAccount: string | undefined
): Effect.Effect<Callback, NoProof> =>
  Effect.gen(function* () {
    const proof = yield* prove(secret, request, nowMillis)
    const events = eventsOf(request.body, { proof, ownAccount })
    for (const event of events) if (event._tag === "VerifiedReport") yield* warnIfUnexpected(event.report)
    return { events }
  })
