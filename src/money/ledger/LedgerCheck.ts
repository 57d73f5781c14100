/** Report of a ledger check: its problems, one sentence each, and rounding gains and losses. */
import { BigDecimal, Schema } from "effect"
import { OrgId } from "../../domain/Ids.ts"
import { type AnyCurrencyCode, computedScaleOf } from "../../domain/Currency.ts"

/** A name that the database has checked. */
export const AccountName = Schema.String.pipe(Schema.brand("LedgerAccount"))

/** Half of the smallest amount that is computed in a currency. */
export const halfUnitOf = (currency: AnyCurrencyCode): BigDecimal.BigDecimal =>
  BigDecimal.make(5n, computedScaleOf(currency) + 1)

/**
 * Gains and losses of `fx` by rounding, in decimal text. An exchange is all that one payment or transfer passed through
 * `fx`. Its loss is what it gave beyond the worth of what it took, at its own rate.
 *
 * Only an initiation may lose, since its caller rounds half-even: half a unit for each entry, at most half a percent of
 * its target. After an operator's decision to keep more, the limit is half a percent of what it gave.
 */
export const Exchanged = Schema.Struct({
  /** The payment, or the entry of a transfer. */
  subject: Schema.String,
  from_currency: Schema.String,
  to_currency: Schema.String,
  rate: Schema.String,
  taken: Schema.String,
  given: Schema.String,
  lost: Schema.String
})

export const RoundingTotal = Schema.Struct({
  currency: Schema.String,
  exchanges: Schema.Int,
  given_away: Schema.String,
  kept: Schema.String
})
export type RoundingTotal = typeof RoundingTotal.Type

type ProblemKind =
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
  | "reserve_differs"
  | "simulator_differs"

export interface Problem {
  readonly kind: ProblemKind
  /** The account, entry, payment, currency or organisation that it is about. */
  readonly subject: string
  readonly message: string
}

export const FxBalance = Schema.Struct({ currency: Schema.String, balance: Schema.String })

export const LedgerCounts = Schema.Struct({
  entries: Schema.Int,
  postings: Schema.Int,
  /** Accounts that have postings or a balance. */
  accounts: Schema.Int,
  /** Accounts among them whose balance is kept and was compared. */
  balances: Schema.Int
})

export interface LedgerReport extends Schema.Schema.Type<typeof LedgerCounts> {
  readonly rounding: {
    readonly totals: ReadonlyArray<RoundingTotal>
    /** Exchanges without a stored rate, which cannot be checked. */
    readonly unchecked: number
  }
  /** Received less given amounts of all exchanges, by currency, as decimal text. */
  readonly fx: ReadonlyArray<typeof FxBalance.Type>
  /** The first hundred of each kind; none: the books are in order. */
  readonly problems: ReadonlyArray<Problem>
}

/** Number of problems listed per kind: a broken ledger may have one in every row. */
export const MOST_NAMED = 100

export const UnbalancedBooks = Schema.Struct({ currency: Schema.String, left_over: Schema.String })

export const UnbalancedEntry = Schema.Struct({ entry_id: Schema.String, ...UnbalancedBooks.fields })

/** An account whose balance is kept: its row, the sum of its postings, and the differences between them. */
export const ComparedAccount = Schema.Struct({
  account: AccountName,
  posted: Schema.String,
  /** Null: there is no row. */
  balance: Schema.NullOr(Schema.String),
  floor: Schema.NullOr(Schema.String),
  due_floor: Schema.NullOr(Schema.String),
  differs: Schema.Boolean,
  below: Schema.Boolean,
  floor_differs: Schema.Boolean,
  /** Postings that another organisation made. */
  foreign: Schema.Boolean
})

/** An account of a provider whose postings for payments are not the sum of the movements there. */
export const DifferingProvider = Schema.Struct({ account: AccountName, posted: Schema.String, moved: Schema.String })

/** A reserve account whose balance is not what its payments' open releases hold. */
export const DifferingReserve = Schema.Struct({ account: AccountName, balance: Schema.String, open: Schema.String })

/** Payments at a simulated provider that its account in the books does not have, or has with other amounts. */
export const DifferingSimulator = Schema.Struct({
  account: AccountName,
  payments: Schema.Int,
  /** The attempt of one of them. */
  example: Schema.String,
  booked: Schema.String,
  held: Schema.String
})

/** An unknown organisation that postings name. */
export const UnknownOrganization = Schema.Struct({ org_id: OrgId })

const problemsOfAccount = (row: typeof ComparedAccount.Type): ReadonlyArray<Problem> => {
  const { account, balance, due_floor, floor, posted } = row
  if (balance === null) {
    const message = `${account} has no balance, but postings that add up to ${posted}.`
    return [{ kind: "missing_balance", subject: account, message }]
  }
  const found: Array<Problem> = []
  const add = (kind: Problem["kind"], message: string) => found.push({ kind, subject: account, message })
  if (row.differs) add("wrong_balance", `${account} has a balance of ${balance}, but its postings add up to ${posted}.`)
  if (row.below) add("below_floor", `${account} has a balance of ${balance}, below its floor of ${floor ?? "none"}.`)
  if (row.floor_differs) {
    add("wrong_floor", `${account} has the floor ${floor ?? "none"}, but it should be ${due_floor ?? "none"}.`)
  }
  if (row.foreign) add("foreign_posting", `${account} has postings of an organisation that it does not belong to.`)
  return found
}

const problemOfExchange = ({
  from_currency,
  given,
  lost,
  rate,
  subject,
  taken,
  to_currency
}: typeof Exchanged.Type): Problem => ({
  kind: "fx_loss",
  subject,
  message: `fx/${to_currency} lost ${lost} by ${subject}: it gave ${given} for ${taken} ${from_currency} at ${rate}.`
})

interface Found {
  readonly entries: ReadonlyArray<typeof UnbalancedEntry.Type>
  readonly books: ReadonlyArray<typeof UnbalancedBooks.Type>
  readonly accounts: ReadonlyArray<typeof ComparedAccount.Type>
  /** Exchanges that lost more than is allowed. */
  readonly exchanges: ReadonlyArray<typeof Exchanged.Type>
  readonly unknown: ReadonlyArray<typeof UnknownOrganization.Type>
  readonly providers: ReadonlyArray<typeof DifferingProvider.Type>
  readonly reserves: ReadonlyArray<typeof DifferingReserve.Type>
  readonly simulators: ReadonlyArray<typeof DifferingSimulator.Type>
}

export const problemsOf = (found: Found): ReadonlyArray<Problem> => [
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
  ...found.reserves.map(({ account, balance, open }): Problem => ({
    kind: "reserve_differs",
    subject: account,
    message: `${account} has a balance of ${balance}, but its open releases add up to ${open}.`
  })),
  ...found.simulators.map(({ account, booked, example, held, payments }): Problem => ({
    kind: "simulator_differs",
    subject: account,
    message: `${account} differs from what the simulated provider holds: ${booked} by the books, ${held} there, in ${payments} of its payments, such as that of attempt ${example}.`
  })),
  ...found.unknown.map(({ org_id }): Problem => ({
    kind: "unknown_organization",
    subject: org_id,
    message: `There are postings of organisation ${org_id}, which does not exist.`
  }))
]
