/** Disputes of payins that a fake has completed: its payer opens one a moment later, and it ends as the amount has in store. */
import { Money } from "../../domain/Money.ts"
import type { Dispute, FakeDisputes } from "./Fake.ts"
import type { Entry } from "./FakeBooks.ts"
import type { Fate } from "./Magic.ts"

const stages: Partial<Readonly<Record<Fate, ReadonlyArray<Dispute["stage"]>>>> = {
  disputed: ["opened"],
  dispute_won: ["opened", "won"],
  dispute_lost: ["opened", "lost"],
  dispute_lost_in_part: ["opened", "lost"]
}

const half = ({ currency, minor }: Money): Money => new Money({ currency, minor: minor / 2n })

/** One after the other. */
export const disputesOf = (entry: Entry): ReadonlyArray<Dispute> => {
  if (entry.kind !== "payin" || entry.state !== "completed") return []
  const money = entry.fate === "dispute_lost_in_part" ? half(entry.moved) : entry.moved
  return (stages[entry.fate] ?? []).map((stage) => ({ of: entry, money, stage }))
}

/** What somebody gives back at the provider itself. */
export const byHandOf = (entry: Entry): Money | undefined =>
  entry.kind === "payin" && entry.state === "completed" && entry.fate === "refunded_by_hand"
    ? half(entry.moved)
    : undefined

/** What it has taken back of the payin as the dispute stands, in minor units. */
export const takenBackBy = ({ money, stage }: Dispute, { takes }: FakeDisputes): bigint => {
  if (stage === "won") return 0n
  return stage === "lost" || takes === "at once" ? money.minor : 0n
}
