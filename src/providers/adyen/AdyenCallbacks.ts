/**
 * Callbacks of Adyen. A payment's signature is inside of its body and covers eight fields. Only those are read, and the
 * reason of a capture. A transfer's signature covers the whole body.
 */
import { createHmac } from "node:crypto"
import { Either, Option, Schema } from "effect"
import { sha256Hex } from "../../domain/Digest.ts"
import type { Money } from "../../domain/Money.ts"
import type { Movement } from "../../domain/Movement.ts"
import { Report } from "../../domain/Outcome.ts"
import { withMovements, providerIds } from "../client/ProviderReplies.ts"
import { type CallbackEvent, Check, Hint, NoProof, Proof, secretNotSet, VerifiedReport } from "../port/Callback.ts"
import { meaningOf, textOrNull, objectReader } from "../client/WireValues.ts"
import { moneyIn } from "./AdyenCorridors.ts"
import { AdyenAmount, reportOfTransfer, transferIn } from "./AdyenAnswers.ts"
import { namedBy } from "./AdyenRequests.ts"

const Item = Schema.Struct({
  pspReference: Schema.String,
  originalReference: textOrNull,
  merchantAccountCode: Schema.String,
  merchantReference: textOrNull,
  amount: AdyenAmount,
  eventCode: Schema.String,
  success: Schema.String,
  reason: textOrNull,
  additionalData: Schema.Struct({ hmacSignature: Schema.String })
})
export type Item = typeof Item.Type

const itemsIn = objectReader({ notificationItems: Schema.Array(Schema.Struct({ NotificationRequestItem: Item })) })

const transferEventIn = objectReader({ type: Schema.String, data: Schema.Unknown })

/** Adyen sends one item, or a few. Each costs a digest before anything is proved. */
const MOST_ITEMS = 100
const TOO_MANY_ITEMS = new NoProof({ message: `It has more than ${MOST_ITEMS} items` })

const SEPARATOR = ":"

type Signed = Omit<Item, "additionalData" | "reason">

const signedFields = ({ amount, ...item }: Signed): ReadonlyArray<string> => [
  item.pspReference,
  item.originalReference ?? "",
  item.merchantAccountCode,
  item.merchantReference ?? "",
  amount.value,
  amount.currency,
  item.eventCode,
  item.success
]

/** Other text would decode to a shorter or empty key. */
const isKey = (secret: string): boolean => /^([0-9a-f]{2}){16,}$/i.test(secret)

/** Signs a whole body, or the fields of an item as one text. */
export const bodySignature = (body: string | Buffer, secret: string): string =>
  createHmac("sha256", Buffer.from(secret, "hex")).update(body).digest("base64")

export const itemSignature = (item: Signed, secret: string): string =>
  bodySignature(signedFields(item).join(SEPARATOR), secret)

/** The fields are signed as one text: with a separator in one of them, the same text could be other fields. */
const isUnambiguous = (item: Item): boolean => signedFields(item).every((field) => !field.includes(SEPARATOR))

const keyIn = (env: string, secret: string | undefined): Either.Either<string, NoProof> => {
  if (secret === undefined) return Either.left(secretNotSet(env))
  return isKey(secret)
    ? Either.right(secret)
    : Either.left(new NoProof({ message: `${env} is not the hexadecimal key that Adyen shows` }))
}

type Said = (Pick<Report, "state" | "reason" | "calledOff"> & { readonly needsAmount?: true }) | "ask" | "nothing"

/** Money that was authorised and does not come after all, always all of it. */
const gone = (reason: string): Said => ({ state: "returned", reason })

const chargedBack: Said = { state: "returned", reason: "the payer charged it back", needsAmount: true }

/** Meaning of a successful event for the payment. */
const ofPayments: Readonly<Record<string, Said>> = {
  AUTHORISATION: { state: "completed", reason: null, needsAmount: true },
  CANCELLATION: { state: "returned", reason: "the payment was cancelled", calledOff: true },
  TECHNICAL_CANCEL: gone("the authorised payment was cancelled"),
  CAPTURE_FAILED: gone("the authorised money could not be captured"),
  CAPTURE: { state: "completed", reason: null, needsAmount: true },
  EXPIRE: gone("the authorisation expired before it was captured"),
  CHARGEBACK: chargedBack,
  SECOND_CHARGEBACK: chargedBack,
  CHARGEBACK_REVERSED: { state: "completed", reason: null, needsAmount: true },
  OFFER_CLOSED: "ask"
}

