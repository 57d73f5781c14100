/** The rows of the ledger. */
import { Schema } from "effect"
import type { OrgId, PaymentId } from "../../domain/Identifiers.ts"
import type { AnyCurrencyCode } from "../../domain/CryptoAsset.ts"
import { type EntryKind, kindOf, type LedgerAccount, platformKinds, providerIn } from "../../domain/Ledger.ts"
import type { Money } from "../../domain/Money.ts"

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
