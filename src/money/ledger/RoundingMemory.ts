/** Gains and losses of `fx` by rounding, in memory, equal to those in SQL. */
import { BigDecimal } from "effect"
import { memoryTable, type Opened } from "../../platform/database/MemoryDatabase.ts"
import type { AnyCurrencyCode } from "../../domain/CryptoAsset.ts"
import { toPlainText } from "../../domain/Decimal.ts"
import { currencyOf, kindOf } from "../../domain/Ledger.ts"
import { ledgerTables } from "./PostInMemory.ts"
import type { Money } from "../../domain/Money.ts"
import type { StoredPosting } from "./LedgerStore.ts"
import { MOST_NAMED, allowedLoss, type Exchanged, lostBy, type Rounding, type RoundingTotal } from "./LedgerCheck.ts"

interface Part {
  readonly refund_id: string
  readonly amount: Money
  readonly target: Money
  readonly state: string
  readonly rate?: { readonly basis: "original" | "live"; readonly value: string } | undefined
}

/** Terms of a posting's exchange, from rows of payments and accounts. */
export const exchangeTables = {
  ledgerPostings: ledgerTables.ledgerPostings,
  rateLocks: memoryTable<{ readonly rate: string }>("rateLocks"),
  payments: memoryTable<{
    readonly amount: Money
    readonly target: Money
    readonly org_rate_id: string | null
    readonly ramp: { readonly rate: string } | null
    readonly refunds: ReadonlyArray<Part>
  }>("payments"),
  virtualTransactions: memoryTable<{ readonly currency: AnyCurrencyCode; readonly rate: string | null }>(
    "virtualTransactions"
  )
}

interface Terms {
  readonly from: AnyCurrencyCode
  readonly rate: BigDecimal.BigDecimal
  /** Of an initiation; zero where the service computed the amounts. */
  readonly target: BigDecimal.BigDecimal
  /** Parts that go back, whose money is held: all parts together are rounded, so they are seen as gone. */
  readonly onTheirWay: ReadonlyArray<{ readonly amount: Money; readonly target: Money }>
}

interface Judged extends Exchanged {
  readonly loss: BigDecimal.BigDecimal
  readonly allowed: BigDecimal.BigDecimal
}

const zero = BigDecimal.make(0n, 0)
const textOf = (d: BigDecimal.BigDecimal): string => toPlainText(BigDecimal.normalize(d))

/** The rate of the refund at the live rate that has moved it, if one has. */
const liveRateOf = (
  tables: Opened<typeof exchangeTables>,
  { payment_id, reference }: StoredPosting
): string | undefined => {
  const [about] = (reference ?? "").split(" ")
  const part = tables.payments.get(payment_id ?? "")?.refunds.find(({ refund_id }) => refund_id === about)
  return part?.rate?.basis === "live" ? part.rate.value : undefined
}

const termsOf = (tables: Opened<typeof exchangeTables>, posting: StoredPosting): Terms | undefined => {
  const { payment_id, reference } = posting
  const terms = (
    from: AnyCurrencyCode,
    rate: string | null | undefined,
    target: BigDecimal.BigDecimal,
    onTheirWay: Terms["onTheirWay"] = []
  ) =>
    rate === null || rate === undefined
      ? undefined
      : { from, rate: BigDecimal.unsafeFromString(rate), target, onTheirWay }
  if (payment_id === null) {
    const transfer = tables.virtualTransactions.get(reference ?? "")
    return transfer === undefined ? undefined : terms(transfer.currency, transfer.rate, zero)
  }
  const payment = tables.payments.get(payment_id)
  if (payment === undefined) return undefined
  const { amount, org_rate_id, ramp, refunds, target } = payment
  if (ramp !== null) return terms(amount.currency, ramp.rate, zero)
  const live = liveRateOf(tables, posting)
  if (live !== undefined) return terms(amount.currency, live, target.toDecimal())
  const open = refunds.filter(({ rate, state }) => state === "open" && rate?.basis !== "live")
  return terms(amount.currency, tables.rateLocks.get(org_rate_id ?? "")?.rate, target.toDecimal(), open)
}

const judged = (
  subject: string,
  rows: ReadonlyArray<StoredPosting>,
  { from, onTheirWay, rate, target }: Terms
): Judged => {
  const sumOf = (side: ReadonlyArray<StoredPosting>) => BigDecimal.sumAll(side.map(({ amount }) => amount.toDecimal()))
  const back = (of: "amount" | "target") => BigDecimal.sumAll(onTheirWay.map((part) => part[of].toDecimal()))
  const theirs = rows.filter(({ account }) => currencyOf(account) !== from)
  const to = theirs[0] === undefined ? from : currencyOf(theirs[0].account)
  const taken = BigDecimal.subtract(sumOf(rows.filter(({ account }) => currencyOf(account) === from)), back("amount"))
  const given = BigDecimal.negate(BigDecimal.sum(sumOf(theirs), back("target")))
  const loss = lostBy(taken, given, rate)
  const allowed = allowedLoss(to, new Set(rows.map(({ entry_id }) => entry_id)).size, target, given)
  return {
    subject,
    from_currency: from,
    to_currency: to,
    rate: textOf(rate),
    taken: textOf(taken),
    given: textOf(given),
    lost: textOf(loss),
    loss,
    allowed
  }
}

const totalOf = (currency: string, exchanges: ReadonlyArray<Judged>): RoundingTotal => ({
  currency,
  exchanges: exchanges.length,
  given_away: textOf(BigDecimal.sumAll(exchanges.map(({ loss }) => BigDecimal.max(loss, zero)))),
  kept: textOf(BigDecimal.sumAll(exchanges.map(({ loss }) => BigDecimal.max(BigDecimal.negate(loss), zero))))
})

export const roundingInMemory = (
  tables: Opened<typeof exchangeTables>
): { readonly losses: ReadonlyArray<Exchanged>; readonly rounding: Rounding } => {
  const byTerms = new Map<string, Array<StoredPosting>>()
  for (const row of tables.ledgerPostings.values()) {
    if (kindOf(row.account) !== "fx") continue
    const key = `${row.payment_id ?? row.entry_id} ${liveRateOf(tables, row) ?? ""}`
    byTerms.set(key, [...(byTerms.get(key) ?? []), row])
  }
  const exchanges: Array<Judged> = []
  let unchecked = 0
  for (const [, rows] of Array.from(byTerms).sort(([a], [b]) => (a < b ? -1 : 1))) {
    const terms = termsOf(tables, rows[0]!)
    const subject = rows[0]!.payment_id ?? rows[0]!.entry_id
    if (terms === undefined) unchecked += 1
    else if (rows.some(({ account }) => currencyOf(account) !== terms.from))
      exchanges.push(judged(subject, rows, terms))
  }
  const currencies = Array.from(new Set(exchanges.map(({ to_currency }) => to_currency))).sort()
  return {
    losses: exchanges
      .filter(({ allowed, loss }) => BigDecimal.greaterThan(loss, allowed))
      .slice(0, MOST_NAMED)
      .map(({ allowed: _allowed, loss: _loss, ...exchange }) => exchange),
    rounding: {
      totals: currencies.map((code) =>
        totalOf(
          code,
          exchanges.filter(({ to_currency }) => to_currency === code)
        )
      ),
      unchecked
    }
  }
}
