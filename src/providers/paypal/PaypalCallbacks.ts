/**
 * Callbacks of PayPal.
 * PayPal confirms only that it sent a callback to the app's webhook. The public client id is enough to create orders there,
 * under any reference and for any payee. So a callback is a hint.
 * Refunds by hand and disputes are read again with the account's credentials, and count under the order's id alone.
 * An operator looks up what PayPal does not show to the app.
 */
import { Effect, Either, Option, Redacted, Schema } from "effect"
import { Report } from "../../domain/Outcome.ts"
import { urlOf } from "../../domain/Url.ts"
import type { ProviderCall, ProviderReply } from "../client/ProviderHttp.ts"
import { settledOnce } from "../client/ProviderReplies.ts"
import {
  type Callback,
  type CallbackEvent,
  type CallbackRequest,
  type Check,
  Hint,
  type Named,
  NoProof,
  type NotNow,
  Proof,
  secretNotSet,
  VerifiedReport,
  type UnverifiedReversal
} from "../port/Callback.ts"
import { optional, optionalText, readJson, objectReader } from "../client/WireValues.ts"
import {
  captureAbove,
  type Dispute,
  isLost,
  isToldByRefund,
  orderAbove,
  type Payments,
  readDispute,
  reversalOf
} from "./PaypalMovements.ts"
import { paymentsOfOrder } from "./PaypalOrders.ts"
import {
  showCapture,
  showDispute,
  showOrder,
  showRefund,
  type Transmission,
  verifySignature
} from "./PaypalRequests.ts"
import { Amount, Links, moneyOf, Payee } from "./PaypalSchemas.ts"

/**
 * Look-ups at PayPal because of a callback. Each fails when PayPal cannot be asked; then PayPal sends the callback
 * again.
 */
export interface LookUps {
  /** Whether PayPal says that it sent the callback. */
  readonly verified: (question: ProviderCall) => Effect.Effect<Check<"vendor">, NotNow>
  /** Answer that PayPal gives to the account's own credentials. */
  readonly lookedUp: (question: ProviderCall, proof: Proof) => Effect.Effect<ProviderReply, NotNow>
  readonly isNotForeign: (payee: Payee | undefined) => boolean
}

const readEvent = objectReader({ id: Schema.String, event_type: Schema.String, resource: Schema.Unknown })
type Event = Option.Option.Value<ReturnType<typeof readEvent>>

const Related = optional(Schema.Struct({ related_ids: optional(Schema.Struct({ order_id: optionalText })) }))

const readNames = objectReader({
  id: optionalText,
  custom_id: optionalText,
  purchase_units: optional(Schema.Array(Schema.Struct({ custom_id: optionalText }))),
  supplementary_data: Related,
  payout_batch_id: optionalText,
  payout_item: optional(Schema.Struct({ sender_item_id: optionalText })),
  batch_header: optional(
    Schema.Struct({
      payout_batch_id: optionalText,
      sender_batch_header: optional(Schema.Struct({ sender_batch_id: optionalText }))
    })
  )
})

const readCapture = objectReader({ payee: optional(Payee), supplementary_data: Related, links: Links })

/** Only a refund says how much went back in all. */
const readRefund = objectReader({
  id: Schema.String,
  status: Schema.Literal("COMPLETED"),
  amount: Amount,
  links: Links
})

const readRefundNames = objectReader({ id: Schema.String, links: Links })
type RefundNames = Option.Option.Value<ReturnType<typeof readRefundNames>>

const isCompleted = Schema.is(Schema.Struct({ status: Schema.Literal("COMPLETED") }))

const REFUNDED = "PAYMENT.CAPTURE.REFUNDED"
const REVERSED = "PAYMENT.CAPTURE.REVERSED"
const DISPUTE_RESOLVED = "CUSTOMER.DISPUTE.RESOLVED"

/** Money that the account gave back or lost, of one capture. */
interface Returned {
  readonly key: string
  readonly captureId: string | undefined
  readonly said: Pick<Report, "movements" | "reason" | "providerCode">
  /** Whether a refund of the order is the same money. */
  readonly isToldByRefund?: (payments: Payments) => boolean
}

const isShown = ({ status }: ProviderReply): boolean => status === 200

