/**
 * Rules, as a pure function, on money that a provider takes back in part, or gives back again: a dispute, and how it ended.
 * The payment itself stays what it is, and a person decides who bears what is gone.
 */
import { Money } from "../../domain/Money.ts"
import { isSettled } from "../../domain/PaymentStatus.ts"
import type { ProviderSignal } from "../../domain/Settlement.ts"
import type { Known } from "../store/PaymentStore.ts"
import { assemble, isEven, isReturned, type Moment, type Ruled, sentBackBefore, type Source } from "./Ruling.ts"
import type { SuspenseMoney } from "../store/Change.ts"
import { isOver } from "./PaymentChange.ts"

/** `unaccounted`: more was taken back than the provider has by the books. `worthless`: it took or gave nothing, or less. */
export interface Dispute {
  readonly kind: "part" | "regained" | "unaccounted" | "worthless"
  readonly amount: Money
}

const takenIn = (signal: ProviderSignal): Money | undefined =>
  signal._tag === "Report" && signal.state === "returned" ? signal.taken : undefined

const regainedIn = (signal: ProviderSignal): Money | undefined =>
  signal._tag === "Report" ? signal.regained : undefined

export const isRegained = (signal: ProviderSignal): boolean => regainedIn(signal) !== undefined

/** Whether the attempt brings money to its provider, or pays it out. */
const collects = ({ attempt, payment }: Known): boolean =>
  attempt.leg === "payment" ? payment.direction === "inbound" : attempt.leg === "collection"

/** What there is to be taken back, in this currency. */
const left = (known: Known, { there = [] }: Source, { currency }: Money): Money => {
  const found = there.find((money) => money.currency === currency) ?? Money.zero(currency)
  const moved = collects(known) ? found : found.negate()
  return moved.isPositive ? moved : Money.zero(currency)
}

/** So much was taken back before, and nobody has decided on it: another word about it is about the same money. */
const isWaitingFor = (known: Known, { waiting = [] }: Source, taken: Money): boolean =>
  waiting.some(({ money }) => {
    const gone = collects(known) ? money.negate() : money
    return gone.currency === taken.currency && gone.minor >= taken.minor
  })

/**
 * What comes back after parts of it came: the rest is for a person too, since the whole would bring the parts a second
 * time. A payout takes them along where nobody has decided on them yet.
 */
const restIn = (known: Known, signal: ProviderSignal, source: Source): Dispute | undefined => {
  const { attempt, payment } = known
  const isBack = isReturned(signal) && payment.status === "completed" && attempt.outcome !== "declined"
  if (!isBack || collects(known)) return undefined
  const before = sentBackBefore(known, source)
  const goesAlong = attempt.leg === "payment" && isWaitingFor(known, source, before)
  if (!before.isPositive || goesAlong) return undefined
  const most = left(known, source, before)
  return most.isZero ? { kind: "unaccounted", amount: before } : { kind: "part", amount: most }
}

/** Nothing where it is about all that the provider has, or where nothing had been completed yet. */
export const disputeIn = (known: Known, signal: ProviderSignal, source: Source): Dispute | undefined => {
  const [taken, regained] = [takenIn(signal), regainedIn(signal)]
  const named = regained ?? taken
  if (named !== undefined && !named.isPositive) return { kind: "worthless", amount: named }
  if (regained !== undefined) return { kind: "regained", amount: regained }
  const rest = restIn(known, signal, source)
  if (taken === undefined) return rest
  const most = left(known, source, taken)
  if (most.isZero) {
    const isNews = isSettled(known.payment.status) && !isWaitingFor(known, source, taken)
    return isNews ? { kind: "unaccounted", amount: taken } : rest
  }
  return taken.minor < most.minor ? { kind: "part", amount: taken } : rest
}

/** All that is there is booked as taken back, and no more: what the provider says besides stands on the record. */
export const withExcess = (known: Known, signal: ProviderSignal, source: Source): Source => {
  const taken = takenIn(signal)
  const most = taken === undefined ? undefined : left(known, source, taken)
  if (taken === undefined || most === undefined || most.isZero || taken.minor === most.minor) return source
  const { provider } = known.attempt
  return {
    ...source,
    note: `${provider} says that it took ${taken.toString()} back, of which the books have ${most.toString()} there.`
  }
}

const suspenseOf = (known: Known, { amount, kind }: Dispute): ReadonlyArray<SuspenseMoney> => {
  if (kind === "unaccounted" || kind === "worthless") return []
  const { account, attempt_id, provider } = known.attempt
  const comes = (kind === "regained") === collects(known)
  return [
    {
      attempt_id,
      provider,
      account,
      amount: comes ? amount : amount.negate(),
      occasion: `${kind} ${amount.currency} ${known.payment.version}`
    }
  ]
}

const noteOf = (
  { attempt: { provider }, payment }: Known,
  { amount, kind }: Dispute,
  signal: ProviderSignal,
  even: boolean
): string => {
  const sum = amount.toString()
  switch (kind) {
    case "part":
      if (even) return `${provider} has given or taken ${sum} back, which nobody had decided on yet.`
      return payment.direction === "outbound"
        ? `${provider} sent ${sum} back: it is held until an operator settles it.`
        : `${provider} has taken ${sum} back: an operator must settle who bears it.`
    case "unaccounted":
      return `${provider} says that it took ${sum} back, which the books do not have there: an operator must settle it.`
    case "worthless":
      return `${provider} says that it ${isRegained(signal) ? "gave" : "took"} ${sum} back, which is no money: an operator must find out what it did.`
    case "regained":
      if (!even) return `${provider} gave ${sum} back, which it had taken: it is held until an operator settles it.`
      return payment.status === "refunded"
        ? `${provider} gave ${sum} back, which it had taken: the payment has its money, though it stays refunded.`
        : `${provider} gave ${sum} back, which it had taken: nothing is left to settle.`
  }
}

export const disputeChangeOf = (
  known: Known,
  signal: ProviderSignal,
  dispute: Dispute,
  source: Source,
  moment: Moment
): Ruled => {
  const { attempt, payment } = known
  const suspense = suspenseOf(known, dispute)
  const even = suspense.length > 0 && isEven(suspense, source)
  // Whoever was told that it is refunded has to hear that it is not.
  const over = even && payment.status !== "refunded"
  const note = noteOf(known, dispute, signal, even)
  return assemble(
    known,
    signal,
    {
      status: payment.status,
      outcome: attempt.outcome,
      patch: {},
      waits: attempt.outcome !== "declined" && !isOver(payment.status),
      underWay: false,
      suspense,
      note: over ? undefined : note,
      cleared: over,
      changes: suspense.length > 0
    },
    over ? { ...source, note } : source,
    moment
  )
}
