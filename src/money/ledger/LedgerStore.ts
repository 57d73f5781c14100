/**
 * The books at rest. Callers post inside the transaction of the change that moved the money, with one call for each
 * transaction, and after they have locked their own rows; a refusal ends that transaction.
 */
import { Context, type Option, Array as Arr, Schema } from "effect"
import { OrgId, PaymentId } from "../../domain/Ids.ts"
import type { InsufficientFunds } from "../../domain/Failure.ts"
import { type Entry, type LedgerAccount, entryKinds, kindOf, platformKinds, providerIn } from "../../domain/Ledger.ts"
import { Money } from "../../domain/Money.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"
import type { Scope, Window } from "../../platform/database/Query.ts"
import { AccountName, type LedgerReport } from "./LedgerCheck.ts"
import type { AnyCurrencyCode } from "../../domain/CryptoAsset.ts"
import { type DateRange, eachDay } from "../../domain/CalendarDate.ts"

/** Net change of a balance on a UTC day. */
interface MovedOnDay {
  readonly date: string
  readonly net: Money
}

/** Balances at one moment by currency, and every later day with a change. */
interface SettledAfter {
  readonly now: ReadonlyArray<Money>
  readonly moved: ReadonlyArray<MovedOnDay>
}

export interface BalancesOfDay {
  readonly date: string
  readonly balances: ReadonlyArray<Money>
}

const seriesOf = (days: ReadonlyArray<string>, { currency, minor }: Money, moved: ReadonlyArray<MovedOnDay>) => {
  const last = days.at(-1)!
  const nets = new Map(moved.map(({ date, net }) => [date, net.minor]))
  let balance = moved.reduce((left, { date, net }) => (date > last ? left - net.minor : left), minor)
  return days
    .toReversed()
    .map((date) => {
      const then = new Money({ currency, minor: balance })
      balance -= nets.get(date) ?? 0n
      return then
    })
    .toReversed()
}

export const balancesByDay = (range: DateRange, { moved, now }: SettledAfter): ReadonlyArray<BalancesOfDay> => {
  const days = eachDay(range.from, range.to)
  const byCurrency = Arr.groupBy(moved, ({ net }) => net.currency)
  const series = now.map((one) => seriesOf(days, one, byCurrency[one.currency] ?? []))
  return days.map((date, index) => ({ date, balances: series.map((balances) => balances[index]!) }))
}

/** The rows of the ledger. */

export const BalanceRow = Schema.Struct({
  account: AccountName,
  org_id: OrgId,
  balance: Schema.String,
  /** Null: the balance may fall without end. */
  floor: Schema.NullOr(Schema.String)
})

export const PostingRow = Schema.Struct({
  entry_id: Schema.String,
  org_id: Schema.NullOr(OrgId),
  account: AccountName,
  amount: Schema.String,
  kind: Schema.Literal(...entryKinds),
  payment_id: Schema.NullOr(PaymentId),
  reference: Schema.NullOr(Schema.String),
  created_at: Schema.DateFromSelf
})

export interface StoredBalance extends Omit<typeof BalanceRow.Type, "balance" | "floor"> {
  readonly balance: Money
  readonly floor: Money | null
}

export interface StoredPosting extends Omit<typeof PostingRow.Type, "amount"> {
  readonly amount: Money
}

/** One account of the platform, or the sum of all organisations' accounts of one kind and currency. */
export interface PlatformBalance {
  readonly kind: (typeof platformKinds)[number]
  /** The account's name in the books; of a sum, the kind and the currency. */
  readonly account: LedgerAccount
  /** Of a provider: which, and the configuration whose account there it is; null: the platform's. */
  readonly provider: string | null
  readonly config_id: string | null
  /** What it stands at; of a provider, what it holds. */
  readonly balance: Money
  /** How many accounts are in the sum, of which each has something on it. */
  readonly accounts: number
}

