/** Rules for fees, conversions and refunds, computed independently of the service. */
import { Array as Arr } from "effect"
import type { FeeTerms } from "../../../src/domain/Fee.ts"
import { currencyOf, kindOf } from "../../../src/domain/Ledger.ts"
import type { StoredPosting } from "../../../src/money/ledger/LedgerStore.ts"
import type { Payment } from "../../../src/payments/store/Payment.ts"
import type { Dossier } from "./RecordRules.ts"

const WHOLE = 10_000n

/** Rounds half to even; for amounts of zero or more. */
const halfEven = (amount: bigint, by: bigint): bigint => {
  const down = amount / by
  const twice = 2n * (amount - down * by)
  if (twice < by) return down
  return twice > by || down % 2n === 1n ? down + 1n : down
}

/** An operator accepted another amount. */
const isAccepted = ({ items }: Dossier): boolean => items.some(({ kind }) => kind === "resolution")

const ownSideOf = ({ amount, direction, target }: Payment) => (direction === "inbound" ? target : amount)

/** Only mobile money has fees in the simulation. */
const feeOf = (payment: Payment, { basis_points, fixed }: FeeTerms): bigint => {
  const { currency, minor } = ownSideOf(payment)
  const besides = fixed?.currency === currency ? fixed.minor * WHOLE : 0n
  const fee = halfEven(minor * BigInt(basis_points) + besides, WHOLE)
  return payment.direction === "inbound" && fee > minor ? minor : fee
}

/** `terms`: the organisation's fee; null: none. */
export const feeProblems = (dossier: Dossier, terms: FeeTerms | null): ReadonlyArray<string> => {
  const { payment, postings } = dossier
  if (payment.direction === "external" || isAccepted(dossier)) return []
  const wanted = terms === null || payment.payment_method !== "mobile_money" ? 0n : feeOf(payment, terms)
  const noted = payment.total_fees?.minor ?? 0n
  const charged = postings.reduce(
    (sum, { account, amount }) => (kindOf(account) === "fees" ? sum + amount.minor : sum),
    0n
  )
  return [
    ...(noted === wanted ? [] : [`a fee of ${wanted} is noted as ${noted}`]),
    ...(payment.status !== "completed" || charged === wanted ? [] : [`a fee of ${wanted} is charged as ${charged}`])
  ]
}

const absolute = (minor: bigint): bigint => (minor < 0n ? -minor : minor)

const movedIn = (postings: ReadonlyArray<StoredPosting>, kind: string) =>
  postings.filter(({ account, amount }) => kindOf(account) === kind && amount.minor !== 0n)

/**
 * Money in suspense that an organisation keeps or bears in its own currency converts at the payment's rate, rounded
 * against the organisation.
 */
const exchangedProblems = ({ payment }: Dossier, entry: ReadonlyArray<StoredPosting>): ReadonlyArray<string> => {
  const [fromSuspense, ...others] = movedIn(entry, "clearing")
  const exchanged = movedIn(entry, "fx")
  if (fromSuspense === undefined || others.length > 0 || exchanged.length !== 2) return []
  const [own, theirs] =
    payment.direction === "outbound" ? [payment.amount, payment.target] : [payment.target, payment.amount]
  const posted = exchanged.find(({ account }) => currencyOf(account) === own.currency)
  if (posted === undefined || currencyOf(fromSuspense.account) !== theirs.currency) return []
  const moved = absolute(fromSuspense.amount.minor)
  // Money that leaves suspense for the organisation rounds down.
  const isGiven = fromSuspense.amount.minor < 0n
  const exact = own.minor * moved
  const down = exact / theirs.minor
  const wanted = isGiven || down * theirs.minor === exact ? down : down + 1n
  const got = absolute(posted.amount.minor)
  return got === wanted ? [] : [`${moved} in suspense should be worth ${wanted}, and ${got} were posted for it`]
}

export const suspenseProblems = (dossier: Dossier): ReadonlyArray<string> => {
  // An accepted amount has changed both amounts.
  if (dossier.history.some(({ cause }) => cause.includes("accepted instead"))) return []
  const adjustments = dossier.postings.filter(({ kind }) => kind === "adjustment")
  return Object.values(Arr.groupBy(adjustments, ({ entry_id }) => entry_id)).flatMap((entry) =>
    exchangedProblems(dossier, entry)
  )
}

/** Completed and open refunds together must not exceed the payment. */
export const refundProblem = ({ amount, refunds }: Payment): string | undefined => {
  const standing = refunds.filter(({ of, state }) => state !== "failed" && of === undefined)
  const back = standing.reduce((sum, part) => sum + part.amount.minor, 0n)
  return back <= amount.minor ? undefined : `refunds of ${back} stand on a payment of ${amount.minor}`
}
