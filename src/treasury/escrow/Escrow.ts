/** An escrow as the stores hold it: whom it pays, when, and how far it has come. Its money is in the books. */
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
  /** Is paid by a payout, unless the party has an account. */
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
  /** Of one type, and together the whole of it. */
  readonly splits: ReadonlyArray<PartySplit>
}

export interface Escrow {
  readonly escrow_id: EscrowId
  readonly org_id: OrgId
  readonly name: string
  readonly currency: CurrencyCode
  /** The virtual account that funds it, and gets back what is left. */
  readonly account_id: AccountId
  readonly status: EscrowStatus
  readonly total: Money
  /** What came in and did not go back: what was disbursed, and what the books hold for it. */
  readonly funded: Money
  readonly disbursed: Money
  readonly parties: ReadonlyArray<Party>
  /** In their sequence. */
  readonly milestones: ReadonlyArray<Milestone>
  readonly created_at: Date
  readonly updated_at: Date
}

export type NewEscrow = Omit<Escrow, "created_at" | "updated_at">

export const escrowLedgerAccount = ({ currency, escrow_id }: Pick<Escrow, "escrow_id" | "currency">): LedgerAccount =>
  LedgerAccount.escrow(escrow_id, currency)

export const partyLedgerAccount = ({ currency }: Pick<Escrow, "currency">, { party_id }: Pick<Party, "party_id">) =>
  LedgerAccount.party(party_id, currency)

/** How far an escrow's money reaches: it covers one milestone after the other, in their sequence. */
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

/** By the id of the milestone. Canceled ones take nothing, so all that is funded covers something. */
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
