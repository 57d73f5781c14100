/** Report of a ledger check: its problems, one sentence each, and rounding gains and losses. */
import type { OrgId } from "../../domain/Ids.ts"
import type { LedgerAccount } from "../../domain/Ledger.ts"
import { BigDecimal } from "effect"
import { type AnyCurrencyCode, computedScaleOf } from "../../domain/CryptoAsset.ts"
import { toleratedShare } from "../../domain/Exchange.ts"

/**
 * What `fx` gained and lost by rounding. An exchange is all that a payment, or one transfer, passed through `fx`; what it
 * lost is what it gave beyond the worth of what it took at the exchange's own rate. Only an initiation may lose anything,
 * since its caller rounds half-even: half a unit each time, and half a percent of its target, or of what it gave where a
 * person has decided that more of it is kept.
 */

/** Amounts are decimal text, to the last digit. */
export interface Exchanged {
  /** The payment, or the entry of a transfer. */
  readonly subject: string
  readonly from_currency: string
  readonly to_currency: string
  readonly rate: string
  readonly taken: string
  readonly given: string
  readonly lost: string
}

export interface RoundingTotal {
  readonly currency: string
  readonly exchanges: number
  readonly given_away: string
  readonly kept: string
}

export interface Rounding {
  readonly totals: ReadonlyArray<RoundingTotal>
  /** Exchanges without a stored rate, which cannot be checked. */
  readonly unchecked: number
}

/** Half of the smallest amount that is computed in a currency. */
export const halfUnitOf = (currency: AnyCurrencyCode): BigDecimal.BigDecimal =>
  BigDecimal.make(5n, computedScaleOf(currency) + 1)

export const lostBy = (
  taken: BigDecimal.BigDecimal,
  given: BigDecimal.BigDecimal,
  rate: BigDecimal.BigDecimal
): BigDecimal.BigDecimal => BigDecimal.subtract(given, BigDecimal.multiply(taken, rate))

/** Loss by rounding that an initiation with so many entries may have; without a target none. */
export const allowedLoss = (
  currency: AnyCurrencyCode,
  entries: number,
  target: BigDecimal.BigDecimal,
  given: BigDecimal.BigDecimal
): BigDecimal.BigDecimal =>
  BigDecimal.isZero(target)
    ? target
    : BigDecimal.min(
        BigDecimal.multiply(BigDecimal.max(target, given), toleratedShare),
        BigDecimal.multiply(halfUnitOf(currency), BigDecimal.make(BigInt(entries), 0))
      )

export type ProblemKind =
  | "unbalanced_entry"
  | "unbalanced_books"
  | "wrong_balance"
  | "missing_balance"
  | "below_floor"
  | "wrong_floor"
  | "foreign_posting"
  | "fx_loss"
  | "unknown_organization"
  | "provider_differs"
  | "simulator_differs"

export interface Problem {
  readonly kind: ProblemKind
  /** The account, entry, payment, currency or organisation that it is about. */
  readonly subject: string
  readonly message: string
}

export interface FxBalance {
  readonly currency: string
  readonly balance: string
}

export interface LedgerReport {
  readonly entries: number
  readonly postings: number
  /** Accounts that have postings or a balance. */
  readonly accounts: number
  /** The accounts among them whose balance is kept and was compared. */
  readonly balances: number
  readonly rounding: Rounding
  /** What exchanges took in less what they gave out, by currency, as decimal text. */
  readonly fx: ReadonlyArray<FxBalance>
  /** The first hundred of each kind; none: the books are in order. */
  readonly problems: ReadonlyArray<Problem>
}

/** Number of problems listed per kind: a broken ledger may have one in every row. */
export const MOST_NAMED = 100

export interface UnbalancedEntry {
  readonly entry_id: string
  readonly currency: string
  readonly left_over: string
}

export interface UnbalancedBooks {
  readonly currency: string
  readonly left_over: string
}

