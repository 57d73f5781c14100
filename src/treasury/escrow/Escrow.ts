/** An escrow as stored: parties, milestones, splits and totals. Its money is in the ledger. */
import type { AccountId, BeneficiaryId, EscrowId, OrgId } from "../../domain/Ids.ts"
import type { CurrencyCode } from "../../domain/Currency.ts"
import { LedgerAccount } from "../../domain/Ledger.ts"
import { Money } from "../../domain/Money.ts"
import type { Share } from "../../domain/Split.ts"

export const escrowStatuses = ["active", "completed", "canceled"] as const
export type EscrowStatus = (typeof escrowStatuses)[number]

export const milestoneStatuses = ["pending", "contract_submitted", "disbursed", "canceled"] as const
type MilestoneStatus = (typeof milestoneStatuses)[number]

export interface Party {
  readonly party_id: string
  readonly name: string
  /** Receives payouts, unless the party has an account. */
  readonly beneficiary_id: BeneficiaryId | null
  /** A virtual account of the organisation. */
  readonly account_id: AccountId | null
  readonly email: string | null
}

export interface PartySplit extends Share {
  readonly party_id: string
}

export interface Milestone {
  readonly milestone_id: string
  readonly label: string
  readonly sequence: number
  readonly expected: Money
  readonly status: MilestoneStatus
  readonly description: string | null
  readonly due_date: string | null
  readonly contract_reference: string | null
  readonly contract_submitted_at: Date | null
  readonly disbursed_at: Date | null
  /** All of one type; together they cover the milestone. */
  readonly splits: ReadonlyArray<PartySplit>
}

export interface Escrow {
  readonly escrow_id: EscrowId
  readonly org_id: OrgId
  readonly name: string
  readonly currency: CurrencyCode
  /** The virtual account that funds the escrow and receives the remainder. */
  readonly account_id: AccountId
  readonly status: EscrowStatus
  readonly total: Money
  /** Received minus returned money: the disbursed part and the ledger balance. */
  readonly funded: Money
  readonly disbursed: Money
  readonly parties: ReadonlyArray<Party>
  /** Ordered by sequence. */
  readonly milestones: ReadonlyArray<Milestone>
  readonly created_at: Date
  readonly updated_at: Date
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
