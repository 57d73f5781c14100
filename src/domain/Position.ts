/**
 * What providers hold because of a payment, as sums over its settled movements, and what of that has a place. Neither
 * depends on the order in which movements were heard.
 */
import type { AttemptId } from "./Ids.ts"
import { Money } from "./Money.ts"
import { effectOf, type RecordedMovement } from "./Movement.ts"

/** A sum for each attempt and currency; above zero: the provider has it. */
export interface Sum {
  readonly attempt_id: AttemptId
  readonly money: Money
}

export type Position = ReadonlyArray<Sum>

const added = (sums: ReadonlyArray<Sum>): Position => {
  const byKey = new Map<string, Sum>()
  for (const { attempt_id, money } of sums) {
    const key = `${attempt_id} ${money.currency}`
    const minor = (byKey.get(key)?.money.minor ?? 0n) + money.minor
    byKey.set(key, { attempt_id, money: new Money({ currency: money.currency, minor }) })
  }
  return Array.from(byKey.values()).filter(({ money }) => !money.isZero)
}

/** Sums of the movements of a payment. */
export const position = (movements: ReadonlyArray<RecordedMovement>): Position =>
  added(
    movements
      .filter(({ state }) => state === "settled")
      .map((movement) => ({ attempt_id: movement.attempt_id, money: effectOf(movement) }))
  )

export const netOf = (of: Position, attempt: AttemptId | null, currency: Money["currency"]): Money =>
  of.find(({ attempt_id, money }) => attempt_id === attempt && money.currency === currency)?.money ??
  Money.zero(currency)

/** What Corridor meant to move through an attempt, once it counts as done: above zero it takes money that came. */
export interface Intent extends Sum {
  /** It takes what is there, up to its amount and at least this much: money that was not sent on can be taken back. */
  readonly atLeast?: bigint
}

export interface Allocated {
  /** Amount that each intent takes out of clearing, in order. */
  readonly taken: ReadonlyArray<Money>
  /** Remainder in clearing that needs a decision. */
  readonly rest: Position
}

/** `left`: what the intents of a fixed amount leave. */
const takenBy = (left: Position, { atLeast, attempt_id, money }: Intent): Money => {
  if (atLeast === undefined) return money
  const { minor: there } = netOf(left, attempt_id, money.currency)
  const most = there < money.minor ? there : money.minor
  return new Money({ currency: money.currency, minor: most > atLeast ? most : atLeast })
}

const without = (of: Position, sums: ReadonlyArray<Sum>): Position =>
  added([...of, ...sums.map(({ attempt_id, money }) => ({ attempt_id, money: money.negate() }))])

/** Gives each intent its money, in full whether or not its movements were heard; the rest is for a person. */
export const allocate = (of: Position, intents: ReadonlyArray<Intent>): Allocated => {
  const isFlexible = intents.some(({ atLeast }) => atLeast !== undefined)
  const left = isFlexible
    ? without(
        of,
        intents.filter(({ atLeast }) => atLeast === undefined)
      )
    : of
  const taken = intents.map((intent) => takenBy(left, intent))
  return {
    taken,
    rest: without(
      of,
      intents.map(({ attempt_id }, nth) => ({ attempt_id, money: taken[nth]! }))
    )
  }
}