/** From what was posted, which is below zero where a provider holds something. */
export const platformBalanceOf = (account: LedgerAccount, posted: Money, accounts = 1): PlatformBalance => {
  const kind = kindOf(account) as PlatformBalance["kind"]
  if (kind !== "provider") return { kind, account, provider: null, config_id: null, balance: posted, accounts }
  const { account: config_id, provider } = providerIn(account)
  return { kind, account, provider, config_id, balance: posted.negate(), accounts }
}

/** In the order of the kinds, then by name. */
export const byKind = (a: PlatformBalance, b: PlatformBalance): number =>
  platformKinds.indexOf(a.kind) - platformKinds.indexOf(b.kind) || (a.account < b.account ? -1 : 1)

/** How far below zero an organisation's settlement account may go. */
export interface CreditLimit {
  readonly org_id: OrgId
  readonly currency: AnyCurrencyCode
  /** Null: what holds where nothing was set, which is nothing in live mode and anything in a sandbox. */
  readonly credit_limit: Money | null
}

export interface StoredLimit extends CreditLimit {
  readonly credit_limit: Money
}

export type Balances = ReadonlyMap<LedgerAccount, Money>

export interface AtProvider {
  readonly provider: string
  /** The configuration through whose account there; null: the platform's. */
  readonly account: string | null
  readonly money: Money
}

/** Money in clearing, and the attempt whose money it is. */
interface InClearing {
  readonly about: string
  readonly money: Money
}

/** Accounts whose names come after this one. */
export interface NameWindow {
  readonly after: Option.Option<string>
  readonly take?: number
}

export class LedgerStore extends Context.Tag("corridor/LedgerStore")<
  LedgerStore,
  {
    /** All of the entries or none. Postings of nothing are left out. */
    readonly post: (entries: ReadonlyArray<Entry>) => Stored<void, InsufficientFunds>
    /** Of any account; one that nothing was posted to has nothing. */
    readonly balance: (account: LedgerAccount) => Stored<Money>
    readonly balances: (accounts: ReadonlyArray<LedgerAccount>) => Stored<Balances>
    /**
     * The same, and nobody else posts to those with a floor until the transaction ends. Name every account that the
     * transaction will post to, in one call: locks that come one by one can stop each other.
     */
    readonly lockedBalances: (accounts: ReadonlyArray<LedgerAccount>) => Stored<Balances>
    /** For a transaction that posts to no other account with a floor whose name comes before this one. */
    readonly lockedBalance: (account: LedgerAccount) => Stored<Money>
    /** In the order of their names; of accounts that come and go, those with something on them. All without a window. */
    readonly balancesOf: (scope: Scope, window?: NameWindow) => Stored<ReadonlyArray<StoredBalance>>
    /** Of these accounts of one organisation, in that order; one that nothing was posted to has the floor that it would get. */
    readonly balancesWithFloors: (
      orgId: OrgId,
      accounts: ReadonlyArray<LedgerAccount>
    ) => Stored<ReadonlyArray<StoredBalance>>
    /** Providers, clearing, receivables, fees, fx and suspense. Reads every posting of the platform's own accounts. */
    readonly platformBalances: Stored<ReadonlyArray<PlatformBalance>>
    /** What settlement accounts have now, and what each UTC day after that one moved, by date and currency. */
    readonly settledAfter: (scope: Scope, date: string) => Stored<SettledAfter>
    /** Inside a transaction. Answers with the limit that was set before; fails when the account is further down already. */
    readonly setLimit: (limit: CreditLimit) => Stored<Option.Option<Money>, InsufficientFunds>
    readonly postings: (scope: Scope, account: LedgerAccount, window: Window) => Stored<ReadonlyArray<StoredPosting>>
    /** What of this payment's money has no place, for each attempt and currency. */
    readonly clearingOf: (paymentId: PaymentId) => Stored<ReadonlyArray<InClearing>>
    /** What each provider has, account by account, because of this payment, where it has anything; below zero where it gave more than it got. */
    readonly atProviders: (paymentId: PaymentId) => Stored<ReadonlyArray<AtProvider>>
    /** Sums up days that are over, so that `settledAfter` need not; answers with how many had something to sum up. */
    readonly closeDays: Stored<number>
    readonly check: Stored<LedgerReport>
  }
>() {}