/** …and of a refund. */
const ofRefunds: Readonly<Record<string, Said>> = {
  REFUND: { state: "completed", reason: null },
  REFUND_FAILED: { state: "returned", reason: "the refund did not reach the payer" },
  REFUNDED_REVERSED: { state: "returned", reason: "the refund did not reach the payer" }
}

const isTrue = ({ success }: Item): boolean => success === "true"

/** The original of a change is the payment that it changes. */
const paymentId = ({ originalReference, pspReference }: Item): string =>
  originalReference === null || originalReference === "" ? pspReference : originalReference

/**
 * Adyen tries a failed capture again for days. Only the reason tells such a capture from one that the account asks for
 * itself, after an authorisation that counts as paid already. Both are signed captures of the payment.
 */
const isRecaptured = ({ reason }: Item): boolean => /recaptured/i.test(reason ?? "")

const saidOfPayment = (item: Item): Said => {
  if (item.eventCode === "CAPTURE" && !isRecaptured(item)) return "nothing"
  if (isTrue(item)) return meaningOf(ofPayments, item.eventCode) ?? "nothing"
  if (item.eventCode !== "AUTHORISATION") return "nothing"
  // A link lets its customer try another card.
  return namedBy(item.merchantReference ?? "").kind === "link"
    ? "ask"
    : { state: "failed", reason: "the payment was not authorised" }
}

const saidOfRefund = (item: Item): Said => {
  const said = meaningOf(ofRefunds, item.eventCode) ?? "nothing"
  return isTrue(item) || said === "nothing" ? said : { state: "failed", reason: "the refund was refused" }
}

type Moved = (item: Item) => ReadonlyArray<Pick<Movement, "id" | "kind">>

const moved =
  (kind: Movement["kind"], suffix = ""): Moved =>
  ({ pspReference }) => [{ kind, id: `${pspReference}${suffix}` }]

const collected: Moved = (item) => [{ kind: "collection", id: paymentId(item) }]
const reversed = moved("reversal")
const refunded = moved("refund")
/** Names the collection too: the callback of the authorisation may have been lost. */
const cancelled: Moved = (item) => [...collected(item), ...reversed(item)]
/** A refund fails after it went through, under its own reference. */
const refundFailed: Moved = (item) => [...refunded(item), ...moved("reinstatement")(item)]

/** Transfers of a successful event. All events of one dispute have one reference: the second chargeback gets a suffix. */
const movedBy: Readonly<Record<string, Moved>> = {
  AUTHORISATION: collected,
  CANCELLATION: cancelled,
  TECHNICAL_CANCEL: cancelled,
  CAPTURE_FAILED: reversed,
  CAPTURE: moved("reinstatement"),
  EXPIRE: reversed,
  CHARGEBACK: reversed,
  SECOND_CHARGEBACK: moved("reversal", ":second"),
  CHARGEBACK_REVERSED: moved("reinstatement"),
  REFUND: refunded,
  REFUND_FAILED: refundFailed,
  REFUNDED_REVERSED: refundFailed
}

/** A refund that was refused is named too, so that it is not waited for. */
const movementsOf = (item: Item, money: Money | undefined): ReadonlyArray<Movement> => {
  if (money?.isPositive === false) return []
  const amount = money ?? null
  if (isTrue(item)) {
    const movements = meaningOf(movedBy, item.eventCode)?.(item) ?? []
    return movements.map((one) => ({ ...one, amount, state: "settled" }))
  }
  return item.eventCode === "REFUND" ? refunded(item).map((one) => ({ ...one, amount, state: "failed" })) : []
}

const keyOf = ({ eventCode, pspReference, success }: Item): string => `${eventCode} ${pspReference} ${success}`

const eventOf = (
  item: Item,
  said: Said,
  attempt: Hint["attempt"],
  proof: Proof<"account">
): ReadonlyArray<CallbackEvent> => {
  if (said === "nothing") return []
  if (said === "ask") return [new Hint({ attempt })]
  const { needsAmount = false, ...rest } = said
  const money = Option.getOrUndefined(moneyIn(item.amount))
  if (needsAmount && money === undefined) return [new Hint({ attempt })]
  const report = new Report({
    ...rest,
    providerPaymentId: attempt.providerPaymentId,
    providerStatus: item.eventCode,
    ...providerIds({ psp_reference: attempt.providerPaymentId }),
    ...withMovements(movementsOf(item, money))
  })
  return [new VerifiedReport({ key: keyOf(item), attempt, report, proof })]
}

