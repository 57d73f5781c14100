/** The books against the truth: what each provider really has, what callers were told, and that nothing was made of nothing. */
import { currencyOf, kindOf } from "../../src/domain/Ledger.ts"
import type { StoredPosting } from "../../src/money/ledger/Books.ts"
import type { Payment } from "../../src/payments/store/Payment.ts"
import type { Dossier } from "./Records.ts"

const sumBy = (postings: ReadonlyArray<StoredPosting>, keyOf: (posting: StoredPosting) => string | null) => {
  const sums = new Map<string, bigint>()
  for (const posting of postings) {
    const key = keyOf(posting)
    if (key !== null) sums.set(key, (sums.get(key) ?? 0n) + posting.amount.minor)
  }
  return sums
}

/** Somebody still has to find out, or to be told. */
const isOpen = ({ attempts, items }: Dossier): boolean =>
  items.some(({ closed_at, kind }) => closed_at === null && kind !== "review") ||
  attempts.some(({ next_enquiry_at }) => next_enquiry_at !== null)

/** Each provider's account of the books is what that provider really holds, payment by payment. */
const providerProblems = (dossier: Dossier): ReadonlyArray<string> => {
  const { held, payment, postings } = dossier
  const booked = sumBy(postings, ({ account }) => (kindOf(account) === "provider" ? account : null))
  return [...new Set([...booked.keys(), ...held.keys()])].flatMap((account) => {
    const inBooks = -(booked.get(account) ?? 0n)
    const real = held.get(account) ?? 0n
    return inBooks === real || isOpen(dossier)
      ? []
      : [`${account} has ${real} of a payment that is ${payment.status}, and the books say ${inBooks}`]
  })
}

const ownKinds = ["settlement", "held", "own", "virtual", "escrow", "party"]
const byHand = ["adjustment", "ramp_return"]

/** What the organisation has because of a payment, as its record tells it. */
const told = ({ amount, direction, refunds, status, target, total_fees }: Payment): bigint => {
  const fees = total_fees?.minor ?? 0n
  if (direction === "outbound") return status === "completed" ? -(amount.minor + fees) : 0n
  if (direction === "external" || (status !== "completed" && status !== "refunded")) return 0n
  const back = refunds.filter(({ state }) => state === "completed").reduce((sum, part) => sum + part.target.minor, 0n)
  return target.minor - fees - back
}

/** A part that strayed stands on the record as failed, while its money waits for a person, who may find it gone. */
const hasStrayed = ({ refunds }: Payment, postings: ReadonlyArray<StoredPosting>): boolean => {
  const has = (kind: string) => postings.some((posting) => posting.kind === kind)
  return refunds.length > 0 && has("suspense")
}

const recordProblems = ({ payment, postings }: Dossier): ReadonlyArray<string> => {
  if (payment.direction === "external" || hasStrayed(payment, postings)) return []
  const own = postings.filter(({ account, kind }) => ownKinds.includes(kindOf(account)) && !byHand.includes(kind))
  const booked = own.reduce((sum, { amount }) => sum + amount.minor, 0n)
  return booked === told(payment)
    ? []
    : [
        `a ${payment.direction} payment is ${payment.status}: its record tells ${told(payment)}, the books say ${booked}`
      ]
}

/** What a provider says that it took or gave back, and the books have no place for. */
const inWordsAlone = /books do not (have|lack) there/

/** Nothing is held for a payment that has ended, and suspense has an item for as long as it holds anything. */
const leftoverProblems = ({ items, payment, postings }: Dossier): ReadonlyArray<string> => {
  const problems: Array<string> = []
  const held = sumBy(postings, ({ account }) => (kindOf(account) === "held" ? account : null))
  const ended = ["failed", "rejected", "canceled", "refunded", "completed"].includes(payment.status)
  const partsOpen = payment.refunds.some(({ state }) => state === "open")
  for (const [account, minor] of held) {
    if (minor !== 0n && ended && !partsOpen)
      problems.push(`${account} holds ${minor} of a payment that is ${payment.status}`)
    if (minor < 0n) problems.push(`${account} holds ${minor} of one payment`)
  }
  const clearing = sumBy(postings, ({ account }) => (kindOf(account) === "clearing" ? account : null))
  const waits = [...clearing].filter(([, minor]) => minor !== 0n).map(([account]) => account)
  const open = openSumsOf(payment, books).filter(({ from }) => from === "clearing")
  if (waits.length !== open.length) {
    problems.push(`${waits.length} accounts of clearing hold something, and ${open.length} items say so: ${waits.join(", ")}`)
  }
  return problems
}

export const moneyProblems = (dossier: Dossier): ReadonlyArray<string> => [
  ...providerProblems(dossier),
  ...recordProblems(dossier),
  ...leftoverProblems(dossier)
]
