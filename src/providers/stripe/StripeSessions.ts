/** Stripe's Checkout Sessions: pages of Stripe's own where payers enter their cards. Reads its answers about them. */
import { Equal, Option } from "effect"
import { Accepted, Declined, type Enquiry, type Outcome, Report, Unknown } from "../../domain/Outcome.ts"
import type { ProviderReply } from "../client/ProviderHttp.ts"
import {
  enquiryFrom,
  failedReport,
  isOk,
  outcomeFrom,
  providerIds,
  makeStatusWarning
} from "../client/ProviderReplies.ts"
import { meanings } from "../client/WireValues.ts"
import type { AttemptContext } from "../port/Provider.ts"
import { isExpectedStatus, refusedBy, reportOfIntent } from "./StripeAnswers.ts"
import { moneyIn } from "./StripeRequests.ts"
import { type Intent, referenceIn, type Session, sessionIn } from "./StripeSchemas.ts"

/** A complete session has a payment that says more; without it, the payment is under way. */
const states = meanings<"pending" | "processing" | "failed">({
  pending: "open",
  processing: "complete",
  failed: "expired"
})

const expired = new Declined({ reason: "its page expired unpaid", code: "NOT_APPROVED", providerCode: "expired" })

const MILLIS_PER_SECOND = 1000

/** The page, and when it closes by itself. */
const pageOf = ({ expires_at, url }: Session): NonNullable<Report["waitsFor"]> | undefined =>
  url === null
    ? undefined
    : {
        nextAction: "redirect",
        actionData: {
          redirect_url: url,
          expires_at: expires_at === null ? null : new Date(Number(expires_at) * MILLIS_PER_SECOND).toISOString()
        }
      }

const idsOf = ({ id }: Session) => providerIds({ checkout_session: id })

/** Of the page alone, whatever payment is behind it. */
export const reportOfPage = (session: Session): Report => {
  const { id, status } = session
  const state = states.get(status ?? "") ?? "processing"
  if (state === "failed") return new Report({ ...failedReport(expired, id, status), ...idsOf(session) })
  const page = state === "pending" ? pageOf(session) : undefined
  return new Report({
    state,
    reason: null,
    providerPaymentId: id,
    providerStatus: status,
    ...idsOf(session),
    ...(page === undefined ? {} : { waitsFor: page })
  })
}

/** The payment behind a page, where the answer has the whole of it. */
export const intentOf = ({ payment_intent: intent }: Session): Intent | null =>
  typeof intent === "object" ? intent : null

/** A payment that was made, or is being made, says what became of it; until then the page does. */
const reportOfSession = (session: Session): Report | Unknown => {
  const intent = intentOf(session)
  const paid = intent === null ? undefined : reportOfIntent(intent)
  if (paid === undefined) return reportOfPage(session)
  if (paid._tag === "Unknown") return paid
  if (paid.state === "pending" || paid.state === "failed") return reportOfPage(session)
  return new Report({ ...paid, providerData: { ...paid.providerData, ...idsOf(session).providerData } })
}

const outcomeOfSession = (session: Session): Outcome => {
  const page = pageOf(session)
  if (page === undefined) return new Unknown({ reason: "its page cannot be read" })
  return new Accepted({
    state: "pending",
    providerPaymentId: session.id,
    providerStatus: session.status,
    ...page,
    ...idsOf(session)
  })
}

export const toSession = outcomeFrom(sessionIn, outcomeOfSession, refusedBy)

/** A callback may have told the id of the payment since, so the report about the page leaves the page's id out. */
export const aboutSession = enquiryFrom(sessionIn, (session) => {
  const report = reportOfSession(session)
  return report._tag === "Report" && report.providerPaymentId === session.id
    ? new Report({ ...report, providerPaymentId: null })
    : report
})

/** Of an id that a hint or a list named: only a session that carries our reference, and is for our amount, is ours. */
export const aboutSessionOf = ({ money, reference }: AttemptContext): ((reply: ProviderReply) => Enquiry) =>
  enquiryFrom(sessionIn, (session) =>
    referenceIn(session) === reference &&
    Option.exists(moneyIn(session.amount_total, session.currency), Equal.equals(money))
      ? reportOfSession(session)
      : new Unknown({ reason: "the page of this id is not of this reference and amount" })
  )

/** Outcome of closing a page; undefined: refused, and the page has to be looked at. */
export const closingAnswer = (reply: ProviderReply): "canceled" | "unknown" | undefined => {
  if (!isOk(reply)) return refusedBy(reply)._tag === "Declined" ? undefined : "unknown"
  return Option.exists(sessionIn(reply.json), ({ status }) => status === "expired") ? "canceled" : "unknown"
}

/** Whether a page that could not be closed is closed already, or paid. */
export const closedAnswer = (reply: ProviderReply): "canceled" | "refused" | "unknown" => {
  const report = isOk(reply) ? Option.map(sessionIn(reply.json), reportOfSession) : Option.none()
  if (Option.isNone(report) || report.value._tag !== "Report") return "unknown"
  const { state } = report.value
  if (state === "failed") return "canceled"
  return state === "pending" ? "unknown" : "refused"
}

export const warnIfUnexpected = makeStatusWarning("Stripe", (status) => isExpectedStatus(status) || states.has(status))
