/**
 * A provider that says by itself that a payment's money went back, without a sum, while a refund of ours is on its way:
 * it may speak of that refund, which is booked when its own end is heard, and not a second time.
 */
import type { AttemptId } from "../../domain/Identifiers.ts"
import { Money } from "../../domain/Money.ts"
import type { ProviderSignal } from "../../domain/Settlement.ts"
import type { Attempt, Payment, Refund } from "../store/Payment.ts"
import type { Known } from "../store/PaymentStore.ts"
import { assemble, type Moment, type Ruled, type Source } from "./Ruling.ts"
import { saidIn, unmatchedAfter } from "./Unmatched.ts"

const partsIn = ({ refunds }: Payment, state: "open" | "completed"): bigint =>
  refunds.filter((part) => part.state === state).reduce((sum, { amount }) => sum + amount.minor, 0n)

const less = (money: Money, minor: bigint): Money =>
  new Money({ currency: money.currency, minor: money.minor > minor ? money.minor - minor : 0n })

/** A person who says so knows of the refunds. */
const isMeant = ({ attempt, payment }: Known, signal: ProviderSignal, { operator }: Source): boolean =>
  signal._tag === "Report" &&
  signal.state === "returned" &&
  signal.taken === undefined &&
  operator === undefined &&
  attempt.leg === "payment" &&
  attempt.outcome !== "declined" &&
  payment.direction === "inbound" &&
  payment.status === "completed" &&
  partsIn(payment, "open") > 0n

/** What there is to be taken back besides what is on its way. */
export const withoutOwnRefunds = (known: Known, signal: ProviderSignal, source: Source): Source => {
  const { payment } = known
  if (!isMeant(known, signal, source)) return source
  const there = source.there?.map((money) =>
    money.currency === payment.amount.currency ? less(money, partsIn(payment, "open")) : money
  )
  return { ...source, there: there?.filter(({ isZero }) => !isZero) ?? [] }
}

/** What is left to them stands with the payment, until it is heard what became of them. */
export const saidOf = (known: Known, signal: ProviderSignal, source: Source): ReadonlyArray<Money> => {
  const { attempt, payment } = known
  if (!isMeant(known, signal, source)) return []
  const { currency, minor } = saidIn(payment, attempt)
  return [new Money({ currency, minor: partsIn(payment, "open") - minor })]
}

/** The same, to be written with what the word leaves unmatched besides. */
export const withSaid = (known: Known, signal: ProviderSignal, source: Source): Source => {
  const { attempt, payment } = known
  const { unmatched = payment.unmatched } = source
  return { ...source, ...unmatchedAfter({ ...payment, unmatched }, attempt, { said: saidOf(known, signal, source) }) }
}

/** Once the rest is taken back: the parts as they then are, those on their way not back yet. */
export const partsBesides = (known: Known, signal: ProviderSignal, source: Source): ReadonlyArray<Refund> => {
  const isLeftOut = isMeant(known, signal, source)
  return known.payment.refunds.map(({ missing: _, ...part }) =>
    isLeftOut && part.state === "open" ? { ...part, missing: true } : part
  )
}

/** All of it is on its way already. */
export const isOwnRefund = (known: Known, signal: ProviderSignal, source: Source): boolean =>
  isMeant(known, signal, source) && source.there?.some(({ isPositive }) => isPositive) !== true

/** That it was said stands with the attempt: should the refund come to nothing, somebody must find out what is so. */
export const ownRefundChangeOf = (known: Known, signal: ProviderSignal, source: Source, moment: Moment): Ruled => {
  const { attempt, payment } = known
  const note = `${attempt.provider} says that the money went back, as the refund that is on its way has it.`
  return assemble(
    known,
    signal,
    {
      status: payment.status,
      outcome: attempt.outcome,
      patch: {},
      waits: false,
      underWay: false,
      changes: false
    },
    { ...source, note },
    moment
  )
}

/** The attempt that brought the money of a payment, where its provider has said that it went back and the books left that to refunds. */
export const saidBackOf = (
  payment: Payment,
  attempts: ReadonlyArray<Attempt>,
  { there = [] }: Source
): AttemptId | undefined => {
  const { amount } = payment
  const has = there.find(({ currency }) => currency === amount.currency)?.minor ?? 0n
  if (payment.status === "completed" && has !== amount.minor - partsIn(payment, "completed")) return undefined
  return attempts.find((one) => one.leg === "payment" && saidIn(payment, one).isPositive)?.attempt_id
}
