/** What the record, and whoever looks after the queue, is told of a dispute. Pure. */
import { Money } from "../../domain/Money.ts"
import type { ProviderSignal } from "../../domain/Settlement.ts"
import type { SuspenseMoney } from "../store/Change.ts"
import type { Known } from "../store/PaymentStore.ts"
import { type Dispute, isRegained } from "./Dispute.ts"
import type { Source } from "./Ruling.ts"
import { collects, standing, stillHolds } from "./Standing.ts"
import { isEven, noteOfGone, sumOf, waitingAfter } from "./TakenBack.ts"

/** Not all that was taken may have come back, and more may have, or other money may wait besides. */
const waitingWords = (known: Known, waiting: ReadonlyArray<Money>, { currency }: Money): string => {
  const [still] = waiting.filter(({ isNegative }) => isNegative === collects(known))
  const sum = still?.isNegative === true ? still.negate() : still
  if (sum === undefined) {
    return waiting.some((money) => money.currency === currency)
      ? "it is held until an operator settles it."
      : `${sumOf(waiting)} that came besides are held until an operator settles it.`
  }
  return collects(known)
    ? `${sum.toString()} are still gone, and an operator must settle who bears them.`
    : `${sum.toString()} that had come back are still held until an operator settles it.`
}

/** Where nothing of it waits: whether anybody must look nevertheless. */
const wordsOfEven = (known: Known, source: Source, over: boolean): string => {
  if (over) return "nothing is left to settle."
  return stillHolds(known, source)
    ? "what was collected is held until an operator gives it back."
    : "an operator must settle what else it has named."
}

/** One item of the queue stands for all of it. */
const besides = ({ waiting = [] }: Source): string =>
  waiting.length === 0 ? "" : `, besides ${sumOf(waiting.map(({ money }) => money))} that wait already`

export const noteOfDispute = (
  known: Known,
  { amount, kind, said }: Dispute,
  signal: ProviderSignal,
  suspense: ReadonlyArray<SuspenseMoney>,
  source: Source,
  over: boolean
): string | undefined => {
  const { payment } = known
  const even = isEven(suspense, source)
  const rest = even ? wordsOfEven(known, source, over) : waitingWords(known, waitingAfter(suspense, source), amount)
  const { provider } = known.attempt
  const sum = amount.toString()
  const given =
    said.minor === amount.minor
      ? `${provider} gave ${sum} back, which it had taken`
      : `${provider} gave ${said.toString()} back, of which the books lacked ${sum}`
  switch (kind) {
    case "part":
      return even
        ? `${provider} has given or taken ${sum} back, which nobody had decided on yet.`
        : noteOfGone(known, suspense, source)
    case "unaccounted":
      return `${provider} says that it took ${sum} back, which the books do not have there${besides(source)}: an operator must settle it.`
    case "offset":
      return `${provider} gave ${sum} back, as much as it had taken beyond the books, or as a person had found to be back: ${rest}`
    case "unowed":
      return `${provider} says that it gave ${sum} back, which the books do not lack there: an operator must settle it.`
    case "met":
      return `${provider} took ${sum} back, which it had given back before that was heard of, or a person had found to be gone.`
    case "worthless":
      return `${provider} says that it ${isRegained(signal) ? "gave" : "took"} ${sum} back, which is no money: an operator must find out what it did.`
    case "known":
    case "bounced":
      return undefined
    case "again":
      return `${provider} took ${sum} back, as much as had come back of a refund, which has gone with it.`
    case "regained":
      return over && payment.status === "refunded"
        ? `${given}: the payment has its money, though it stays refunded.`
        : `${given}: ${rest}`
  }
}

/** A refund may have been made again although something else had taken its money: whatever explains that is to be found. */
export const noteOfLacking = (known: Known, { amount }: Dispute, source: Source): string | undefined => {
  const { currency, minor } = standing(known, source, amount)
  if (minor >= amount.minor) return undefined
  const lacking = new Money({ currency, minor: amount.minor - minor })
  return `${known.attempt.provider} took ${amount.toString()} back for a refund that had come back, and the books lack ${lacking.toString()} there now: an operator must settle it.`
}