/** An account whose balance is kept: what its row says, what follows from its postings, and what is wrong between them. */
export interface ComparedAccount {
  readonly account: LedgerAccount
  readonly posted: string
  /** Null: there is no row. */
  readonly balance: string | null
  readonly floor: string | null
  readonly due_floor: string | null
  readonly differs: boolean
  readonly below: boolean
  readonly floor_differs: boolean
  /** Postings that another organisation made. */
  readonly foreign: boolean
}

const floorWords = (floor: string | null): string => (floor === null ? "none" : floor)

const problemsOfAccount = (row: ComparedAccount): ReadonlyArray<Problem> => {
  const { account, balance, due_floor, floor, posted } = row
  if (balance === null) {
    const message = `${account} has no balance, but postings that add up to ${posted}.`
    return [{ kind: "missing_balance", subject: account, message }]
  }
  const found: Array<Problem> = []
  const add = (kind: Problem["kind"], message: string) => found.push({ kind, subject: account, message })
  if (row.differs) add("wrong_balance", `${account} has a balance of ${balance}, but its postings add up to ${posted}.`)
  if (row.below) add("below_floor", `${account} has a balance of ${balance}, below its floor of ${floorWords(floor)}.`)
  if (row.floor_differs) {
    add("wrong_floor", `${account} has the floor ${floorWords(floor)}, but it should be ${floorWords(due_floor)}.`)
  }
  if (row.foreign) add("foreign_posting", `${account} has postings of an organisation that it does not belong to.`)
  return found
}

const problemOfExchange = ({ from_currency, given, lost, rate, subject, taken, to_currency }: Exchanged): Problem => ({
  kind: "fx_loss",
  subject,
  message: `fx/${to_currency} lost ${lost} by ${subject}: it gave ${given} for ${taken} ${from_currency} at ${rate}.`
})

/** An account of a provider whose postings for payments are not the sum of what moved there. */
export interface DifferingProvider {
  readonly account: LedgerAccount
  readonly posted: string
  readonly moved: string
}

/** Payments at a simulated provider that its account in the books does not have, or has with other amounts. */
export interface DifferingSimulator {
  readonly account: LedgerAccount
  readonly payments: number
  /** The attempt of one of them. */
  readonly example: string
  readonly booked: string
  readonly held: string
}

export const problemsOf = (found: {
  readonly entries: ReadonlyArray<UnbalancedEntry>
  readonly books: ReadonlyArray<UnbalancedBooks>
  readonly accounts: ReadonlyArray<ComparedAccount>
  /** Exchanges that gave more than they may. */
  readonly exchanges: ReadonlyArray<Exchanged>
  /** Unknown organisations that postings name. */
  readonly strangers: ReadonlyArray<{ readonly org_id: OrgId }>
  readonly providers: ReadonlyArray<DifferingProvider>
  readonly simulators: ReadonlyArray<DifferingSimulator>
}): ReadonlyArray<Problem> => [
  ...found.books.map(({ currency, left_over }): Problem => ({
    kind: "unbalanced_books",
    subject: currency,
    message: `The books in ${currency} do not add up to zero: ${left_over} are left over.`
  })),
  ...found.entries.map(({ currency, entry_id, left_over }): Problem => ({
    kind: "unbalanced_entry",
    subject: entry_id,
    message: `Entry ${entry_id} does not balance: ${left_over} ${currency} are left over.`
  })),
  ...found.accounts.flatMap(problemsOfAccount),
  ...found.exchanges.map(problemOfExchange),
  ...found.providers.map(({ account, moved, posted }): Problem => ({
    kind: "provider_differs",
    subject: account,
    message: `${account} holds ${posted} by the books, but its movements add up to ${moved}.`
  })),
  ...found.simulators.map(({ account, booked, example, held, payments }): Problem => ({
    kind: "simulator_differs",
    subject: account,
    message: `${account} differs from what the simulated provider holds: ${booked} by the books, ${held} there, in ${payments} of its payments, such as that of attempt ${example}.`
  })),
  ...found.strangers.map(({ org_id }): Problem => ({
    kind: "unknown_organization",
    subject: org_id,
    message: `There are postings of organisation ${org_id}, which does not exist.`
  }))
]
