/**
 * Payers who dispute what they paid. A provider takes as much of it back as is still there, may give it back again, and
 * says so each time; what it says may overtake what it said before, and what it says of refunds.
 */
import { Money } from "../../../src/domain/Money.ts"
import type { Movement } from "../../../src/domain/Movement.ts"
import type { Outside } from "../world/Outside.ts"
import type { Orders } from "./Orders.ts"
import { byHandId, type Order, leftOf, moveBack, tellOf } from "./Truth.ts"
import { pace } from "./Fate.ts"

const SECOND = 1000

interface Provider {
  readonly outside: Outside
  readonly orders: Orders
  readonly says: (order: Order, movement: Movement, purpose: string, heard: () => void) => void
}

/** What of it is still there, in the currency that it was asked for in. */
const thereOf = (order: Order, orders: Orders): bigint => {
  const { currency } = order.money
  return leftOf(order, orders.refundsOf(order)).find((one) => one.currency === currency)?.minor ?? 0n
}

const takenSoFar = ({ back, money }: Order): bigint => back.get(money.currency) ?? 0n

const speak = ({ orders, says }: Provider, order: Order, movement: Movement, purpose: string) =>
  says(order, movement, purpose, orders.speaking(order.paymentId))

/** Nothing that somebody has given back by hand since is given back a second time. */
const win = (provider: Provider, order: Order, id: string, minor: bigint, purpose: string): void => {
  const { currency } = order.money
  const most = takenSoFar(order)
  const regained = new Money({ currency, minor: most < minor ? most : minor })
  if (!regained.isPositive || order.state !== "done") return
  moveBack(order, regained.negate())
  provider.outside.count("dispute: won")
  provider.outside.tell(`${order.providerPaymentId}: a dispute is won, and ${regained.toString()} given back`)
  speak(provider, order, tellOf(order, "reinstatement", id, regained), purpose)
}

/** What went back last, by a refund of ours or otherwise. */
const lastBack = (order: Order, orders: Orders): bigint => {
  const [refund] = orders.refundsOf(order).flatMap(({ movements }) => movements)
  const [taken] = order.movements.filter(({ kind }) => kind === "reversal" || kind === "refund")
  const amount = (taken ?? refund)?.amount
  return amount?.currency === order.money.currency ? amount.minor : 0n
}

const goOn = (provider: Provider, order: Order, left: number, after: number, purpose: string): void => {
  const { chance, time } = provider.outside
  if (left < 2) return
  const next = after + pace(chance, `${purpose} next`) + SECOND
  time.after(next, () => dispute(provider, order, left - 1, `${purpose} again`))
}

/** Somebody gives it back in the provider's dashboard, and the service hears of it as of a dispute. */
const handBack = (provider: Provider, order: Order, left: number, taken: Money, purpose: string): void => {
  moveBack(order, taken)
  provider.outside.count("dispute: given back by hand")
  provider.outside.tell(`${order.providerPaymentId}: ${taken.toString()} are given back in the dashboard`)
  speak(provider, order, tellOf(order, "refund", byHandId(order), taken), `${purpose} taken`)
  goOn(provider, order, left, SECOND, purpose)
}

const dispute = (provider: Provider, order: Order, left: number, purpose: string): void => {
  const { chance, time } = provider.outside
  const there = thereOf(order, provider.orders)
  if (there <= 0n || order.state !== "done") return
  const percent = chance.pick([100n, 100n, 60n, 25n], `${purpose} how much`)
  // At times just as much as went back before, for another reason.
  const same = lastBack(order, provider.orders)
  const isSame = same > 0n && same <= there && chance.happens(0.5, `${purpose} the same again`)
  const taken = new Money({ currency: order.money.currency, minor: isSame ? same : (there * percent) / 100n || 1n })
  if (isSame) provider.outside.count("dispute: the same again")
  if (chance.happens(0.25, `${purpose} by hand`)) return handBack(provider, order, left, taken, purpose)
  moveBack(order, taken)
  provider.outside.count(percent === 100n ? "dispute: whole" : "dispute: part")
  provider.outside.tell(`${order.providerPaymentId}: its payer disputes it, and ${taken.toString()} are taken`)
  const id = `${order.providerPaymentId}-dispute-${order.movements.length + 1}`
  speak(provider, order, tellOf(order, "reversal", id, taken), `${purpose} taken`)
  const wins = chance.happens(0.6, `${purpose} won`)
  const after = pace(chance, `${purpose} verdict`) + SECOND
  const verdict = () => win(provider, order, id, taken.minor, `${purpose} regained`)
  if (wins && provider.outside.focus.lateVerdicts === true) provider.outside.afterwards.push(verdict)
  else if (wins) time.after(after, verdict)
  goOn(provider, order, left, after, purpose)
}

/** Of a payin that has just been completed. */
export const planDisputes = (provider: Provider, order: Order, purpose: string): void => {
  const { chance, time } = provider.outside
  const { disputes = 0.14, disputesSoon = false } = provider.outside.focus
  if (!provider.outside.strikes(disputes, "dispute", purpose)) return
  const times = chance.pick([1, 1, 2, 3], `${purpose} disputes`)
  const soon = disputesSoon ? chance.between(1, 4_000, `${purpose} disputed soon`) : undefined
  time.after(soon ?? pace(chance, `${purpose} disputed`) + SECOND, () =>
    dispute(provider, order, times, `${purpose} dispute`)
  )
}
