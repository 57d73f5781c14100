/** An escrow as stored: parties, milestones, splits and totals. Its money is in the ledger. */
import { Schema } from "effect"
import { AccountId, BeneficiaryId, EscrowId, OrgId } from "../../domain/Ids.ts"
import { CurrencyCode } from "../../domain/Currency.ts"
import { LedgerAccount } from "../../domain/Ledger.ts"
import { Money } from "../../domain/Money.ts"
import type { Share } from "../../domain/Split.ts"

const escrowStatuses = ["active", "completed", "canceled"] as const
export type EscrowStatus = (typeof escrowStatuses)[number]

const milestoneStatuses = ["pending", "contract_submitted", "disbursed", "canceled"] as const

export const EscrowRow = Schema.Struct({
  escrow_id: EscrowId,
  org_id: OrgId,
  name: Schema.String,
  currency: Schema.typeSchema(CurrencyCode),
  /** The virtual account that funds the escrow and receives the remainder. */
  account_id: AccountId,
  status: Schema.Literal(...escrowStatuses),
  total_amount: Schema.String,
  funded_amount: Schema.String,
  disbursed_amount: Schema.String,
  created_at: Schema.DateFromSelf,
  updated_at: Schema.DateFromSelf
})

export const PartyRow = Schema.Struct({
  party_id: Schema.String,
  escrow_id: EscrowId,
  name: Schema.String,
  /** Receives payouts, unless the party has an account. */
  beneficiary_id: Schema.NullOr(BeneficiaryId),
  /** A virtual account of the organisation. */
  account_id: Schema.NullOr(AccountId),
  email: Schema.NullOr(Schema.String)
})

export const MilestoneRow = Schema.Struct({
  milestone_id: Schema.String,
  escrow_id: EscrowId,
  sequence: Schema.Int,
  label: Schema.String,
  description: Schema.NullOr(Schema.String),
  due_date: Schema.NullOr(Schema.String),
  expected_disbursement: Schema.String,
  status: Schema.Literal(...milestoneStatuses),
  contract_reference: Schema.NullOr(Schema.String),
  contract_submitted_at: Schema.NullOr(Schema.DateFromSelf),
  disbursed_at: Schema.NullOr(Schema.DateFromSelf)
})

export type Party = Omit<typeof PartyRow.Type, "escrow_id">

export interface PartySplit extends Share {
  readonly party_id: string
}

export interface Milestone extends Omit<typeof MilestoneRow.Type, "escrow_id" | "expected_disbursement"> {
  readonly expected: Money
  /** All of one type; together they cover the milestone. */
  readonly splits: ReadonlyArray<PartySplit>
}

export interface Escrow extends Omit<typeof EscrowRow.Type, "total_amount" | "funded_amount" | "disbursed_amount"> {
  readonly total: Money
  /** Received minus returned money: the disbursed part and the ledger balance. */
  readonly funded: Money
  readonly disbursed: Money
  readonly parties: ReadonlyArray<Party>
  /** Ordered by sequence. */
  readonly milestones: ReadonlyArray<Milestone>
}

export type NewEscrow = Omit<Escrow, "created_at" | "updated_at">

export const escrowLedgerAccount = ({ currency, escrow_id }: Pick<Escrow, "escrow_id" | "currency">): LedgerAccount =>
  LedgerAccount.escrow(escrow_id, currency)

export const partyLedgerAccount = ({ currency }: Pick<Escrow, "currency">, { party_id }: Pick<Party, "party_id">) =>
  LedgerAccount.party(party_id, currency)

const fundingStatuses = ["unfunded", "partially_funded", "funded"] as const
type FundingStatus = (typeof fundingStatuses)[number]

interface Coverage {
  readonly covered: Money
  readonly funding_status: FundingStatus
}

const fundingStatusOf = (covered: Money, { expected, status }: Milestone): FundingStatus => {
  if (covered.isZero || status === "canceled") return "unfunded"
  return covered.minor === expected.minor ? "funded" : "partially_funded"
}

/** Coverage by milestone id: funds cover milestones in their sequence, except canceled ones. */
export const coverageOf = ({ currency, funded, milestones }: Escrow): ReadonlyMap<string, Coverage> => {
  const coverage = new Map<string, Coverage>()
  let left = funded.minor
  for (const milestone of milestones) {
    const wanted = milestone.status === "canceled" ? 0n : milestone.expected.minor
    const minor = left < wanted ? left : wanted
    left -= minor
    const covered = new Money({ currency, minor })
    coverage.set(milestone.milestone_id, { covered, funding_status: fundingStatusOf(covered, milestone) })
  }
  return coverage
}
