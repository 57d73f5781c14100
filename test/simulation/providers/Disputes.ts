/**
 * Disputes of completed payins. The provider takes back what is left, may reinstate it, and reports each change.
 * Reports may overtake each other.
 */
import { Money } from "../../../src/domain/Money.ts"
import type { Movement } from "../../../src/domain/Movement.ts"
import type { SimulationEnvironment } from "../world/SimulationEnvironment.ts"
import type { Orders } from "./ProviderOrders.ts"
import { manualMovementId, type Order, remainingOf, recordReturn, addMovement } from "./ProviderState.ts"
import { drawDelay } from "./DrawnOutcome.ts"

const SECOND = 1000

interface DisputeContext {
  readonly env: SimulationEnvironment
  readonly orders: Orders
  readonly says: (order: Order, movement: Movement, purpose: string, onTaken: () => void) => void
}

/** Amount that is left, in the order's currency. */
const remainingAmount = (order: Order, orders: Orders): bigint => {
  const { currency } = order.money
  return remainingOf(order, orders.refundsOf(order)).find((one) => one.currency === currency)?.minor ?? 0n
}

const disputedSoFar = ({ back, money }: Order): bigint => back.get(money.currency) ?? 0n

const report = ({ orders, says }: DisputeContext, order: Order, movement: Movement, purpose: string) =>
  says(order, movement, purpose, orders.startReport(order.paymentId))

/** Reinstates no more than is still disputed. */
const winDispute = (provider: DisputeContext, order: Order, id: string, minor: bigint, purpose: string): void => {
  const { currency } = order.money
  const most = disputedSoFar(order)
  const regained = new Money({ currency, minor: most < minor ? most : minor })
  if (!regained.isPositive || order.state !== "done") return
  recordReturn(order, regained.negate())
  provider.env.count("dispute: won")
  provider.env.log(`${order.providerPaymentId}: a dispute is won, and ${regained.toString()} given back`)
  report(provider, order, addMovement(order, "reinstatement", id, regained), purpose)
}

/** Amount of the latest refund or reversal. */
const lastReturned = (order: Order, orders: Orders): bigint => {
  const [refund] = orders.refundsOf(order).flatMap(({ movements }) => movements)
  const [taken] = order.movements.filter(({ kind }) => kind === "reversal" || kind === "refund")
  const amount = (taken ?? refund)?.amount
  return amount?.currency === order.money.currency ? amount.minor : 0n
}

const planNextDispute = (
  provider: DisputeContext,
  order: Order,
  left: number,
  after: number,
  purpose: string
): void => {
  const { chance, time } = provider.env
  if (left < 2) return
  const next = after + drawDelay(chance, `${purpose} next`) + SECOND
  time.after(next, () => dispute(provider, order, left - 1, `${purpose} again`))
}

/** A refund in the provider's dashboard, reported like a dispute. */
const refundByHand = (provider: DisputeContext, order: Order, left: number, taken: Money, purpose: string): void => {
  recordReturn(order, taken)
  provider.env.count("dispute: given back by hand")
  provider.env.log(`${order.providerPaymentId}: ${taken.toString()} are given back in the dashboard`)
  report(provider, order, addMovement(order, "refund", manualMovementId(order), taken), `${purpose} taken`)
  planNextDispute(provider, order, left, SECOND, purpose)
}

const dispute = (provider: DisputeContext, order: Order, left: number, purpose: string): void => {
  const { chance, time } = provider.env
  const there = remainingAmount(order, provider.orders)
  if (there <= 0n || order.state !== "done") return
  const percent = chance.pick([100n, 100n, 60n, 25n], `${purpose} how much`)
  // Sometimes the same amount as the return before.
  const same = lastReturned(order, provider.orders)
  const isSame = same > 0n && same <= there && chance.happens(0.5, `${purpose} the same again`)
  const taken = new Money({ currency: order.money.currency, minor: isSame ? same : (there * percent) / 100n || 1n })
  if (isSame) provider.env.count("dispute: the same again")
  if (chance.happens(0.25, `${purpose} by hand`)) return refundByHand(provider, order, left, taken, purpose)
  recordReturn(order, taken)
  provider.env.count(percent === 100n ? "dispute: whole" : "dispute: part")
  provider.env.log(`${order.providerPaymentId}: its payer disputes it, and ${taken.toString()} are taken`)
  const id = `${order.providerPaymentId}-dispute-${order.movements.length + 1}`
  report(provider, order, addMovement(order, "reversal", id, taken), `${purpose} taken`)
  const wins = chance.happens(0.6, `${purpose} won`)
  const after = drawDelay(chance, `${purpose} verdict`) + SECOND
  const verdict = () => winDispute(provider, order, id, taken.minor, `${purpose} regained`)
  if (wins && provider.env.focus.lateVerdicts === true) provider.env.afterwards.push(verdict)
  else if (wins) time.after(after, verdict)
  planNextDispute(provider, order, left, after, purpose)
}

export const planDisputes = (provider: DisputeContext, order: Order, purpose: string): void => {
  const { chance, time } = provider.env
  const { disputes = 0.14, disputesSoon = false } = provider.env.focus
  if (!provider.env.strikes(disputes, "dispute", purpose)) return
  const times = chance.pick([1, 1, 2, 3], `${purpose} disputes`)
  const soon = disputesSoon ? chance.between(1, 4_000, `${purpose} disputed soon`) : undefined
  time.after(soon ?? drawDelay(chance, `${purpose} disputed`) + SECOND, () =>
    dispute(provider, order, times, `${purpose} dispute`)
  )
}