/**
 * Refunds made by hand carry the reference of the payment. A failed one names the refund as well, under the same key: its
 * own callback may have been lost.
 */
const eventsByHand = (item: Item, reference: string, proof: Proof<"account">): ReadonlyArray<CallbackEvent> => {
  if (!isTrue(item)) return []
  const attempt = { reference, providerPaymentId: paymentId(item) }
  const money = Option.getOrUndefined(moneyIn(item.amount))
  if (money === undefined) return [new Hint({ attempt })]
  const about = { providerPaymentId: attempt.providerPaymentId, providerStatus: item.eventCode }
  const reason = "it was refunded by hand at Adyen"
  const [refund, ...others] = movementsOf(item, money)
  const gave = new Report({ ...about, state: "returned", reason, ...withMovements(refund ? [refund] : []) })
  const failed = new Report({ ...about, state: "completed", reason: null, ...withMovements(others) })
  const keys = { gave: keyOf({ ...item, eventCode: "REFUND" }), failed: `refund ${item.pspReference} regained` }
  return [
    new VerifiedReport({ key: keys.gave, attempt, report: gave, proof }),
    ...(item.eventCode === "REFUND" ? [] : [new VerifiedReport({ key: keys.failed, attempt, report: failed, proof })])
  ]
}

const eventsOf = (item: Item, proof: Proof<"account">): ReadonlyArray<CallbackEvent> => {
  const about = namedBy(item.merchantReference ?? "")
  if (meaningOf(ofRefunds, item.eventCode) !== undefined) {
    if (about.kind !== "refund" && about.reference !== "") return eventsByHand(item, about.reference, proof)
    const reference = about.kind === "refund" ? about.reference : null
    return eventOf(item, saidOfRefund(item), { reference, providerPaymentId: item.pspReference }, proof)
  }
  const { reference } = about
  return eventOf(item, saidOfPayment(item), { reference, providerPaymentId: paymentId(item) }, proof)
}

const NO_CALLBACK = new NoProof({ message: "The body is no callback of Adyen's" })

const isSameAccount = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase()

/**
 * Our events in a batch. Items of other accounts, and items with an ambiguous signature, are acknowledged without
 * effect: a refused batch holds up the whole endpoint's queue. None of our references has a separator in it.
 */
export const paymentEvents = (
  json: unknown,
  secret: string | undefined,
  env: string,
  merchantAccount: string
): Either.Either<ReadonlyArray<CallbackEvent>, NoProof> =>
  Either.gen(function* () {
    const key = yield* keyIn(env, secret)
    const { notificationItems } = yield* Either.fromOption(itemsIn(json), () => NO_CALLBACK)
    if (notificationItems.length > MOST_ITEMS) return yield* Either.left(TOO_MANY_ITEMS)
    const items = notificationItems.map((one) => one.NotificationRequestItem)
    const proof = yield* Proof.from(
      Check.every(items.map((item) => Check.same(itemSignature(item, key), item.additionalData.hmacSignature))),
      "The hmacSignature is missing or wrong"
    )
    const ours = items.filter((item) => isSameAccount(item.merchantAccountCode, merchantAccount) && isUnambiguous(item))
    return ours.flatMap((item) => eventsOf(item, proof))
  })

/** Other events of the balance platform are none of ours. */
const isAboutTransfer = (type: string): boolean => type.startsWith("balancePlatform.transfer.")

export const transferEvents = (
  body: Buffer,
  json: unknown,
  signature: string | undefined,
  secret: string | undefined,
  env: string
): Either.Either<ReadonlyArray<CallbackEvent>, NoProof> =>
  Either.gen(function* () {
    const key = yield* keyIn(env, secret)
    const check = Check.same(bodySignature(body, key), signature)
    const proof = yield* Proof.from(check, "The HmacSignature is missing or wrong")
    const event = yield* Either.fromOption(transferEventIn(json), () => NO_CALLBACK)
    const transfer = Option.getOrUndefined(transferIn(event.data))
    if (!isAboutTransfer(event.type) || transfer === undefined) return []
    const attempt = { reference: transfer.reference, providerPaymentId: transfer.id }
    const report = reportOfTransfer(transfer)
    return [
      report._tag === "Unknown"
        ? new Hint({ attempt })
        : new VerifiedReport({ key: sha256Hex(body), attempt, report, proof })
    ]
  })

export const isOfPayments = (json: unknown): boolean =>
  typeof json === "object" && json !== null && "notificationItems" in json