interface OwnOrder {
  readonly orderId: string
  readonly proof: Proof<"account">
}

/** Finds the order that a capture belongs to, as the account sees it. `foreign`: the capture pays another account. */
const orderOf = Effect.fnUntraced(function* (
  { isNotForeign, lookedUp }: LookUps,
  captureId: string | undefined,
  proof: Proof
) {
  if (captureId === undefined) return "not shown" as const
  const reply = yield* lookedUp(showCapture(captureId), proof)
  const own = Option.getOrUndefined(Either.getRight(Proof.lookedUp(reply)))
  const capture = Option.getOrUndefined(readCapture(reply.json))
  if (own === undefined || capture === undefined) return "not shown" as const
  const { links, payee, supplementary_data: data } = capture
  if (!isNotForeign(payee)) return "foreign" as const
  const orderId = data?.related_ids?.order_id ?? orderAbove(links)
  return orderId === undefined ? ("not shown" as const) : ({ orderId, proof: own } satisfies OwnOrder)
})

type Found = Effect.Effect.Success<ReturnType<typeof orderOf>>

const isOrder = (found: Found): found is OwnOrder => typeof found === "object"

const attemptAt = ({ orderId }: OwnOrder): Named => ({ about: "payin", reference: null, providerPaymentId: orderId })

const verifiedReportOf = ({ key, said }: Returned, order: OwnOrder): VerifiedReport => {
  const { orderId, proof } = order
  const attempt = attemptAt(order)
  const report = new Report({ ...said, state: "returned", providerPaymentId: orderId, providerStatus: null })
  return new VerifiedReport({ key, attempt, report, proof })
}

/** Refunds are made by hand at PayPal only. An order does not name their total. */
const refundIn = (json: unknown): Option.Option<Returned> =>
  Option.gen(function* () {
    const { amount, id, links } = yield* readRefund(json)
    const money = yield* Option.fromNullable(moneyOf(amount, amount.currency_code))
    const said = { reason: "it was refunded at PayPal", ...settledOnce("refund", id, money) }
    return { key: `${REFUNDED} ${id}`, captureId: captureAbove(links), said }
  })

const disputeIn = (json: unknown): Option.Option<Returned> =>
  Option.gen(function* () {
    const dispute = yield* readDispute(json)
    const reversal = yield* Option.fromNullable(reversalOf(dispute))
    const { dispute_id, dispute_outcome, disputed_transactions } = dispute
    const reason = "the payer disputed it, and PayPal took the money back"
    const captureId = disputed_transactions[0]?.seller_transaction_id
    return {
      key: `${DISPUTE_RESOLVED} ${dispute_id}`,
      captureId,
      said: {
        reason,
        providerCode: dispute_outcome.outcome_code,
        ...(reversal.amount.isPositive ? { movements: [reversal] } : {})
      },
      isToldByRefund: (payments) => captureId !== undefined && isToldByRefund(dispute, captureId, payments)
    }
  })

const isPaypal = (host: string): boolean => host === "paypal.com" || host.endsWith(".paypal.com")

/** Certificates of PayPal, or of the host that the account's base URL names. */
export const isCertificateOf = (baseUrl: string, certUrl: string): boolean => {
  const given = urlOf(certUrl)
  if (given === undefined || given.username !== "" || given.password !== "") return false
  if (given.protocol === "https:" && given.port === "" && isPaypal(given.hostname)) return true
  return given.origin === urlOf(baseUrl)?.origin
}

/** JSON by itself, so that nothing in it can end the text that it is put into. */
const eventTextIn = (body: Buffer): Either.Either<string, NoProof> => {
  const said = body.toString("utf8")
  return Buffer.from(said).equals(body) && Either.isRight(readJson(said))
    ? Either.right(said)
    : Either.left(new NoProof({ message: "the callback is not JSON" }))
}

