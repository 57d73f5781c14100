/** How far an escrow's money reaches: it covers one milestone after the other, in their sequence. */
import { Money } from "../../domain/Money.ts"
import type { Escrow, Milestone } from "./Escrow.ts"

export const fundingStatuses = ["unfunded", "partially_funded", "funded"] as const
export type FundingStatus = (typeof fundingStatuses)[number]

export interface Coverage {
  readonly covered: Money
  readonly funding_status: FundingStatus
}

const statusOf = (covered: Money, { expected, status }: Milestone): FundingStatus => {
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
    coverage.set(milestone.milestone_id, { covered, funding_status: statusOf(covered, milestone) })
  }
  return coverage
}
