/** Escrows between code and tables: an escrow is a row and the rows of its parties, milestones and splits. */
import { Option } from "effect"
import { moneyOf } from "../../platform/database/StoredMoney.ts"
import type { CurrencyCode } from "../../domain/Currency.ts"
import { fromPlainText, toPlainText } from "../../domain/Decimal.ts"
import type { Escrow, Milestone, NewEscrow, Party, PartySplit } from "./Escrow.ts"

interface Owned {
  readonly escrow_id: string
  readonly org_id: string
}

export interface EscrowRow extends Owned {
  readonly name: string
  readonly currency: CurrencyCode
  readonly account_id: string
  readonly status: Escrow["status"]
  readonly total_amount: string
  readonly funded_amount: string
  readonly disbursed_amount: string
}

export interface StoredEscrowRow extends EscrowRow {
  readonly created_at: Date
  readonly updated_at: Date
}

export interface PartyRow extends Owned, Party {
  readonly position: number
}

export interface MilestoneRow extends Owned, Omit<Milestone, "expected" | "splits"> {
  readonly expected_disbursement: string
}

export interface SplitRow extends Owned, Omit<PartySplit, "split_value"> {
  readonly milestone_id: string
  readonly position: number
  readonly split_value: string
}

export const escrowRow = (escrow: NewEscrow): EscrowRow => ({
  escrow_id: escrow.escrow_id,
  org_id: escrow.org_id,
  name: escrow.name,
  currency: escrow.currency,
  account_id: escrow.account_id,
  status: escrow.status,
  total_amount: escrow.total.toNumericText(),
  funded_amount: escrow.funded.toNumericText(),
  disbursed_amount: escrow.disbursed.toNumericText()
})

const ownerOf = ({ escrow_id, org_id }: NewEscrow): Owned => ({ escrow_id, org_id })

export const partyRows = (escrow: NewEscrow): ReadonlyArray<PartyRow> =>
  escrow.parties.map((party, position) => ({ ...ownerOf(escrow), ...party, position }))

export const milestoneRows = (escrow: NewEscrow): ReadonlyArray<MilestoneRow> =>
  escrow.milestones.map(({ expected, splits: _, ...milestone }) => ({
    ...ownerOf(escrow),
    ...milestone,
    expected_disbursement: expected.toNumericText()
  }))

export const splitRows = (escrow: NewEscrow): ReadonlyArray<SplitRow> =>
  escrow.milestones.flatMap(({ milestone_id, splits }) =>
    splits.map(({ party_id, split_type, split_value }, position) => ({
      ...ownerOf(escrow),
      milestone_id,
      party_id,
      position,
      split_type,
      split_value: toPlainText(split_value)
    }))
  )

const splitOfRow = ({ party_id, split_type, split_value }: SplitRow): PartySplit => ({
  party_id,
  split_type,
  split_value: Option.getOrThrowWith(fromPlainText(split_value), () => new Error(`${split_value} is no split`))
})

export interface ChildRows {
  readonly parties: ReadonlyArray<PartyRow>
  readonly milestones: ReadonlyArray<MilestoneRow>
  readonly splits: ReadonlyArray<SplitRow>
}

/** The children are in order, and may be those of several escrows. */
export const escrowOfRows = (row: StoredEscrowRow, { milestones, parties, splits }: ChildRows): Escrow => {
  const { currency, disbursed_amount, escrow_id, funded_amount, total_amount, ...rest } = row
  return {
    ...rest,
    escrow_id,
    currency,
    total: moneyOf(total_amount, currency),
    funded: moneyOf(funded_amount, currency),
    disbursed: moneyOf(disbursed_amount, currency),
    parties: parties
      .filter((party) => party.escrow_id === escrow_id)
      .map(({ account_id, beneficiary_id, email, name, party_id }) => ({
        party_id,
        name,
        beneficiary_id,
        account_id,
        email
      })),
    milestones: milestones
      .filter((milestone) => milestone.escrow_id === escrow_id)
      .map(({ escrow_id: _escrow, expected_disbursement, org_id: _org, ...milestone }) => ({
        ...milestone,
        expected: moneyOf(expected_disbursement, currency),
        splits: splits.filter(({ milestone_id }) => milestone_id === milestone.milestone_id).map(splitOfRow)
      }))
  }
}