const transmissionIn = (
  { headers }: CallbackRequest,
  webhookId: Redacted.Redacted | undefined,
  baseUrl: string
): Either.Either<Transmission, NoProof> => {
  const id = webhookId === undefined ? "" : Redacted.value(webhookId)
  if (id === "") return Either.left(secretNotSet("PAYPAL_WEBHOOK_ID"))
  const header = (name: string) =>
    Either.fromNullable(
      headers[`paypal-${name}`],
      () => new NoProof({ message: `PAYPAL-${name.toUpperCase()} is missing` })
    )
  return Either.gen(function* () {
    const certUrl = yield* header("cert-url")
    if (!isCertificateOf(baseUrl, certUrl)) {
      return yield* Either.left(new NoProof({ message: "PAYPAL-CERT-URL is not an address of PayPal" }))
    }
    return {
      auth_algo: yield* header("auth-algo"),
      cert_url: certUrl,
      transmission_id: yield* header("transmission-id"),
      transmission_sig: yield* header("transmission-sig"),
      transmission_time: yield* header("transmission-time"),
      webhook_id: id
    }
  })
}

/** Of these the order or the payout itself tells more: an approved order waits for its capture. */
const payins = /^(CHECKOUT\.ORDER\.|CHECKOUT\.PAYMENT-APPROVAL\.|PAYMENT\.CAPTURE\.)/
const payouts = /^PAYMENT\.PAYOUTS(BATCH|-ITEM)\./

const hintOf = ({ event_type: type, resource }: Event): ReadonlyArray<Hint> => {
  const about = payins.test(type) ? "payin" : payouts.test(type) ? "payout" : undefined
  const names = Option.getOrUndefined(readNames(resource))
  if (about === undefined || names === undefined) return []
  const { batch_header: batch, payout_item: item } = names
  const reference =
    names.custom_id ??
    names.purchase_units?.[0]?.custom_id ??
    item?.sender_item_id ??
    batch?.sender_batch_header?.sender_batch_id ??
    null
  const orderId = type.startsWith("CHECKOUT.ORDER.") ? names.id : names.supplementary_data?.related_ids?.order_id
  const batchId = batch?.payout_batch_id ?? names.payout_batch_id
  const providerPaymentId = (about === "payin" ? orderId : batchId) ?? null
  return reference === null && providerPaymentId === null
    ? []
    : [new Hint({ attempt: { about, reference, providerPaymentId } })]
}

/** A capture whose money went back, by the names that the callback has for it. */
interface Claimed {
  readonly captureId: string | undefined
  readonly attempt: Named | undefined
}

/** Object that is looked up because of a callback. */
interface Subject {
  readonly question: ProviderCall
  readonly read: (json: unknown) => Option.Option<Returned>
  /** Whether it took nothing from the account, by PayPal's answer. */
  readonly isFree: (json: unknown) => boolean
  readonly claims: ReadonlyArray<Claimed>
  readonly unverified: Omit<UnverifiedReversal, "proof">
}

/** Captures that are looked up because of one callback, at most. */
const MOST_CAPTURES = 10

const hintAt = (attempt: Named | undefined): ReadonlyArray<Hint> =>
  attempt === undefined ? [] : [new Hint({ attempt })]

/** Leaves a capture to an operator, unless it is another account's. */
const hintsOfUnverified = ({ attempt }: Claimed, found: Found, unverified: UnverifiedReversal): ReadonlyArray<Hint> => {
  if (found === "foreign") return hintAt(attempt)
  const named = isOrder(found) ? attemptAt(found) : attempt
  return named === undefined ? [] : [new Hint({ attempt: named, unverified })]
}

/** Refund or dispute as the account sees it. The callback only leads to it. */
const readAgain = Effect.fnUntraced(function* (lookUps: LookUps, subject: Subject, proof: Proof) {
  const { claims, isFree, question, read } = subject
  const reply = yield* lookUps.lookedUp(question, proof)
  const returned = isShown(reply) ? Option.getOrUndefined(read(reply.json)) : undefined
  const order = returned === undefined ? undefined : yield* orderOf(lookUps, returned.captureId, proof)
  if (returned !== undefined && order !== undefined && isOrder(order)) {
    const { isToldByRefund: isTold } = returned
    if (
      isTold !== undefined &&
      Option.exists(paymentsOfOrder(yield* lookUps.lookedUp(showOrder(order.orderId), proof)), isTold)
    ) {
      return [new Hint({ attempt: attemptAt(order) })]
    }
    return [verifiedReportOf(returned, order)]
  }
  yield* Effect.logWarning(
    `PayPal's answer to «${question.operation}», HTTP ${reply.status}, names no money of the account`
  )
  if (isShown(reply) && isFree(reply.json)) return claims.flatMap(({ attempt }) => hintAt(attempt))
  const unverified = { ...subject.unverified, proof }
  const hints: Array<Hint> = []
  for (const claim of claims.slice(0, MOST_CAPTURES)) {
    hints.push(...hintsOfUnverified(claim, order ?? (yield* orderOf(lookUps, claim.captureId, proof)), unverified))
  }
  return hints
})

