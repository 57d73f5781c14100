/** From Circle's payment intents to outcomes: nothing here talks to anybody. */
import { Either, Option, Schema } from "effect"
import { Absent, type Enquiry, type Outcome, Report, Unknown } from "../../domain/Outcome.ts"
import type { ProviderReply } from "../client/ProviderHttp.ts"
import { isMade, noVerdict, providerIds } from "../client/Replies.ts"
import { moneyOfCircle } from "./CircleMoney.ts"
import { acceptedAs, Amount, enclosed, optional, refusalOf, unreadable } from "./CircleReplies.ts"
import { networkOfChain } from "./CircleRequests.ts"

const Intent = Schema.Struct({
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
type Intent = typeof Intent.Type

const decodeIntent = enclosed(Intent)

type Moment = NonNullable<Intent["timeline"]>[number]

/** Circle puts the newest first, and tells the time of each. */
const newestOf = ({ timeline = [] }: Intent): Moment | undefined => {
  const at = ({ time }: Moment): number => Date.parse(time ?? "") || 0
  return timeline.reduce<Moment | undefined>(
    (newest, one) => (newest === undefined || at(one) > at(newest) ? one : newest),
    undefined
  )
}

const known = new Set(["created", "pending", "complete", "expired", "failed", "refunded"])

/** Whatever else it says is taken for under way, and whoever looks after the account should hear of it. */
export const isKnownMoment = (status: string | null): boolean => status === null || known.has(status)

export const addressIn = ({ paymentMethods = [] }: Intent): string | undefined =>
  paymentMethods.find(({ address }) => address !== undefined && address !== "")?.address

/** `null` until Circle has chosen one. */
const actionDataOf = (intent: Intent) => ({
  address: addressIn(intent) ?? null,
  network: networkOfChain(intent.paymentMethods?.[0]?.chain ?? "")
})

/** Whoever waits is told nothing more: before there is an address, an enquiry has to bring it. */
const stepOf = (intent: Intent) => (addressIn(intent) === undefined ? "check_status" : "wait")

/** Nothing where money is said to have come, and it cannot be read how much. */
const intentReport = (intent: Intent): Option.Option<Report> => {
  const { amountPaid, id, paymentIds = [] } = intent
  const newest = newestOf(intent)
  const status = newest?.status ?? null
  const ids = providerIds({ payment_intent_id: id, payment_ids: paymentIds })
  const about = { reason: null, providerPaymentId: id, providerStatus: status, ...ids }
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

/** The intent as it is, where it was made or had been: without an address it must be asked for again. */
export const readIntent = (reply: ProviderReply): Option.Option<Intent> =>
  isMade(reply) ? Option.map(Either.getRight(decodeIntent(reply.json)), ({ data }) => data) : Option.none()

const intentOutcome = (intent: Intent): Outcome =>
  Option.match(intentReport(intent), {
    onNone: () => new Unknown({ reason: "Circle has it, paid with an amount that cannot be read" }),
    onSome: (report) =>
      acceptedAs(report, {
        nextAction: report.state === "pending" ? stepOf(intent) : null,
        actionData: report.state === "pending" ? actionDataOf(intent) : {}
      })
  })

export const intentCreated = (reply: ProviderReply): Outcome =>
  isMade(reply)
    ? Option.match(readIntent(reply), {
        onNone: () => unreadable(reply),
        onSome: intentOutcome
      })
    : refusalOf(reply)

export const intentEnquiry = (reply: ProviderReply): Enquiry => {
  if (reply.status === 404) return new Absent()
  if (reply.status !== 200) return noVerdict(reply)
  return Option.match(Option.flatMap(readIntent(reply), intentReport), {
    onNone: (): Enquiry => unreadable(reply),
    onSome: (report) => report
  })
}
