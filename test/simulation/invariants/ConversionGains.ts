/** Rule: no conversion gains money, beyond rounding and the daily limit on locked rates. */
import { BigDecimal } from "effect"
import { kindOf } from "../../../src/domain/Ledger.ts"
import { Money } from "../../../src/domain/Money.ts"
import type { StoredPosting } from "../../../src/money/ledger/LedgerStore.ts"
import type { Payment } from "../../../src/payments/store/Payment.ts"
import type { Records } from "./RecordRules.ts"

/** Dollars for one unit of each currency. */
export type CurrencyValues = ReadonlyMap<string, BigDecimal.BigDecimal>

/** Values of the currencies when payments were priced and entries posted. */
export interface ValueHistory {
  readonly payments: ReadonlyMap<string, CurrencyValues>
  readonly entries: ReadonlyMap<string, CurrencyValues>
}

/** RATE_GAIN_MAX of every run: dollars that an organisation may gain a day by locked rates. */
export const GAIN_MAX = 2

const DAY = 86_400_000

/** Gains below this share of the amount are ignored, as the service does. */
const IGNORED_GAIN = BigDecimal.make(5n, 3)

const nothing = BigDecimal.fromBigInt(0n)

const half = BigDecimal.make(5n, 1)

const worthOf = (money: Money, values: CurrencyValues | undefined): BigDecimal.BigDecimal =>
  BigDecimal.multiply(money.toDecimal(), values?.get(money.currency) ?? nothing)

/**
 * Initiations round half-even: half a minor unit, and as much again for each resolution that kept more at the same
 * rate.
 */
const rounding = ({ direction, target }: Payment, decisions: number, values: CurrencyValues | undefined) =>
  direction === "external"
    ? nothing
    : BigDecimal.multiply(half, worthOf(new Money({ currency: target.currency, minor: BigInt(1 + decisions) }), values))

interface Conversion {
  readonly payment: Payment | undefined
  readonly values: CurrencyValues | undefined
  /** Gain of the platform. */
  kept: BigDecimal.BigDecimal
}

/** A refund at the rate of its own time is a separate conversion. */
const conversionOf = ({ entry_id, kind, payment_id }: StoredPosting, { entries }: ValueHistory): string => {
  if (payment_id === null) return `transfer ${entry_id}`
  return kind === "refund" && entries.has(entry_id) ? `refund ${entry_id}` : `payment ${payment_id}`
}

const mostInADay = (gains: ReadonlyArray<readonly [at: number, gain: BigDecimal.BigDecimal]>): BigDecimal.BigDecimal =>
  gains.reduce((most, [end]) => {
    const sum = gains
      .filter(([at]) => at <= end && at > end - DAY)
      .reduce((all, [, gain]) => BigDecimal.sum(all, gain), nothing)
    return BigDecimal.max(most, sum)
  }, nothing)

/** Groups a payment with its refunds; transfers and late refunds stand alone. */
export const conversionGainProblems = (
  { items, payments, postings }: Records,
  valued: ValueHistory
): ReadonlyArray<string> => {
  const byId = new Map(payments.map((payment) => [payment.payment_id, payment]))
  const walks = new Map<string, Conversion>()
  for (const posting of postings) {
    if (kindOf(posting.account) !== "fx") continue
    const { amount, entry_id, payment_id } = posting
    const about = conversionOf(posting, valued)
    const payment = about.startsWith("payment") ? byId.get(payment_id!) : undefined
    const values = payment === undefined ? valued.entries.get(entry_id) : valued.payments.get(payment.payment_id)
    const walk = walks.get(about) ?? { payment, values, kept: nothing }
    walk.kept = BigDecimal.sum(walk.kept, worthOf(amount, walk.values))
    walks.set(about, walk)
  }
  const gains = new Map<string, Array<readonly [number, BigDecimal.BigDecimal]>>()
  const problems: Array<string> = []
  for (const [about, { kept, payment, values }] of walks) {
    const decisions = items.filter(
      ({ kind, payment_id }) => kind === "resolution" && payment_id === payment?.payment_id
    )
    const tolerated = payment === undefined ? nothing : rounding(payment, decisions.length, values)
    const gain = BigDecimal.subtract(BigDecimal.negate(kept), tolerated)
    if (!BigDecimal.greaterThan(gain, nothing)) continue
    if (payment === undefined) problems.push(`${about} has made ${BigDecimal.format(gain)} dollars by exchanging them`)
    else if (BigDecimal.greaterThan(gain, BigDecimal.multiply(IGNORED_GAIN, worthOf(payment.amount, values)))) {
      const mine = gains.get(payment.org_id) ?? []
      gains.set(payment.org_id, [...mine, [payment.created_at.getTime(), gain]])
    }
  }
  for (const mine of gains.values()) {
    const most = mostInADay(mine)
    if (BigDecimal.greaterThan(most, BigDecimal.unsafeFromNumber(GAIN_MAX)))
      problems.push(`an organisation has gained ${BigDecimal.format(most)} dollars in a day by rates that were better`)
  }
  return problems
}
