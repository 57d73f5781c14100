/** Reads transfers. A payout has left once it is booked, and may still be returned. */
import { Option, Schema } from "effect"
import type { Movement } from "../../domain/Movement.ts"
import { Absent, Accepted, type Enquiry, type Outcome, Report, Unknown } from "../../domain/Outcome.ts"
import type { ProviderReply } from "../client/ProviderHttp.ts"
import {
  enquiryFrom,
  failedReport,
  isOk,
  named,
  noVerdict,
  outcomeFrom,
  providerIds,
  unreadable
} from "../client/ProviderReplies.ts"
import { moneyIn } from "./AdyenCorridors.ts"
import { AdyenAmount } from "./AdyenAnswers.ts"
import { refusedBy, transferRefusal } from "./AdyenRefusals.ts"
import { textOrNull } from "../port/WireValues.ts"

const Transfer = Schema.Struct({
  id: Schema.String,
  status: Schema.String,
  reason: textOrNull,
  reference: textOrNull,
  amount: AdyenAmount
})
export type Transfer = typeof Transfer.Type

export const transferIn = Schema.decodeUnknownOption(Transfer)
const foundIn = Schema.decodeUnknownOption(
  Schema.Struct({ data: Schema.optionalWith(Schema.Array(Schema.Unknown), { default: () => [] }) })
)

const states: Readonly<Record<string, Report["state"]>> = {
  received: "processing",
  authorised: "processing",
  pending: "processing",
  pendingApproval: "processing",
  pendingExecution: "processing",
  approvalPending: "processing",
  bookingPending: "processing",
  bankTransferPending: "processing",
  booked: "completed",
  credited: "completed",
  refused: "failed",
  rejected: "failed",
  // It may be said of what was booked before, which is money that came back.
  failed: "returned",
  cancelled: "failed",
  expired: "failed",
  error: "failed",
  returned: "returned",
  reversed: "returned"
}

export const knownTransferStatuses: ReadonlySet<string> = new Set(Object.keys(states))

const stateOf = ({ status }: Transfer): Report["state"] => states[status] ?? "processing"

/**
 * A transfer that failed may have been booked before, so it is named with the money that came back. That money has no id of
 * its own: it is derived from the transfer's.
 */
const movementsOf = (transfer: Transfer): ReadonlyArray<Movement> => {
  const { amount: said, id } = transfer
  const state = stateOf(transfer)
  const amount = Option.getOrNull(moneyIn(said))
  const paid = { kind: "disbursement", id, amount, state: "settled" } as const
  if (state === "completed") return [paid]
  return state === "returned"
    ? [paid, { kind: "reinstatement", id: `${id}:returned`, amount, state: "settled" } as const]
    : []
}

export const reportOfTransfer = (transfer: Transfer): Report | Unknown => {
  const { amount, id, reason, status } = transfer
  const state = stateOf(transfer)
  const about = {
    state,
    providerPaymentId: id,
    providerStatus: status,
    ...providerIds({ transfer_id: id }),
    ...named(movementsOf(transfer))
  }
  if (state === "failed" || state === "returned") {
    return new Report({ ...about, ...failedReport(transferRefusal(status, reason), id, status, state) })
  }
  if (state !== "completed") return new Report({ ...about, reason: null })
  return Option.match(moneyIn(amount), {
    onNone: () => new Unknown({ reason: `it paid out an amount of ${amount.currency} that cannot be read` }),
    onSome: () => new Report({ ...about, reason: null })
  })
}

const outcomeOfTransfer = (transfer: Transfer): Outcome => {
  const report = reportOfTransfer(transfer)
  if (report._tag === "Unknown") return report
  if (report.state === "failed" || report.state === "returned") return transferRefusal(transfer.status, transfer.reason)
  return new Accepted({
    state: report.state,
    providerPaymentId: transfer.id,
    providerStatus: transfer.status,
    nextAction: null,
    actionData: {},
    providerData: { transfer_id: transfer.id },
    ...named(movementsOf(transfer))
  })
}

export const toTransfer = outcomeFrom(transferIn, outcomeOfTransfer, refusedBy)

export const aboutTransfer = enquiryFrom(transferIn, reportOfTransfer)

/** The one of our reference among those that were found. */
export const aboutTransfers =
  (reference: string) =>
  (reply: ProviderReply): Enquiry => {
    if (!isOk(reply)) return noVerdict(reply)
    const found = Option.getOrUndefined(foundIn(reply.json))
    if (found === undefined) return unreadable(reply)
    const ours = found.data.flatMap((one) => Option.toArray(transferIn(one))).find((one) => one.reference === reference)
    if (ours !== undefined) return reportOfTransfer(ours)
    // What was found for our reference and cannot be read may be it.
    return found.data.length === 0 ? new Absent() : unreadable(reply)
  }
