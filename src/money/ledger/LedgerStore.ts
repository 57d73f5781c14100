/**
 * The books at rest. Callers post inside the transaction of the change that moved the money, with one call for each
 * transaction, and after they have locked their own rows; a refusal ends that transaction.
 */
import { Context, type Option } from "effect"
import type { OrgId, PaymentId } from "../../domain/Identifiers.ts"
import type { InsufficientFunds } from "../../domain/Failure.ts"
import type { Entry, LedgerAccount } from "../../domain/Ledger.ts"
import type { Money } from "../../domain/Money.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"
import type { Scope } from "../../platform/database/Query.ts"
import type { Window } from "../../platform/database/Window.ts"
import type { SettledAfter } from "./BalanceDays.ts"
import type { BooksReport } from "./Problems.ts"
import type { CreditLimit, PlatformBalance, StoredBalance, StoredPosting } from "./Books.ts"

export type Balances = ReadonlyMap<LedgerAccount, Money>

export interface AtProvider {
  readonly provider: string
  /** The configuration through whose account there; null: the platform's. */
  readonly account: string | null
  readonly money: Money
}

/** Money in clearing, and the attempt whose money it is. */
export interface InClearing {
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
    readonly check: Stored<BooksReport>
  }
>() {}
