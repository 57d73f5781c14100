/** The rows of the books, and what a check of them answers. */
import { Schema } from "effect"
import type { OrgId, PaymentId } from "../../domain/Identifiers.ts"
import type { AnyCurrencyCode } from "../../domain/CryptoAsset.ts"
import { type EntryKind, kindOf, type LedgerAccount, platformKinds, providerIn } from "../../domain/Ledger.ts"
import type { Money } from "../../domain/Money.ts"
import type { Rounding } from "./Rounding.ts"

/** A name that the database has checked. */
export const AccountName = Schema.String.pipe(Schema.brand("LedgerAccount"))

export interface StoredPosting {
  readonly entry_id: string
  readonly org_id: OrgId | null
  readonly account: LedgerAccount
  readonly amount: Money
  readonly kind: EntryKind
  readonly payment_id: PaymentId | null
  readonly reference: string | null
  readonly created_at: Date
}

export interface StoredBalance {
  readonly account: LedgerAccount
  readonly org_id: OrgId
  readonly balance: Money
  /** Null: the balance may fall without end. */
  readonly floor: Money | null
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

export interface BooksReport {
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
