/** Rules for money: the ledger equals what providers hold and what records say. */
import { kindOf } from "../../../src/domain/Ledger.ts"
import type { StoredPosting } from "../../../src/money/ledger/LedgerStore.ts"
import { signedAmount } from "../../../src/domain/Movement.ts"
import type { OpenItem, Payment } from "../../../src/payments/store/Payment.ts"
import { queueItemId, unallocatedSums } from "../../../src/payments/store/UnallocatedMoney.ts"
import type { Dossier, Records } from "./RecordRules.ts"

const sumBy = (postings: ReadonlyArray<StoredPosting>, keyOf: (posting: StoredPosting) => string | null) => {
  const sums = new Map<string, bigint>()
  for (const posting of postings) {
    const key = keyOf(posting)
    if (key !== null) sums.set(key, (sums.get(key) ?? 0n) + posting.amount.minor)
  }
  return sums
}

/** An outcome is still unknown or an item is open. */
const isOpen = ({ attempts, items }: Dossier): boolean =>
  items.some(({ closed_at, kind }) => closed_at === null && kind !== "review") ||
  attempts.some(({ next_enquiry_at }) => next_enquiry_at !== null)

/** Each provider account equals what the provider holds, payment by payment. */
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

const ownKinds = ["settlement", "held", "reserve", "own", "virtual", "escrow", "party"]
const byHand = ["adjustment", "ramp_return"]

/** Change of the organisation's balance, by the payment's record. */
const recordedChange = ({ amount, direction, refunds, status, target, total_fees }: Payment): bigint => {
  const fees = total_fees?.minor ?? 0n
  if (direction === "outbound") return status === "completed" ? -(amount.minor + fees) : 0n
  if (direction === "external" || (status !== "completed" && status !== "refunded")) return 0n
  const back = refunds
    .filter(({ of, state }) => of === undefined && state === "completed")
    .reduce((sum, part) => sum + part.target.minor, 0n)
  return target.minor - fees - back
}

/** Money held for a refund to its payer; it never belonged to the organisation. */
const onItsWayBack = ({ refunds }: Payment): bigint =>
  refunds
    .filter(({ of, state }) => of !== undefined && state === "open")
    .reduce((sum, { amount }) => sum + amount.minor, 0n)

const recordProblems = ({ payment, postings }: Dossier): ReadonlyArray<string> => {
  if (payment.direction === "external") return []
  const own = postings.filter(({ account, kind }) => ownKinds.includes(kindOf(account)) && !byHand.includes(kind))
  const booked = own.reduce((sum, { amount }) => sum + amount.minor, 0n) - onItsWayBack(payment)
  return booked === recordedChange(payment)
    ? []
    : [
        `a ${payment.direction} payment is ${payment.status}: its record tells ${recordedChange(payment)}, the books say ${booked}`
      ]
}

/** Ended payments hold nothing, and every clearing balance has an item. */
const leftoverProblems = ({ books, payment, postings }: Dossier): ReadonlyArray<string> => {
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
  const open = new Map(unallocatedSums(payment, books).map(({ item_id, money }) => [item_id, money.minor]))
  for (const [account, minor] of clearing) {
    const shown = open.get(queueItemId(account as StoredPosting["account"], minor < 0n)) ?? 0n
    if (shown !== minor) problems.push(`clearing holds ${minor}, and an item says ${shown}`)
  }
  return problems
}

/** Reinstated money goes to the organisation that bore it. */
const allocationProblems = ({ books, payment }: Dossier): ReadonlyArray<string> =>
  unallocatedSums(payment, books).flatMap(({ attempt_id, from, money }) => {
    if (from !== "clearing" || !money.isPositive) return []
    const borne = books.allocations
      .filter((one) => one.from === "clearing" && one.attempt_id === attempt_id)
      .filter(({ amount }) => amount.currency === money.currency)
      .reduce((sum, { amount }) => sum + amount.minor, 0n)
    return borne < 0n ? [`${money.minor} came back, and ${-borne} of it were borne by the organisation`] : []
  })

/** A completed refund has its own movement. */
const refundMovementProblems = ({ books, payment }: Dossier): ReadonlyArray<string> =>
  payment.refunds.flatMap(({ amount, refund_id, state }) => {
    const gone = books.movements
      .filter((one) => one.refund_id === refund_id && one.state === "settled")
      .reduce((sum, one) => sum - signedAmount(one).minor, 0n)
    return state === "completed" && gone < amount.minor
      ? [`a refund of ${amount.minor} has gone, and ${gone} by movements of its own`]
      : []
  })

