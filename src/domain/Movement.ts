/**
 * Movements: transfers of money at one account of a provider, each under the provider's own id. Reports name them, so that
 * the same transfer told twice, late or out of order is still one.
 */
import type { ProviderName } from "./Corridor.ts"
import type { AttemptId, ConfigId } from "./Ids.ts"
import { Money } from "./Money.ts"

/**
 * - `collection`: money of a payer came in.
 * - `disbursement`: money went out to a recipient.
 * - `refund`: money went back to a payer, by us or in the provider's dashboard.
 * - `reversal`: the provider took money back: a chargeback, a dispute, a bank return of a collection.
 * - `reinstatement`: money came back to us: a dispute that was won, a refund or a payout that was returned.
 */
export const movementKinds = ["collection", "disbursement", "refund", "reversal", "reinstatement"] as const
export type MovementKind = (typeof movementKinds)[number]

/** `settled`: the money has moved. A settled movement that is undone later is followed by another one. */
export const movementStates = ["pending", "settled", "failed"] as const
export type MovementState = (typeof movementStates)[number]

/** As an adapter reports it. */
export interface Movement {
  readonly kind: MovementKind
  /** The provider's id of this one transfer: unique within its account and kind, the same with every report. */
  readonly id: string
  /** Null where the provider does not repeat it: what the order named. */
  readonly amount: Money | null
  readonly state: MovementState
  /** The amount is all that moved under this id so far, and may grow: the provider tells totals and no list. */
  readonly isTotal?: true
  /** Our reference of the refund that it carries out, where a report about its payment lists it with that. */
  readonly refund?: string
}

export const movementSources = ["answer", "callback", "enquiry", "operator"] as const
type MovementSource = (typeof movementSources)[number]

/** As it is recorded with its payment. */
export interface RecordedMovement {
  readonly provider: ProviderName
  /** The configuration whose account at the provider moved the money; null: the platform's. */
  readonly account: ConfigId | null
  readonly kind: MovementKind
  readonly movement_id: string
  /** The attempt whose money it is: of a refund or a return, the one that had brought the money. */
  readonly attempt_id: AttemptId
  /** The refund or return of ours that it carries out; null: none that is known. */
  readonly refund_id: AttemptId | null
  readonly amount: Money
  readonly state: MovementState
  readonly is_total: boolean
  readonly source: MovementSource
  readonly heard_at: Date
}

/** A movement to be written. `replaces`: the id under which an operator had recorded the same transfer before. */
export interface MovementToWrite extends RecordedMovement {
  readonly replaces?: string
}

/** Whether it adds to what the provider account holds, or takes from it. */
export const signOf = (kind: MovementKind): 1n | -1n => (kind === "collection" || kind === "reinstatement" ? 1n : -1n)

/** How a movement changes what its provider account holds. */
export const effectOf = ({ amount, kind }: Pick<RecordedMovement, "amount" | "kind">): Money =>
  new Money({ currency: amount.currency, minor: signOf(kind) * amount.minor })

/** The id of a movement that an operator states without the provider's id of it. */
export const OPERATOR_ID = "operator:"

/** An operator who names a transfer may have another word for its kind than its provider. */
export const isSameTransfer = (one: RecordedMovement, other: RecordedMovement): boolean =>
  one.provider === other.provider &&
  one.account === other.account &&
  one.movement_id === other.movement_id &&
  (one.kind === other.kind ||
    ((one.source === "operator" || other.source === "operator") && signOf(one.kind) === signOf(other.kind)))

const takesBack = (kind: MovementKind): boolean => kind === "refund" || kind === "reversal"

/**
 * An operator recorded the transfer before its provider named it: the same effect on the same money. An operator may call
 * a reversal a refund. A refund of ours is another transfer unless the operator stated that refund.
 */
