/** State of orders at a provider: what it did, whatever it reports. */
import { Duration } from "effect"
import { Money } from "../../../src/domain/Money.ts"
import type { Movement, MovementKind } from "../../../src/domain/Movement.ts"
import type { PaymentId } from "../../../src/domain/Ids.ts"
import type { Promised } from "../../../src/providers/port/Provider.ts"

export type OrderState = "waiting" | "under way" | "done" | "failed" | "canceled" | "returned"

export interface Order {
  readonly reference: string
  readonly paymentId: PaymentId
  /** Flow of the payment, or `refund` and its reference. */
  readonly leg: string
  /** `in`: collects; `out`: pays out. */
  readonly way: "in" | "out"
  readonly money: Money
  /** Refunded order. */
  readonly of: Order | null
  readonly providerPaymentId: string
  readonly arrivedAt: number
  state: OrderState
  /** Amount moved, by currency, in minor units. */
  readonly moved: Map<Money["currency"], bigint>
  /** Amount moved back by hand or by a reversal. */
  readonly back: Map<Money["currency"], bigint>
  /** Transfers as the provider reports them, without manual ones. */
  readonly movements: Array<Movement>
  /** Reported as failed or absent: other providers may be called. */
  denied: boolean
  /** Number of completions; more than one is an error. */
  times: number
}

/** Whether a guarantee still holds after this many milliseconds. */
export const isKept = (promised: Promised, age: number): boolean =>
  typeof promised === "boolean" ? promised : age < Duration.toMillis(promised)

const add = (sums: Map<Money["currency"], bigint>, currency: Money["currency"], minor: bigint): void => {
  sums.set(currency, (sums.get(currency) ?? 0n) + minor)
}

/** Change of the provider's balance by an order. */
export const balanceChange = (order: Order): ReadonlyMap<Money["currency"], bigint> => {
  const sums = new Map<Money["currency"], bigint>()
  const sign = order.way === "in" ? 1n : -1n
  for (const [currency, minor] of order.moved) add(sums, currency, sign * minor)
  for (const [currency, minor] of order.back) add(sums, currency, -sign * minor)
  return sums
}

const kindOf = ({ of, way }: Order): MovementKind =>
  of !== null ? "refund" : way === "in" ? "collection" : "disbursement"

/** Each transfer has its own id. */
export const recordTransfer = (order: Order, money: Money): void => {
  add(order.moved, money.currency, money.minor)
  const id = `${order.providerPaymentId}-moved-${order.movements.length + 1}`
  order.movements.push({ kind: kindOf(order), id, amount: money, state: "settled" })
}

/** Id of the next manual transfer. */
export const manualMovementId = ({ movements, providerPaymentId }: Order): string =>
  `${providerPaymentId}-by-hand-${movements.length + 1}`

export const addMovement = (order: Order, kind: MovementKind, id: string, amount: Money): Movement => {
  const movement: Movement = { kind, id, amount, state: "settled" }
  order.movements.push(movement)
  return movement
}

/** Totals by kind and currency, for providers that report no single transfers. */
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

/** Amount that arrived, less returns and refunds. */
export const remainingOf = (order: Order, refunds: ReadonlyArray<Order>): ReadonlyArray<Money> => {
  const sums = new Map(order.moved)
  for (const [currency, minor] of order.back) add(sums, currency, -minor)
  for (const refund of refunds) {
    for (const [currency, minor] of balanceChange(refund)) add(sums, currency, minor)
  }
  return Array.from(sums, ([currency, minor]) => new Money({ currency, minor })).filter(({ isZero }) => !isZero)
}

export const recordReturn = (order: Order, money: Money): void => add(order.back, money.currency, money.minor)