/** Queue items equal the balances of clearing, and of ended ramps. */
export const queueProblems = (
  dossiers: ReadonlyArray<Dossier>,
  items: ReadonlyArray<OpenItem>
): ReadonlyArray<string> => {
  const shown = new Set(items.filter(({ kind }) => kind === "suspense").map(({ item_id }) => item_id))
  const waiting = new Set<string>()
  for (const { payment, postings } of dossiers) {
    const isOver = !["processing", "completed"].includes(payment.status)
    const kinds = isOver ? ["clearing", "ramp"] : ["clearing"]
    const sums = sumBy(postings, ({ account }) => (kinds.includes(kindOf(account)) ? account : null))
    for (const [account, minor] of sums)
      if (minor !== 0n) waiting.add(queueItemId(account as StoredPosting["account"], minor < 0n))
  }
  const missing = [...waiting].filter((id) => !shown.has(id)).length
  const idle = [...shown].filter((id) => !waiting.has(id)).length
  return missing + idle === 0 ? [] : [`${missing} sums wait without an item, and ${idle} items are about no money`]
}

/** A receivable and a positive balance never exist together. */
export const receivableProblems = ({ postings }: Pick<Records, "postings">): ReadonlyArray<string> => {
  const sums = sumBy(postings, ({ account }) =>
    ["settlement", "receivable"].includes(kindOf(account)) ? account : null
  )
  return [...sums].flatMap(([account, owed]) => {
    if (!account.startsWith("receivable/")) return []
    if (owed > 0n) return [`${account} is ${owed}: more was paid than was owed`]
    const has = sums.get(account.replace("receivable/", "settlement/")) ?? 0n
    return owed < 0n && has > 0n ? [`an organisation owes ${-owed} and has ${has}`] : []
  })
}

/** Each provider account equals the sum of its movements. */
const movementProblems = ({ books, postings }: Dossier): ReadonlyArray<string> => {
  const booked = sumBy(postings, ({ account }) => (kindOf(account) === "provider" ? account : null))
  const moved = new Map<string, bigint>()
  for (const { account, amount, kind, provider, state } of books.movements) {
    if (state !== "settled") continue
    const place = account === null ? provider : `${provider}/${account}`
    const name = `provider/${place}/${amount.currency}`
    const minor = kind === "collection" || kind === "reinstatement" ? amount.minor : -amount.minor
    moved.set(name, (moved.get(name) ?? 0n) + minor)
  }
  return [...new Set([...booked.keys(), ...moved.keys()])].flatMap((name) => {
    const [inBooks, byMovements] = [-(booked.get(name) ?? 0n), moved.get(name) ?? 0n]
    return inBooks === byMovements
      ? []
      : [`${name} is ${inBooks} in the books, and its movements add up to ${byMovements}`]
  })
}

/** The refunded amount equals what the provider lacks, or the completed refunds if more. */
const refundedProblems = (dossier: Dossier): ReadonlyArray<string> => {
  const { held, payment } = dossier
  const { account, amount, direction, provider, refunded, status } = payment
  if (direction !== "inbound" || status !== "completed" || provider === null || isOpen(dossier)) return []
  const there = held.get(`provider/${account === null ? provider : `${provider}/${account}`}/${amount.currency}`) ?? 0n
  const lacking = there >= amount.minor ? 0n : there <= 0n ? amount.minor : amount.minor - there
  const given = payment.refunds
    .filter(({ of, state }) => of === undefined && state === "completed")
    .reduce((sum, part) => sum + part.amount.minor, 0n)
  const back = lacking > given ? lacking : given
  return back === refunded.minor
    ? []
    : [`${back} of it are back with the payer, and the record tells ${refunded.minor}`]
}

/** The reserve of a payin holds its open parts, less what refunds and chargebacks have cost the organisation. */
const reserveProblems = ({ books, payment, postings }: Dossier): ReadonlyArray<string> => {
  const { funding, refunds, reserve, status, target } = payment
  const held = [...sumBy(postings, ({ account }) => (kindOf(account) === "reserve" ? account : null)).values()]
  const has = held.reduce((sum, minor) => sum + minor, 0n)
  const open = (reserve?.parts ?? []).reduce(
    (sum, one) => (one.released_at === null ? sum + one.amount.minor : sum),
    0n
  )
  const given = refunds.reduce(
    (sum, part) => (part.of === undefined && part.state !== "failed" ? sum + part.target.minor : sum),
    0n
  )
  const back = books.allocations.reduce(
    (sum, { accountAmount: own, from }) =>
      from === "clearing" && own.currency === target.currency ? sum - own.minor : sum,
    given
  )
  const isPaid = status === "completed" || status === "refunded"
  const left = back > 0n ? open - back : open
  const wanted = isPaid && left > 0n ? left : 0n
  const isExact = funding === null ? has === wanted : has >= 0n && has <= open
  return isExact ? [] : [`the reserve holds ${has} of a payment that is ${status}, and should hold ${wanted}`]
}

export const moneyProblems = (dossier: Dossier): ReadonlyArray<string> => [
  ...providerProblems(dossier),
  ...recordProblems(dossier),
  ...leftoverProblems(dossier),
  ...movementProblems(dossier),
  ...allocationProblems(dossier),
  ...refundMovementProblems(dossier),
  ...reserveProblems(dossier),
  ...refundedProblems(dossier)
]
