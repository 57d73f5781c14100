/** Reads transfers. A payout has left once it is booked, and may still be returned. */
import { Option, Schema } from "effect"
import type { Movement } from "../../domain/Movement.ts"
import { Absent, type Enquiry, type Outcome, Report, Unknown } from "../../domain/Outcome.ts"
import { outcomeOfReport } from "../client/DuplicateOrder.ts"
import type { ProviderReply } from "../client/ProviderHttp.ts"
import {
  enquiryFrom,
  failedReport,
  foundFrom,
  named,
  outcomeFrom,
  providerIds,
  unreadable
} from "../client/ProviderReplies.ts"
import { meanings, textOrNull } from "../client/WireValues.ts"
import { AdyenAmount } from "./AdyenAnswers.ts"
import { moneyIn } from "./AdyenCorridors.ts"
import { refusedBy, transferRefusal } from "./AdyenRefusals.ts"

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

const states = meanings<Report["state"]>({
  processing: `received authorised pending pendingApproval pendingExecution approvalPending bookingPending
    bankTransferPending`,
  completed: "booked credited",
  failed: "refused rejected cancelled expired error",
  // `failed` may be said of what was booked before, which is money that came back.
  returned: "failed returned reversed"
})

export const isTransferStatus = (status: string): boolean => states.has(status)

const stateOf = ({ status }: Transfer): Report["state"] => states.get(status) ?? "processing"

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
  return state === "returned" ? [paid, { ...paid, kind: "reinstatement", id: `${id}:returned` }] : []
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
  return state === "completed" && Option.isNone(moneyIn(amount))
    ? new Unknown({ reason: `it paid out an amount of ${amount.currency} that cannot be read` })
    : new Report({ ...about, reason: null })
}

const outcomeOfTransfer = (transfer: Transfer): Outcome => {
  const report = reportOfTransfer(transfer)
  return report._tag === "Unknown" ? report : outcomeOfReport(report, transferRefusal(transfer.status, transfer.reason))
}

export const toTransfer = outcomeFrom(transferIn, outcomeOfTransfer, refusedBy)

export const aboutTransfer = enquiryFrom(transferIn, reportOfTransfer)

/** The one of our reference among those that were found. */
export const aboutTransfers =
  (reference: string) =>
  (reply: ProviderReply): Enquiry =>
    foundFrom(foundIn, (found) => {
      const ours = found.data
        .flatMap((one) => Option.toArray(transferIn(one)))
        .find((one) => one.reference === reference)
      if (ours !== undefined) return reportOfTransfer(ours)
      // What was found for our reference and cannot be read may be it.
      return found.data.length === 0 ? new Absent() : unreadable(reply)
    })(reply)
