/** Reads Circle's payment intents into outcomes and reports. */
import { Option, Schema } from "effect"
import type { Movement } from "../../domain/Movement.ts"
import { Absent, Accepted, type Enquiry, type Outcome, Report, Unknown } from "../../domain/Outcome.ts"
import type { ProviderReply } from "../client/ProviderHttp.ts"
import { isMade, unknownOutcome, outcomeFrom, providerIds, settledOnce, unreadable } from "../client/ProviderReplies.ts"
import { moneyOfCircle, networkOfChain } from "./CircleRequests.ts"
import { acceptedAs, Amount, refusalOf } from "./CircleAnswers.ts"
import { enclosed, optional, optionalText } from "../client/WireValues.ts"

const Intent = Schema.Struct({
  id: Schema.String,
  amountPaid: optional(Amount),
  amountRefunded: optional(Amount),
  paymentMethods: optional(Schema.Array(Schema.Struct({ chain: Schema.String, address: optionalText }))),
  paymentIds: optional(Schema.Array(Schema.String)),
  refundIds: optional(Schema.Array(Schema.String)),
  timeline: optional(
    Schema.Array(
      Schema.Struct({ status: Schema.String, context: optionalText, reason: optionalText, time: optionalText })
    )
  )
})
export type Intent = typeof Intent.Type

const decodeIntent = enclosed(Intent)

const Payment = Schema.Struct({
  id: Schema.String,
  type: Schema.Literal("payment", "refund"),
  status: Schema.String,
  paymentIntentId: optionalText,
  amount: optional(Schema.Struct({ amount: optionalText, currency: Schema.String }))
})
type Payment = typeof Payment.Type

const decodePayments = enclosed(Schema.Array(Payment))

type TimelineEntry = NonNullable<Intent["timeline"]>[number]

/** Circle puts the newest first, and tells the time of each. */
const newestOf = ({ timeline = [] }: Intent): TimelineEntry | undefined => {
  const at = ({ time }: TimelineEntry): number => Date.parse(time ?? "") || 0
  return timeline.reduce<TimelineEntry | undefined>(
    (newest, one) => (newest === undefined || at(one) > at(newest) ? one : newest),
    undefined
  )
}

const known = new Set(["created", "pending", "complete", "expired", "failed", "refunded"])

export const isExpectedIntentStatus = (status: string): boolean => known.has(status)

export const addressIn = ({ paymentMethods = [] }: Intent): string | undefined =>
  paymentMethods.find(({ address }) => address !== undefined && address !== "")?.address

/** `null` until Circle has chosen one. */
const actionDataOf = (intent: Intent) => ({
  address: addressIn(intent) ?? null,
  network: networkOfChain(intent.paymentMethods?.[0]?.chain ?? "")
})

/** `wait` triggers no further look-up, so it needs the address. */
const stepOf = (intent: Intent) => (addressIn(intent) === undefined ? "check_status" : "wait")

const isSome = (amount: typeof Amount.Type | undefined): boolean =>
  amount !== undefined && Option.exists(moneyOfCircle(amount), ({ isPositive }) => isPositive)

const isRefunded = (intent: Intent): boolean =>
  newestOf(intent)?.status === "refunded" || (intent.refundIds ?? []).length > 0 || isSome(intent.amountRefunded)

/** Circle has two ways to say that it ran out of time. */
const statusOf = (newest: TimelineEntry | undefined): string | null =>
  newest?.status === "complete" && newest.context === "expired" ? "expired" : (newest?.status ?? null)

/** Has ended: payments until then are final. */
const hasEnded = (intent: Intent): boolean => ["complete", "expired"].includes(newestOf(intent)?.status ?? "")

/**
 * Whether the intent lacks the amount of each of its payments and refunds. A single payment of an ended intent without
 * refunds is all that was paid.
 */
export const needsPayments = (intent: Intent): boolean =>
  isRefunded(intent) || (isSome(intent.amountPaid) && !(hasEnded(intent) && intent.paymentIds?.length === 1))

const movementKinds = { payment: "collection", refund: "refund" } as const

const movementOf = ({ amount, id, type }: Payment): Option.Option<Movement> =>
  Option.map(moneyOfCircle({ amount: amount?.amount ?? "", currency: amount?.currency ?? "" }), (money) => ({
    kind: movementKinds[type],
    id,
    amount: money,
    state: "settled"
  }))

