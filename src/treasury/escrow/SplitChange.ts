/** New values for some of a milestone's splits. What comes out must be a whole again. */
import { type BigDecimal, Either } from "effect"
import { type Conflict, Invalid, type NotFound, notFound } from "../../domain/Failure.ts"
import { Money } from "../../domain/Money.ts"
import { split } from "../../domain/Split.ts"
import type { Escrow, PartySplit } from "./Escrow.ts"
import { openMilestone, withMilestone } from "./Steps.ts"

export interface SplitUpdate {
  readonly party_id: string
  readonly split_value: BigDecimal.BigDecimal
}

const invalid = (message: string): Invalid => new Invalid({ message: `${message}.` })

/** An amount is kept as its currency writes it, a percentage as it was sent. */
export const keptValue = ({ split_type, split_value }: PartySplit, currency: Escrow["currency"]) =>
  split_type === "fixed"
    ? Either.map(Money.fromDecimal(split_value, currency), (money) => money.toDecimal())
    : Either.right(split_value)

export const changeSplits = (
  escrow: Escrow,
  milestoneId: string,
  updates: ReadonlyArray<SplitUpdate>
): Either.Either<Escrow, NotFound | Conflict | Invalid> =>
  Either.gen(function* () {
    const milestone = yield* openMilestone(escrow, milestoneId)
    const known = new Set(milestone.splits.map(({ party_id }) => party_id))
    const wanted = new Map<string, BigDecimal.BigDecimal>()
    for (const [at, { party_id, split_value }] of updates.entries()) {
      if (!known.has(party_id)) return yield* Either.left(notFound("party of this milestone"))
      if (wanted.has(party_id)) return yield* Either.left(invalid(`parties[${at}].party_id: is given more than once`))
      const changed = { party_id, split_value, split_type: milestone.splits[0]!.split_type }
      const kept = yield* Either.mapLeft(keptValue(changed, escrow.currency), (why) =>
        invalid(`parties[${at}].split_value: ${why}`)
      )
      wanted.set(party_id, kept)
    }
    const splits = milestone.splits.map((one) => ({ ...one, split_value: wanted.get(one.party_id) ?? one.split_value }))
    yield* Either.mapLeft(split(milestone.expected, splits), (why) => invalid(`parties: split_value: ${why}`))
    return withMilestone(escrow, { ...milestone, splits })
  })