const isForeseen = (one: RecordedMovement, heard: RecordedMovement): boolean =>
  one.movement_id.startsWith(OPERATOR_ID) &&
  heard.source !== "operator" &&
  heard.state === "settled" &&
  one.provider === heard.provider &&
  one.account === heard.account &&
  one.attempt_id === heard.attempt_id &&
  (one.kind === heard.kind || (takesBack(one.kind) && takesBack(heard.kind))) &&
  (heard.refund_id === null || heard.refund_id === one.refund_id) &&
  one.amount.currency === heard.amount.currency &&
  one.amount.minor === heard.amount.minor

const rank: Readonly<Record<MovementState, number>> = { pending: 0, failed: 1, settled: 2 }

export interface Recording {
  /** All movements of the payment, those that were just heard included. */
  readonly movements: ReadonlyArray<RecordedMovement>
  /** New or advanced movements, to be written. */
  readonly toWrite: ReadonlyArray<MovementToWrite>
  /** Movements that were told with another amount than the one that is recorded: never booked over it. */
  readonly contradicted: ReadonlyArray<{ readonly recorded: RecordedMovement; readonly reported: Money }>
}

/** What is recorded of a movement once it is told again; the same object where nothing is new. */
const advanced = (recorded: RecordedMovement, reported: RecordedMovement): RecordedMovement => {
  const isAhead = rank[reported.state] > rank[recorded.state]
  // Pending or failed movements have moved no more than before.
  const grows =
    reported.is_total &&
    rank[reported.state] >= rank[recorded.state] &&
    reported.amount.currency === recorded.amount.currency &&
    reported.amount.minor > recorded.amount.minor
  const refund_id = recorded.refund_id ?? reported.refund_id
  if (!isAhead && !grows && refund_id === recorded.refund_id) return recorded
  // What is pending may still change its amount; a total only grows.
  const isOpen = recorded.state !== "settled" && isAhead
  return {
    ...recorded,
    refund_id,
    amount: grows || isOpen ? reported.amount : recorded.amount,
    state: isAhead ? reported.state : recorded.state,
    heard_at: reported.heard_at
  }
}

const isContradicted = (recorded: RecordedMovement, { amount, is_total, state }: RecordedMovement): boolean =>
  recorded.state === "settled" &&
  state === "settled" &&
  (recorded.amount.currency !== amount.currency || (!is_total && recorded.amount.minor !== amount.minor))

/**
 * Adds what was told to what is recorded. The same report twice, or in another order, comes to the same. `corrects`: an
 * operator says which of two amounts of one transfer is right.
 */
export const record = (
  recorded: ReadonlyArray<RecordedMovement>,
  reported: ReadonlyArray<RecordedMovement>,
  corrects = false
): Recording =>
  reported.reduce<Recording>(
    (so, one) => {
      const same = so.movements.find((other) => isSameTransfer(other, one))
      if (same !== undefined) {
        const isOther = isContradicted(same, one)
        if (isOther && !corrects) {
          return { ...so, contradicted: [...so.contradicted, { recorded: same, reported: one.amount }] }
        }
        const after = isOther ? { ...same, amount: one.amount, heard_at: one.heard_at } : advanced(same, one)
        if (after === same) return so
        return {
          ...so,
          movements: so.movements.map((other) => (other === same ? after : other)),
          toWrite: [...so.toWrite.filter((other) => !isSameTransfer(other, after)), after]
        }
      }
      const foreseen = so.movements.find((other) => isForeseen(other, one))
      if (foreseen === undefined) return { ...so, movements: [...so.movements, one], toWrite: [...so.toWrite, one] }
      const named = { ...one, refund_id: one.refund_id ?? foreseen.refund_id }
      return {
        ...so,
        movements: so.movements.map((other) => (other === foreseen ? named : other)),
        toWrite: [...so.toWrite, { ...named, replaces: foreseen.movement_id }]
      }
    },
    { movements: recorded, toWrite: [], contradicted: [] }
  )

/**
 * What providers hold because of a payment, as sums over its settled movements, and what of that has a place. Neither
 * depends on the order in which movements were heard.
 */

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

interface Allocated {
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
