/**
 * Stores the ledger. Callers post inside the transaction of the change that moved the money: one call for each
 * transaction, after they have locked their own rows. A refusal ends that transaction.
 */
import { Context, type Option, Array as Arr, Schema } from "effect"
import { OrgId, PaymentId } from "../../domain/Ids.ts"
import type { InsufficientFunds } from "../../domain/Failure.ts"
import { type Entry, type LedgerAccount, entryKinds, kindOf, platformKinds, providerIn } from "../../domain/Ledger.ts"
import { Money } from "../../domain/Money.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"
import type { Scope, Window } from "../../platform/database/Query.ts"
import { AccountName, type LedgerReport } from "./LedgerCheck.ts"
import type { AnyCurrencyCode } from "../../domain/Currency.ts"
import { type DateRange, eachDay } from "../../domain/CalendarDate.ts"

/** Net change of a balance on a UTC day. */
interface MovedOnDay {
  readonly date: string
  readonly net: Money
}

/** Balances at one moment by currency, and every later day with a change. */
interface SettlementChanges {
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

export const balancesByDay = (range: DateRange, { moved, now }: SettlementChanges): ReadonlyArray<BalancesOfDay> => {
  const days = eachDay(range.from, range.to)
  const byCurrency = Arr.groupBy(moved, ({ net }) => net.currency)
  const series = now.map((one) => seriesOf(days, one, byCurrency[one.currency] ?? []))
  return days.map((date, index) => ({ date, balances: series.map((balances) => balances[index]!) }))
}

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
  /** The account's name; for a sum, the kind and the currency. */
  readonly account: LedgerAccount
  /** For a provider: its name, and the configuration whose account it is; null: the platform's. */
  readonly provider: string | null
  readonly config_id: string | null
  /** For a provider: the amount that it holds. */
  readonly balance: Money
  /** Number of accounts in the sum; each has a balance. */
  readonly accounts: number
}

/** Postings of a provider's account are negative while the provider holds money. */
export const platformBalanceOf = (account: LedgerAccount, posted: Money, accounts = 1): PlatformBalance => {
  const kind = kindOf(account) as PlatformBalance["kind"]
  if (kind !== "provider") return { kind, account, provider: null, config_id: null, balance: posted, accounts }
  const { account: config_id, provider } = providerIn(account)
  return { kind, account, provider, config_id, balance: posted.negate(), accounts }
}

/** In the order of the kinds, then by name. */
export const byKind = (a: PlatformBalance, b: PlatformBalance): number =>
  platformKinds.indexOf(a.kind) - platformKinds.indexOf(b.kind) || (a.account < b.account ? -1 : 1)

/** Amount by which an organisation's settlement account may be below zero. */
export interface CreditLimit {
  readonly org_id: OrgId
  readonly currency: AnyCurrencyCode
  /** Null: the default, which is zero in live mode and no limit in a sandbox. */
  readonly credit_limit: Money | null
}

export interface StoredLimit extends CreditLimit {
  readonly credit_limit: Money
}

export type Balances = ReadonlyMap<LedgerAccount, Money>

export interface AtProvider {
  readonly provider: string
  /** The configuration whose account it is; null: the platform's. */
  readonly account: string | null
  readonly money: Money
}

/** Money in clearing, by attempt. */
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
    /** Posts all entries or none, without postings of zero. */
    readonly post: (entries: ReadonlyArray<Entry>) => Stored<void, InsufficientFunds>
    /** Zero for an account without postings. */
    readonly balance: (account: LedgerAccount) => Stored<Money>
    readonly balances: (accounts: ReadonlyArray<LedgerAccount>) => Stored<Balances>
    /**
     * Locks accounts with a floor against postings of others until the transaction ends. Name every account that the
     * transaction will post to in one call: locks taken one by one can deadlock.
     */
    readonly lockedBalances: (accounts: ReadonlyArray<LedgerAccount>) => Stored<Balances>
    /** For a transaction that posts to no other account with a floor whose name comes before this one. */
    readonly lockedBalance: (account: LedgerAccount) => Stored<Money>
    /** Ordered by name. Accounts other than settlement and held are listed only with a balance. All without a window. */
    readonly balancesOf: (scope: Scope, window?: NameWindow) => Stored<ReadonlyArray<StoredBalance>>
    /** In the given order. An account without postings has the floor that it would get. */
    readonly balancesWithFloors: (
      orgId: OrgId,
      accounts: ReadonlyArray<LedgerAccount>
    ) => Stored<ReadonlyArray<StoredBalance>>
    /** Providers, clearing, receivables, fees, fx and suspense. Reads every posting of the platform's own accounts. */
    readonly platformBalances: Stored<ReadonlyArray<PlatformBalance>>
    /** Current balances of settlement accounts, and the net change of each later UTC day, by date and currency. */
    readonly settlementChangesAfter: (scope: Scope, date: string) => Stored<SettlementChanges>
    /** Inside a transaction. Returns the previous limit; fails if the balance is below the new one. */
    readonly setLimit: (limit: CreditLimit) => Stored<Option.Option<Money>, InsufficientFunds>
    readonly postings: (scope: Scope, account: LedgerAccount, window: Window) => Stored<ReadonlyArray<StoredPosting>>
    /** Money of this payment in clearing, by attempt and currency. */
    readonly clearingOf: (paymentId: PaymentId) => Stored<ReadonlyArray<InClearing>>
    /** Money of this payment at providers, by account; negative if a provider paid out more than it received. */
    readonly atProviders: (paymentId: PaymentId) => Stored<ReadonlyArray<AtProvider>>
    /** Stores the sums of past days for `settlementChangesAfter`; returns how many days had postings. */
    readonly closeDays: Stored<number>
    readonly check: Stored<LedgerReport>
  }
>() {}
