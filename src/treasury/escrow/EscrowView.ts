/** An escrow and its milestones as answers show them. */
import { Money } from "../../domain/Money.ts"
import type { Balances } from "../../money/ledger/LedgerStore.ts"
import { coverageOf } from "./Coverage.ts"
import { type Escrow, type Milestone, partyBooks } from "./Escrow.ts"
import type { EscrowView, MilestoneView } from "./EscrowAnswers.ts"

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

/** `balances` are those of the parties. */
export const escrowView = (escrow: Escrow, balances: Balances): EscrowView => {
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
      balance: (balances.get(partyBooks(escrow, party)) ?? Money.zero(escrow.currency)).toDecimal()
    })),
    milestones: escrow.milestones.map((milestone) => viewOf(coverage, milestone)),
    created_at: escrow.created_at,
    updated_at: escrow.updated_at
  }
}
