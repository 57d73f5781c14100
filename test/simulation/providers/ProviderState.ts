/** What a provider really did, whatever it says: the measure of every book and every record. */
import { Duration } from "effect"
import { Money } from "../../../src/domain/Money.ts"
import type { Movement, MovementKind } from "../../../src/domain/Movement.ts"
import type { PaymentId } from "../../../src/domain/Ids.ts"
import type { Promised } from "../../../src/providers/port/Provider.ts"

export type OrderState = "waiting" | "under way" | "done" | "failed" | "canceled" | "returned"

/** An order that arrived, by the reference that it came under. */
export interface Order {
  readonly reference: string
  readonly paymentId: PaymentId
  /** What tells the legs of a payment apart; a refund is a leg of its own. */
  readonly leg: string
  /** `in`: the provider takes; `out`: it pays. */
  readonly way: "in" | "out"
  readonly money: Money
  /** The order that it gives money back of. */
  readonly of: Order | null
  readonly providerPaymentId: string
  readonly arrivedAt: number
  state: OrderState
  /** What has moved by it so far, by currency, in minor units. */
  readonly moved: Map<Money["currency"], bigint>
  /** What has moved the other way since by a person's hand, or because it was taken back. */
  readonly back: Map<Money["currency"], bigint>
  /** Every transfer under the provider's id, as it tells of them. What a person moves by hand is not among them. */
  readonly movements: Array<Movement>
  /** It was told that nothing was moved and nothing will be: from then on others may be asked. */
  denied: boolean
  /** How often it has moved money; more than once is somebody's mistake. */
  times: number
}

/** Whether a promise still holds after so many milliseconds. */
export const isKept = (promised: Promised, age: number): boolean =>
  typeof promised === "boolean" ? promised : age < Duration.toMillis(promised)

const add = (sums: Map<Money["currency"], bigint>, currency: Money["currency"], minor: bigint): void => {
  sums.set(currency, (sums.get(currency) ?? 0n) + minor)
}

/** What the provider has more because of an order; below zero, what it has less. */
export const balanceChange = (order: Order): ReadonlyMap<Money["currency"], bigint> => {
  const sums = new Map<Money["currency"], bigint>()
  const sign = order.way === "in" ? 1n : -1n
  for (const [currency, minor] of order.moved) add(sums, currency, sign * minor)
  for (const [currency, minor] of order.back) add(sums, currency, -sign * minor)
  return sums
}

const kindOf = ({ of, way }: Order): MovementKind =>
  of !== null ? "refund" : way === "in" ? "collection" : "disbursement"

/** Under an id of its own each time. */
export const recordTransfer = (order: Order, money: Money): void => {
  add(order.moved, money.currency, money.minor)
  const id = `${order.providerPaymentId}-moved-${order.movements.length + 1}`
  order.movements.push({ kind: kindOf(order), id, amount: money, state: "settled" })
}

/** The next transfer that somebody makes in the provider's dashboard. */
export const manualMovementId = ({ movements, providerPaymentId }: Order): string =>
  `${providerPaymentId}-by-hand-${movements.length + 1}`

/** A reversal, or a reinstatement, that the provider tells of under this id. */
export const addMovement = (order: Order, kind: MovementKind, id: string, amount: Money): Movement => {
  const movement: Movement = { kind, id, amount, state: "settled" }
  order.movements.push(movement)
  return movement
}

/** As a provider tells of it that knows no more than how much has moved in all, by kind and currency. */
export const totalsOf = ({ movements, providerPaymentId }: Order): ReadonlyArray<Movement> => {
  const totals = new Map<string, Movement>()
  for (const { amount, kind } of movements) {
    if (amount === null) continue
    const { currency } = amount
    const id = `${providerPaymentId}-${kind}-${currency}`
    const minor = (totals.get(id)?.amount?.minor ?? 0n) + amount.minor
    totals.set(id, { kind, id, amount: new Money({ currency, minor }), state: "settled", isTotal: true })
  }
  return Array.from(totals.values())
}

/** All that came by it, less what went back already. */
export const remainingOf = (order: Order, refunds: ReadonlyArray<Order>): ReadonlyArray<Money> => {
  const sums = new Map(order.moved)
  for (const [currency, minor] of order.back) add(sums, currency, -minor)
  for (const refund of refunds) {
    for (const [currency, minor] of balanceChange(refund)) add(sums, currency, minor)
  }
  return Array.from(sums, ([currency, minor]) => new Money({ currency, minor })).filter(({ isZero }) => !isZero)
}

export const recordReturn = (order: Order, money: Money): void => add(order.back, money.currency, money.minor)

/** What the other way round is shown as: all that has arrived. */
export const arrivedIn = (order: Order): ReadonlyArray<Money> =>
  Array.from(order.moved, ([currency, minor]) => new Money({ currency, minor })).filter(({ isZero }) => !isZero)
