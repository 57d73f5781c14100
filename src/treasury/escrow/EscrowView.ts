/** Escrows, milestones and payouts in answers, and the stored text of an answer to a repeated key. */
import * as Api from "../../contract/api/EscrowApi.ts"
import { CurrencyCode } from "../../domain/Currency.ts"
import type { BeneficiaryId } from "../../domain/Ids.ts"
import type { LedgerAccount } from "../../domain/Ledger.ts"
import { Money } from "../../domain/Money.ts"
import type { Payment } from "../../payments/store/Payment.ts"
import { replayable } from "../accounts/VirtualAccountView.ts"
import { coverageOf, type Escrow, type Milestone, partyLedgerAccount } from "./EscrowStore.ts"
import type { EscrowPayout } from "./EscrowPayoutStore.ts"

export type EscrowView = typeof Api.Escrow.Type
type MilestoneView = typeof Api.Milestone.Type
type PayoutView = typeof Api.PartyPayout.Type
type EscrowPayoutView = typeof Api.EscrowPayout.Type

const viewOf = (coverage: ReturnType<typeof coverageOf>, milestone: Milestone): MilestoneView => {
  const { expected, milestone_id, splits, status } = milestone
  const { covered, funding_status } = coverage.get(milestone_id)!
  return {
    milestone_id,
    label: milestone.label,
    sequence: milestone.sequence,
    expected_disbursement: expected.toDecimal(),
    status,
    disbursed_total: (status === "disbursed" ? expected : Money.zero(expected.currency)).toDecimal(),
    description: milestone.description,
    due_date: milestone.due_date,
    contract_submitted_at: milestone.contract_submitted_at,
    disbursed_at: milestone.disbursed_at,
    parties: splits.map(({ party_id, split_type, split_value }) => ({ party_id, split_type, split_value })),
    funding_status,
    covered_amount: covered.toDecimal()
  }
}

export const milestoneView = (escrow: Escrow, milestoneId: string): MilestoneView => {
  const milestone = escrow.milestones.find(({ milestone_id }) => milestone_id === milestoneId)
  if (milestone === undefined) throw new Error(`escrow ${escrow.escrow_id} has no milestone ${milestoneId}`)
  return viewOf(coverageOf(escrow), milestone)
}

/** `balances`: of the parties. */
export const escrowView = (escrow: Escrow, balances: ReadonlyMap<LedgerAccount, Money>): EscrowView => {
  const coverage = coverageOf(escrow)
  return {
    escrow_id: escrow.escrow_id,
    name: escrow.name,
    currency: escrow.currency,
    account_id: escrow.account_id,
    status: escrow.status,
    total_amount: escrow.total.toDecimal(),
    funded_amount: escrow.funded.toDecimal(),
    disbursed_amount: escrow.disbursed.toDecimal(),
    parties: escrow.parties.map((party) => ({
      ...party,
      balance: (balances.get(partyLedgerAccount(escrow, party)) ?? Money.zero(escrow.currency)).toDecimal()
    })),
    milestones: escrow.milestones.map((milestone) => viewOf(coverage, milestone)),
    created_at: escrow.created_at,
    updated_at: escrow.updated_at
  }
}

export const payoutView = (
  { currency, escrow_id }: Escrow,
  party_id: string,
  beneficiary_id: BeneficiaryId,
  { amount, payment_id, status, transaction_id }: Payment
): PayoutView => ({
  escrow_id,
  party_id,
  beneficiary_id,
  amount: amount.toDecimal(),
  currency,
  payment_id,
  transaction_id,
  status
})

/** Shows the payment's id once the payment exists. */
export const escrowPayoutView = (payout: EscrowPayout): EscrowPayoutView => ({
  payout_id: payout.payout_id,
  escrow_id: payout.escrow_id,
  milestone_id: payout.milestone_id,
  party_id: payout.party_id,
  beneficiary_id: payout.beneficiary_id,
  amount: payout.amount.toDecimal(),
  currency: CurrencyCode.make(payout.amount.currency),
  status: payout.status,
  reason: payout.reason,
  payment_id: payout.sent_at === null ? null : payout.payment_id,
  created_at: payout.created_at,
  updated_at: payout.updated_at
})

export const fundedAnswer = replayable("Escrow funded", Api.Escrow)
export const canceledAnswer = replayable("Escrow canceled", Api.Escrow)
export const disbursedAnswer = replayable("Milestone disbursed", Api.Milestone)
export const retriedAnswer = replayable("Payout tried again", Api.EscrowPayout)
export const payoutAnswer = replayable("Party payout initiated", Api.PartyPayout)
