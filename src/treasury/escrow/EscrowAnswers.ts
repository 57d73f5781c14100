/** The answers of what moves an escrow's money, and their exact text, which a key may repeat. */
import { Schema } from "effect"
import { envelope, success } from "../../contract/api/Envelope.ts"
import * as Api from "../../contract/api/Escrow.ts"
import { stringifyWire } from "../../domain/Decimal.ts"

export type EscrowView = typeof Api.Escrow.Type
export type MilestoneView = typeof Api.Milestone.Type

export const fundedAnswer = (escrow: EscrowView) => success("Escrow funded", escrow)
export const canceledAnswer = (escrow: EscrowView) => success("Escrow canceled", escrow)
export const disbursedAnswer = (milestone: MilestoneView) => success("Milestone disbursed", milestone)

const encodeEscrow = Schema.encodeSync(envelope(Api.Escrow))
const encodeMilestone = Schema.encodeSync(envelope(Api.Milestone))

export const fundedText = (escrow: EscrowView): string => stringifyWire(encodeEscrow(fundedAnswer(escrow)))
export const canceledText = (escrow: EscrowView): string => stringifyWire(encodeEscrow(canceledAnswer(escrow)))
export const disbursedText = (milestone: MilestoneView): string =>
  stringifyWire(encodeMilestone(disbursedAnswer(milestone)))