/** A payment that is `confirmed` is not in our wallet yet. */
const isSettled = ({ status }: Payment): boolean => status === "paid"

/** Movements by Circle's list; none while the list lacks a payment of the intent, or an amount cannot be read. */
const movementsIn = (intent: Intent, reply: ProviderReply): Option.Option<ReadonlyArray<Movement>> => {
  const named = [...(intent.paymentIds ?? []), ...(intent.refundIds ?? [])]
  const data = Option.getOrElse(reply.status === 200 ? decodePayments(reply.json) : Option.none(), () => [])
  const ours = data.filter(({ id, paymentIntentId }) => paymentIntentId === intent.id || named.includes(id))
  const has = (type: Payment["type"], isDone: boolean): boolean =>
    ours.some((one) => one.type === type && (!isDone || isSettled(one)))
  const isWhole =
    named.every((id) => ours.some((one) => one.id === id)) &&
    (!isSome(intent.amountPaid) || has("payment", hasEnded(intent))) &&
    (!isRefunded(intent) || has("refund", newestOf(intent)?.status === "refunded"))
  return isWhole ? Option.all(ours.filter(isSettled).map(movementOf)) : Option.none()
}

/**
 * Report of an intent; none where money came and its amount cannot be read. `listed`: movements from the list, where
 * the intent alone lacks them.
 */
const intentReport = (intent: Intent, listed?: ReadonlyArray<Movement>): Option.Option<Report> => {
  const { amountPaid, id, paymentIds = [], refundIds = [] } = intent
  const newest = newestOf(intent)
  const status = statusOf(newest)
  const ids = providerIds({ payment_intent_id: id, payment_ids: paymentIds, refund_ids: refundIds })
  const named = listed === undefined ? {} : { movements: listed }
  const about = { reason: null, providerPaymentId: id, providerStatus: status, ...ids, ...named }
  const paid = amountPaid === undefined ? Option.none() : moneyOfCircle(amountPaid)
  const hasCome = Option.exists(paid, ({ isPositive }) => isPositive)
  const [only] = paymentIds
  const completed = Option.map(paid, (money) => {
    const alone = listed !== undefined || only === undefined ? {} : settledOnce("collection", only, money)
    return new Report({ ...about, ...alone, state: "completed" })
  })
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
      // Waits for its customer until a payment was seen.
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

/** The intent as it is, where it was made or had been: without an address it must be asked for again. */
export const readIntent = (reply: ProviderReply): Option.Option<Intent> =>
  isMade(reply) ? decodeIntent(reply.json) : Option.none()

const intentOutcome = (intent: Intent): Outcome =>
  Option.match(intentReport(intent), {
    onNone: () => new Unknown({ reason: "Circle has it, paid with an amount that cannot be read" }),
    onSome: (report) =>
      acceptedAs(report, {
        nextAction: report.state === "pending" ? stepOf(intent) : null,
        actionData: report.state === "pending" ? actionDataOf(intent) : {}
      })
  })

/** Outcome of an intent that was made before. Leaves movements to an enquiry where the intent alone lacks them. */
const paidBefore = (intent: Intent): Outcome =>
  new Accepted({
    state: "processing",
    providerPaymentId: intent.id,
    providerStatus: newestOf(intent)?.status ?? null,
    nextAction: null,
    actionData: {},
    providerData: { payment_intent_id: intent.id }
  })

export const intentCreated = outcomeFrom(
  decodeIntent,
  (intent) => (needsPayments(intent) ? paidBefore(intent) : intentOutcome(intent)),
  refusalOf,
  isMade
)

/** Of an intent that tells all by itself. */
export const intentEnquiry = (reply: ProviderReply): Enquiry => {
  if (reply.status === 404) return new Absent()
  if (reply.status !== 200) return unknownOutcome(reply)
  return Option.match(
    Option.flatMap(readIntent(reply), (intent) => intentReport(intent)),
    { onNone: (): Enquiry => unreadable(reply), onSome: (report) => report }
  )
}

/** Of an intent beside the list of its payments and refunds. */
export const intentWith =
  (intent: Intent) =>
  (list: ProviderReply): Enquiry =>
    Option.getOrElse(
      Option.flatMap(movementsIn(intent, list), (listed) => intentReport(intent, listed)),
      (): Enquiry => unknownOutcome(list, "that does not list what was paid")
    )
