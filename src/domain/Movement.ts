/**
 * Movements: transfers of money at one account of a provider, each under the provider's own id. A transfer that is reported
 * twice, late or out of order is therefore recorded once.
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
  /** Null where the provider does not repeat it: the ordered amount. */
  readonly amount: Money | null
  readonly state: MovementState
  /** The amount is a running total that may grow: the provider reports no single transfers. */
  readonly isTotal?: true
  /** Our reference of the refund that the transfer carries out, if the report lists it. */
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
  /** Attempt whose money moved; for a refund or a return, the attempt that collected it. */
  readonly attempt_id: AttemptId
  /** Refund or return of ours that the transfer carries out; null: none is known. */
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

/** Direction of a movement: 1 adds to the provider account, -1 takes from it. */
export const signOf = (kind: MovementKind): 1n | -1n => (kind === "collection" || kind === "reinstatement" ? 1n : -1n)

/** Amount by which a movement changes the balance of its provider account. */
export const signedAmount = ({ amount, kind }: Pick<RecordedMovement, "amount" | "kind">): Money =>
  new Money({ currency: amount.currency, minor: signOf(kind) * amount.minor })

/** Prefix of the id of a movement that an operator stated without the provider's id. */
export const OPERATOR_ID = "operator:"

/** Whether two movements are the same transfer. An operator may have given it another kind than its provider does. */
export const isSameTransfer = (one: RecordedMovement, other: RecordedMovement): boolean =>
  one.provider === other.provider &&
  one.account === other.account &&
  one.movement_id === other.movement_id &&
  (one.kind === other.kind ||
    ((one.source === "operator" || other.source === "operator") && signOf(one.kind) === signOf(other.kind)))

const takesBack = (kind: MovementKind): boolean => kind === "refund" || kind === "reversal"

/**
 * Whether an operator recorded the transfer before its provider reported it: the same amount of the same attempt. An operator
 * may call a reversal a refund. A refund of ours is another transfer unless the operator stated that refund.
 */
const isForeseen = (one: RecordedMovement, reported: RecordedMovement): boolean =>
  one.movement_id.startsWith(OPERATOR_ID) &&
  reported.source !== "operator" &&
  reported.state === "settled" &&
  one.provider === reported.provider &&
  one.account === reported.account &&
  one.attempt_id === reported.attempt_id &&
  (one.kind === reported.kind || (takesBack(one.kind) && takesBack(reported.kind))) &&
  (reported.refund_id === null || reported.refund_id === one.refund_id) &&
  one.amount.currency === reported.amount.currency &&
  one.amount.minor === reported.amount.minor

const rank: Readonly<Record<MovementState, number>> = { pending: 0, failed: 1, settled: 2 }

export interface Recording {
  /** All movements of the payment, with those of this report. */
  readonly movements: ReadonlyArray<RecordedMovement>
  /** New or advanced movements, to be written. */
  readonly toWrite: ReadonlyArray<MovementToWrite>
  /** Reports of another amount than the recorded one, which stays. */
  readonly contradicted: ReadonlyArray<{ readonly recorded: RecordedMovement; readonly reported: Money }>
}

/** Record of a movement after another report of it; the same object if nothing is new. */
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
  // The amount of a pending movement may still change; a total only grows.
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
 * Adds reported movements to the recorded ones. Repeated or reordered reports lead to the same record. `corrects`: an operator
 * states which of two amounts of a transfer is right.
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

/** Sum of the movements of an attempt in one currency. Positive: the provider has it. */
export interface Sum {
  readonly attempt_id: AttemptId
  readonly money: Money
}

/** Sums of the settled movements, one for each attempt and currency. The order of reports does not matter. */
export type NetByAttempt = ReadonlyArray<Sum>

const added = (sums: ReadonlyArray<Sum>): NetByAttempt => {
  const byKey = new Map<string, Sum>()
  for (const { attempt_id, money } of sums) {
    const key = `${attempt_id} ${money.currency}`
    const minor = (byKey.get(key)?.money.minor ?? 0n) + money.minor
    byKey.set(key, { attempt_id, money: new Money({ currency: money.currency, minor }) })
  }
  return Array.from(byKey.values()).filter(({ money }) => !money.isZero)
}

export const netByAttempt = (movements: ReadonlyArray<RecordedMovement>): NetByAttempt =>
  added(
    movements
      .filter(({ state }) => state === "settled")
      .map((movement) => ({ attempt_id: movement.attempt_id, money: signedAmount(movement) }))
  )

export const netOf = (sums: NetByAttempt, attempt: AttemptId | null, currency: Money["currency"]): Money =>
  sums.find(({ attempt_id, money }) => attempt_id === attempt && money.currency === currency)?.money ??
  Money.zero(currency)

/** Amount that a completed attempt takes out of clearing. Negative: it puts money in. */
export interface ExpectedMovement extends Sum {
  /** Takes the amount that is there: at least this, at most `money`. For money that a provider may still take back. */
  readonly atLeast?: bigint
}

interface Allocated {
  /** Amount that each expected movement takes out of clearing, in order. */
  readonly taken: ReadonlyArray<Money>
  /** Remainder in clearing that needs a decision. */
  readonly rest: NetByAttempt
}

/** `left`: remainder after the expected movements of a fixed amount. */
const takenBy = (left: NetByAttempt, { atLeast, attempt_id, money }: ExpectedMovement): Money => {
  if (atLeast === undefined) return money
  const { minor: there } = netOf(left, attempt_id, money.currency)
  const most = there < money.minor ? there : money.minor
  return new Money({ currency: money.currency, minor: most > atLeast ? most : atLeast })
}

const without = (of: NetByAttempt, sums: ReadonlyArray<Sum>): NetByAttempt =>
  added([...of, ...sums.map(({ attempt_id, money }) => ({ attempt_id, money: money.negate() }))])

/** Splits the sums: each expected movement takes its full amount, reported or not; an operator decides on the rest. */
export const allocate = (net: NetByAttempt, expected: ReadonlyArray<ExpectedMovement>): Allocated => {
  const isFlexible = expected.some(({ atLeast }) => atLeast !== undefined)
  const left = isFlexible
    ? without(
        net,
        expected.filter(({ atLeast }) => atLeast === undefined)
      )
    : net
  const taken = expected.map((one) => takenBy(left, one))
  return {
    taken,
    rest: without(
      net,
      expected.map(({ attempt_id }, nth) => ({ attempt_id, money: taken[nth]! }))
    )
  }
}
