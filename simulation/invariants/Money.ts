/** The books against the truth: what each provider really has, what callers were told, and that nothing was made of nothing. */
import { Effect } from "effect"
import { currencyOf, kindOf } from "../../src/domain/Ledger.ts"
import type { PaymentId } from "../../src/domain/Identifiers.ts"
import type { StoredPosting } from "../../src/money/ledger/Books.ts"
import { ledgerTables } from "../../src/money/ledger/MemoryTables.ts"
import { LedgerStore } from "../../src/money/ledger/LedgerStore.ts"
import type { Payment } from "../../src/payments/store/Payment.ts"
import type { Scene } from "../business/Scene.ts"
import type { World } from "../world/World.ts"

const postingsOf = (world: World): ReadonlyArray<StoredPosting> =>
  Array.from(world.database.open(ledgerTables).ledgerPostings.values())

const groupByPayment = (postings: ReadonlyArray<StoredPosting>) => {
  const groups = new Map<PaymentId | null, Array<StoredPosting>>()
  for (const posting of postings) {
    const group = groups.get(posting.payment_id)
    if (group === undefined) groups.set(posting.payment_id, [posting])
    else group.push(posting)
  }
  return groups
}

const sumBy = (postings: ReadonlyArray<StoredPosting>, keyOf: (posting: StoredPosting) => string | null) => {
  const sums = new Map<string, bigint>()
  for (const posting of postings) {
    const key = keyOf(posting)
    if (key !== null) sums.set(key, (sums.get(key) ?? 0n) + posting.amount.minor)
  }
  return sums
}

/** Somebody still has to find out, or to be told. */
const isOpen = ({ world }: Scene, paymentId: PaymentId): boolean => {
  for (const { closed_at, kind, payment_id } of world.tables.operatorItems.values()) {
    if (payment_id === paymentId && closed_at === null && kind !== "review") return true
  }
  for (const { next_enquiry_at, payment_id } of world.tables.attempts.values()) {
    if (payment_id === paymentId && next_enquiry_at !== null) return true
  }
  return false
}

/** Each provider's account of the books is what that provider really holds, payment by payment. */
const providerProblems = (scene: Scene, payment: Payment, postings: ReadonlyArray<StoredPosting>) => {
  const booked = sumBy(postings, ({ account }) => (kindOf(account) === "provider" ? account : null))
  const held = scene.orders.holdings(payment.payment_id)
  return [...new Set([...booked.keys(), ...held.keys()])].flatMap((account) => {
    const inBooks = -(booked.get(account) ?? 0n)
    const real = held.get(account) ?? 0n
    return inBooks === real || isOpen(scene, payment.payment_id)
      ? []
      : [`${account} has ${real} of a payment that is ${payment.status}, and the books say ${inBooks}`]
  })
}

const ownKinds = ["settlement", "held", "virtual", "escrow", "party"]
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

const recordProblems = (payment: Payment, postings: ReadonlyArray<StoredPosting>): ReadonlyArray<string> => {
  if (payment.direction === "external" || hasStrayed(payment, postings)) return []
  const own = postings.filter(({ account, kind }) => ownKinds.includes(kindOf(account)) && !byHand.includes(kind))
  const booked = own.reduce((sum, { amount }) => sum + amount.minor, 0n)
  return booked === told(payment)
    ? []
    : [
        `a ${payment.direction} payment is ${payment.status}: its record tells ${told(payment)}, the books say ${booked}`
      ]
}

/** Nothing is held for a payment that has ended, and suspense has an item for as long as it holds anything. */
const leftoverProblems = ({ world }: Scene, payment: Payment, postings: ReadonlyArray<StoredPosting>) => {
  const problems: Array<string> = []
  const held = sumBy(postings, ({ account }) => (kindOf(account) === "held" ? account : null))
  const ended = ["failed", "rejected", "canceled", "refunded", "completed"].includes(payment.status)
  const partsOpen = payment.refunds.some(({ state }) => state === "open")
  for (const [account, minor] of held) {
    if (minor !== 0n && ended && !partsOpen)
      problems.push(`${account} holds ${minor} of a payment that is ${payment.status}`)
    if (minor < 0n) problems.push(`${account} holds ${minor} of one payment`)
  }
  const suspense = sumBy(postings, ({ account, reference }) =>
    kindOf(account) === "suspense" ? `${(reference ?? "").split(" ")[0]} ${currencyOf(account)}` : null
  )
  const waits = [...suspense.values()].some((minor) => minor !== 0n)
  const items = Array.from(world.tables.operatorItems.values()).filter(
    ({ closed_at, kind, payment_id }) => payment_id === payment.payment_id && kind === "suspense" && closed_at === null
  )
  const rampHolds = [...sumBy(postings, ({ account }) => (kindOf(account) === "ramp" ? account : null)).values()].some(
    (minor) => minor !== 0n
  )
  if (waits && items.length === 0)
    problems.push(`money is in suspense for a payment that is ${payment.status}, and no item says so`)
  if (!waits && items.length > 0 && !rampHolds)
    problems.push(`an item says that money is in suspense, and there is none: ${items[0]!.detail}`)
  return problems
}

export const moneyProblems = (scene: Scene): Effect.Effect<ReadonlyArray<string>, never, LedgerStore> =>
  Effect.gen(function* () {
    const books = yield* Effect.flatMap(LedgerStore, ({ check }) => check)
    const groups = groupByPayment(postingsOf(scene.world))
    const payments = Array.from(scene.world.tables.payments.values())
    return [
      ...books.problems.map(({ message }) => message),
      ...payments.flatMap((payment) => {
        const postings = groups.get(payment.payment_id) ?? []
        return [
          ...providerProblems(scene, payment, postings),
          ...recordProblems(payment, postings),
          ...leftoverProblems(scene, payment, postings)
        ]
      })
    ]
  })
