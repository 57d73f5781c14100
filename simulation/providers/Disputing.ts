/**
 * Payers who dispute what they paid. A provider takes as much of it back as is still there, may give it back again, and
 * says so each time; what it says may overtake what it said before, and what it says of refunds.
 */
import { Money } from "../../src/domain/Money.ts"
import type { Movement } from "../../src/domain/Movement.ts"
import type { Outside } from "../world/Outside.ts"
import type { Orders } from "./Orders.ts"
import { type Order, leftOf, moveBack, tellOf } from "./Truth.ts"
import { pace } from "./Fate.ts"

const SECOND = 1000

export type DisputeWord = ({ readonly taken: Money } | { readonly regained: Money }) & { readonly movement: Movement }

interface Provider {
  readonly outside: Outside
  readonly orders: Orders
  readonly says: (order: Order, word: DisputeWord, purpose: string, heard: () => void) => void
}

/** What of it is still there, in the currency that it was asked for in. */
const thereOf = (order: Order, orders: Orders): bigint => {
  const { currency } = order.money
  return leftOf(order, orders.refundsOf(order)).find((one) => one.currency === currency)?.minor ?? 0n
}

const takenSoFar = ({ back, money }: Order): bigint => back.get(money.currency) ?? 0n

const speak = ({ orders, says }: Provider, order: Order, word: DisputeWord, purpose: string) =>
  says(order, word, purpose, orders.speaking(order.paymentId))

/** Nothing that somebody has given back by hand since is given back a second time. */
const win = (provider: Provider, order: Order, id: string, minor: bigint, purpose: string): void => {
  const { currency } = order.money
  const most = takenSoFar(order)
  const regained = new Money({ currency, minor: most < minor ? most : minor })
  if (!regained.isPositive || order.state !== "done") return
  moveBack(order, regained.negate())
  provider.outside.count("dispute: won")
  provider.outside.tell(`${order.providerPaymentId}: a dispute is won, and ${regained.toString()} given back`)
  speak(provider, order, { regained, movement: tellOf(order, "reinstatement", id, regained) }, purpose)
}

const dispute = (provider: Provider, order: Order, left: number, purpose: string): void => {
  const { chance, time } = provider.outside
  const there = thereOf(order, provider.orders)
  if (there <= 0n || order.state !== "done") return
  const percent = chance.pick([100n, 100n, 60n, 25n], `${purpose} how much`)
  const taken = new Money({ currency: order.money.currency, minor: (there * percent) / 100n || 1n })
  moveBack(order, taken)
  provider.outside.count(percent === 100n ? "dispute: whole" : "dispute: part")
  provider.outside.tell(`${order.providerPaymentId}: its payer disputes it, and ${taken.toString()} are taken`)
  const id = `${order.providerPaymentId}-dispute-${order.movements.length + 1}`
  speak(provider, order, { taken, movement: tellOf(order, "reversal", id, taken) }, `${purpose} taken`)
  const wins = chance.happens(0.6, `${purpose} won`)
  const after = pace(chance, `${purpose} verdict`) + SECOND
  if (wins) time.after(after, () => win(provider, order, id, taken.minor, `${purpose} regained`))
  if (left > 1) {
    const next = after + pace(chance, `${purpose} next`) + SECOND
    time.after(next, () => dispute(provider, order, left - 1, `${purpose} again`))
  }
}

/** Of a payin that has just been completed. */
export const planDisputes = (provider: Provider, order: Order, purpose: string): void => {
  const { chance, time } = provider.outside
  if (!provider.outside.strikes(0.14, "dispute", purpose)) return
  const times = chance.pick([1, 1, 2, 3], `${purpose} disputes`)
  time.after(pace(chance, `${purpose} disputed`) + SECOND, () => dispute(provider, order, times, `${purpose} dispute`))
}