const NOT_SHOWN = "and PayPal does not show it to the app: an operator must look it up at PayPal."

const claimOf = ({ custom, seller_transaction_id }: Dispute["disputed_transactions"][number]): Claimed => ({
  captureId: seller_transaction_id,
  attempt: custom === undefined ? undefined : { about: "payin", reference: custom, providerPaymentId: null }
})

const subjectOfDispute = ({ dispute_id, dispute_outcome, disputed_transactions }: Dispute): Subject => ({
  question: showDispute(dispute_id),
  read: disputeIn,
  isFree: (json) => Option.exists(readDispute(json), (shown) => !isLost(shown)),
  claims: disputed_transactions.map(claimOf),
  unverified: {
    key: `${DISPUTE_RESOLVED} ${dispute_id}`,
    detail: `PayPal says that dispute ${dispute_id} was lost (${dispute_outcome.outcome_code}), ${NOT_SHOWN}`
  }
})

const subjectOfRefund = ({ id, links }: RefundNames, [hint]: ReadonlyArray<Hint>): Subject => ({
  question: showRefund(id),
  read: refundIn,
  isFree: (json) => !isCompleted(json),
  claims: [{ captureId: captureAbove(links), attempt: hint?.attempt }],
  unverified: { key: `${REFUNDED} ${id}`, detail: `PayPal says that refund ${id} was made by hand, ${NOT_SHOWN}` }
})

/** Hint for a reversal, which PayPal reports as a refund. It may name its capture alone. */
const hintByCapture = Effect.fnUntraced(function* (lookUps: LookUps, resource: unknown, proof: Proof) {
  const links = Option.getOrUndefined(readRefundNames(resource))?.links
  const found = yield* orderOf(lookUps, captureAbove(links), proof)
  return isOrder(found) ? hintAt(attemptAt(found)) : []
})

const eventsIn = (
  said: string,
  proof: Proof,
  lookUps: LookUps
): Effect.Effect<ReadonlyArray<CallbackEvent>, NotNow> => {
  const event = Option.getOrUndefined(Option.flatMap(Either.getRight(readJson(said)), readEvent))
  if (event === undefined) return Effect.as(Effect.logWarning("PayPal called back with what cannot be read"), [])
  const { event_type: type, resource } = event
  if (type === DISPUTE_RESOLVED) {
    const dispute = Option.getOrUndefined(readDispute(resource))
    if (dispute === undefined) return Effect.as(Effect.logWarning(`PayPal's ${DISPUTE_RESOLVED} cannot be read`), [])
    return isLost(dispute) ? readAgain(lookUps, subjectOfDispute(dispute), proof) : Effect.succeed([])
  }
  const refund = type === REFUNDED ? Option.getOrUndefined(readRefundNames(resource)) : undefined
  const hints = hintOf(event)
  if (type === REVERSED && hints.length === 0) return hintByCapture(lookUps, resource, proof)
  return refund === undefined ? Effect.succeed(hints) : readAgain(lookUps, subjectOfRefund(refund, hints), proof)
}

export const readCallback =
  (webhookId: Redacted.Redacted | undefined, baseUrl: string, lookUps: LookUps) =>
  (request: CallbackRequest): Effect.Effect<Callback, NoProof | NotNow> =>
    Effect.gen(function* () {
      const transmission = yield* transmissionIn(request, webhookId, baseUrl)
      const said = yield* eventTextIn(request.body)
      const check = yield* lookUps.verified(verifySignature(transmission, said))
      const proof = yield* Proof.from(check, "PayPal says that it did not send this")
      return { events: yield* eventsIn(said, proof, lookUps) }
    })
