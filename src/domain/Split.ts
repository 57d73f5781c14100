/** An amount shared out among several, exact to its last minor unit: nothing is lost, nothing is made up. */
import { BigDecimal, Either } from "effect"
import { fractionDigits, toPlainText } from "./Decimal.ts"
import { Money } from "./Money.ts"

export const splitTypes = ["percentage", "fixed"] as const
export type SplitType = (typeof splitTypes)[number]

export interface Share {
  readonly split_type: SplitType
  /** Percent of the whole, or an amount in its currency. */
  readonly split_value: BigDecimal.BigDecimal
}

const HUNDRED = BigDecimal.fromBigInt(100n)

const shown = (d: BigDecimal.BigDecimal): string => toPlainText(BigDecimal.normalize(d))

interface Part {
  readonly at: number
  readonly weight: bigint
  readonly floor: bigint
  readonly remainder: bigint
}

const descending = (a: bigint, b: bigint): number => (a > b ? -1 : a < b ? 1 : 0)

/**
 * Splits by weight. Units left by rounding down go one each to the largest remainders; ties go to the larger share,
 * then to the first.
 */
const byWeight = (whole: bigint, weights: ReadonlyArray<bigint>): ReadonlyArray<bigint> => {
  const all = weights.reduce((sum, weight) => sum + weight, 0n)
  const parts = weights.map((weight, at): Part => {
    const exact = whole * weight
    return { at, weight, floor: exact / all, remainder: exact % all }
  })
  const left = whole - parts.reduce((sum, { floor }) => sum + floor, 0n)
  const luckiest = parts.toSorted(
    (a, b) => descending(a.remainder, b.remainder) || descending(a.weight, b.weight) || a.at - b.at
  )
  const lucky = new Set(luckiest.slice(0, Number(left)).map(({ at }) => at))
  return parts.map(({ at, floor }) => (lucky.has(at) ? floor + 1n : floor))
}

const weightsOf = (shares: ReadonlyArray<Share>): ReadonlyArray<bigint> => {
  const scale = Math.max(...shares.map(({ split_value }) => fractionDigits(split_value)))
  return shares.map(({ split_value }) => BigDecimal.scale(split_value, scale).value)
}

const byPercentage = (whole: Money, shares: ReadonlyArray<Share>): Either.Either<ReadonlyArray<Money>, string> => {
  const sum = BigDecimal.sumAll(shares.map(({ split_value }) => split_value))
  if (!BigDecimal.equals(sum, HUNDRED)) {
    return Either.left(`the percentages add up to ${shown(sum)}, and must add up to exactly 100`)
  }
  const { currency } = whole
  return Either.right(byWeight(whole.minor, weightsOf(shares)).map((minor) => new Money({ currency, minor })))
}

const byAmount = (whole: Money, shares: ReadonlyArray<Share>): Either.Either<ReadonlyArray<Money>, string> =>
  Either.gen(function* () {
    const amounts: Array<Money> = []
    for (const { split_value } of shares) amounts.push(yield* Money.fromDecimal(split_value, whole.currency))
    const sum = amounts.reduce((total, { minor }) => total + minor, 0n)
    if (sum === whole.minor) return amounts
    const added = new Money({ currency: whole.currency, minor: sum })
    return yield* Either.left(`the fixed splits add up to ${added.toString()}, and must add up to ${whole.toString()}`)
  })

/** Amount of each share, in order. Left: why the shares do not add up. */
export const split = (whole: Money, shares: ReadonlyArray<Share>): Either.Either<ReadonlyArray<Money>, string> => {
  const [first] = shares
  if (first === undefined) return Either.left("there is no party to share it out to")
  if (whole.isNegative) return Either.left(`${whole.toString()} cannot be shared out`)
  if (shares.some(({ split_type }) => split_type !== first.split_type)) {
    return Either.left("percentages and fixed amounts cannot be mixed")
  }
  if (shares.some(({ split_value }) => split_value.value <= 0n)) return Either.left("every split must be above zero")
  return first.split_type === "percentage" ? byPercentage(whole, shares) : byAmount(whole, shares)
}
