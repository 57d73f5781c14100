/** Ledger accounts, and entries whose postings balance. An account is its name, so that posting needs no look-up. */
import { Brand } from "effect"
import { AccountId, type AttemptId, type ConfigId, type EscrowId, type OrgId, type PaymentId } from "./Ids.ts"
import type { ProviderName } from "./Corridor.ts"
import { type AnyCurrencyCode, isAnyCurrencyCode } from "./Currency.ts"
import { Money } from "./Money.ts"

/**
 * Accounts of organisations: their balance is kept beside the postings, and a debit waits for the one before it. All have
 * a floor but `own`, `clearing` and `receivable`.
 */
export const keptKinds = [
  "settlement",
  "held",
  "reserve",
  "own",
  "virtual",
  "escrow",
  "party",
  "ramp",
  "clearing",
  "receivable"
] as const

/** Platform accounts. Their balance is the sum of their postings, so posting takes no lock. */
const systemKinds = ["provider", "fees", "fx", "suspense"] as const

/** Kinds that the platform watches over: its own, and what waits or is owed at organisations. */
export const platformKinds = ["provider", "clearing", "receivable", "fees", "fx", "suspense"] as const

export type AccountKind = (typeof keptKinds)[number] | (typeof systemKinds)[number]

export type LedgerAccount = string & Brand.Brand<"LedgerAccount">

const brand = Brand.nominal<LedgerAccount>()

const owned =
  <Id extends string>(kind: (typeof keptKinds)[number]) =>
  (id: Id, currency: AnyCurrencyCode) =>
    brand(`${kind}/${id}/${currency}`)

const shared = (kind: "fees" | "fx" | "suspense") => (currency: AnyCurrencyCode) => brand(`${kind}/${currency}`)

export const LedgerAccount = {
  /** Balance of an organisation at the platform, by its id. */
  settlement: owned("settlement"),
  /** Money in transit, by its id. */
  held: owned("held"),
  /** Parts of completed payins that an organisation can spend later, by its id. */
  reserve: owned("reserve"),
  /**
   * Balance of an organisation at its own account with a provider, by organisation and configuration. The platform
   * cannot pay it out. No floor: only the provider knows its other contents, and declines what is not covered.
   */
  ownAccount: (id: string, account: ConfigId, currency: AnyCurrencyCode) => brand(`own/${id}/${account}/${currency}`),
  /** By the id of the virtual account. */
  virtual: owned<AccountId>("virtual"),
  /** By the id of the escrow. */
  escrow: owned<EscrowId>("escrow"),
  /** Paid by an escrow to a party without an account, by the id of the party. */
  party: owned("party"),
  /** Collected for a ramp and not paid out yet, by the id of the payment. */
  ramp: owned("ramp"),
  /**
   * Money that a provider moved for a payment and that is not allocated, by attempt. Positive: received. Negative:
   * taken back or paid out.
   */
  clearing: (id: PaymentId, attempt: AttemptId, currency: AnyCurrencyCode) =>
    brand(`clearing/${id}/${attempt}/${currency}`),
  /** Receivable from an organisation after a chargeback, below zero. Its next credits pay it. */
  receivable: owned("receivable"),
  /** Below zero is what the provider owes: through the platform's account, or through that of a configuration. */
  provider: (name: ProviderName, currency: AnyCurrencyCode, account: ConfigId | null = null) =>
    brand(account === null ? `provider/${name}/${currency}` : `provider/${name}/${account}/${currency}`),
  fees: shared("fees"),
  fx: shared("fx"),
  /** Transfers to virtual accounts that fit no account, until an operator decides. */
  suspense: shared("suspense"),
  /** A name that the database has checked. */
  stored: brand
} as const

export const kindOf = (account: LedgerAccount): AccountKind => account.slice(0, account.indexOf("/")) as AccountKind

/** The virtual account that an account of the ledger is; null: another kind. */
export const virtualAccountIn = (account: LedgerAccount | null): AccountId | null =>
  account !== null && kindOf(account) === "virtual" ? AccountId.make(account.split("/")[1]!) : null

export const keepsBalance = (account: LedgerAccount): boolean =>
  (keptKinds as ReadonlyArray<string>).includes(kindOf(account))

export const currencyOf = (account: LedgerAccount): AnyCurrencyCode => {
  const code = account.slice(account.lastIndexOf("/") + 1)
  if (!isAnyCurrencyCode(code)) throw new Error(`${account} is in no currency`)
  return code
}

/** At which provider it is, and through whose account there: a configuration's, or null for the platform's. */
export const providerIn = (account: LedgerAccount): { readonly provider: string; readonly account: string | null } => {
  const [, provider = "", ...rest] = account.split("/")
  return { provider, account: rest.length > 1 ? rest[0]! : null }
}

/** Of an account in the name of a party: the party. */
export const partyIn = (account: LedgerAccount): string => account.split("/")[1] ?? ""

/** The organisation that an account names itself; null where it names something else. */
const ownerNamedBy = (account: LedgerAccount): string | null => {
  const [kind, id = null] = account.split("/")
  return ["settlement", "held", "reserve", "own", "receivable"].includes(kind ?? "") ? id : null
}

export interface Posting {
  readonly account: LedgerAccount
  /** Above zero: the account gets it. */
  readonly amount: Money
}

/** Subject of an entry. */
export const entryKinds = [
  "payin",
  "payout_hold",
  "payout",
  "payout_release",
  "payout_return",
  "refund_hold",
  "refund",
  "refund_release",
  "reserve_hold",
  "reserve_release",
  "fee",
  "deposit",
  "incoming_transfer",
  "transfer",
  "withdrawal_hold",
  "withdrawal",
  "withdrawal_release",
  "withdrawal_return",
  "escrow_fund",
  "escrow_disburse",
  "escrow_return",
  "party_payout",
  "ramp_collect",
  "ramp_settle",
  "ramp_return",
  "clearing",
  "receivable_payment",
  "adjustment"
] as const
export type EntryKind = (typeof entryKinds)[number]

/** A ledger entry. Its id is written once: the same entry again is refused. */
export interface Entry {
  readonly entry_id: string
  /** Whose business it is; every account with a floor in it belongs to this organisation. */
  readonly org_id: OrgId | null
  readonly kind: EntryKind
  readonly payment_id: PaymentId | null
  readonly reference: string | null
  readonly postings: ReadonlyArray<Posting>
}

export const posting = (account: LedgerAccount, amount: Money): Posting => {
  if (!account.endsWith(`/${amount.currency}`)) throw new Error(`${amount.toString()} cannot be posted to ${account}`)
  return { account, amount }
}

export const move = (from: LedgerAccount, to: LedgerAccount, amount: Money): readonly [Posting, Posting] => {
  if (amount.isNegative) throw new Error(`cannot move ${amount.toString()} from ${from}: turn the accounts round`)
  return [posting(from, amount.negate()), posting(to, amount)]
}

/** One posting for each account, in the order in which they come up; none where nothing is left. */
export const combine = (postings: ReadonlyArray<Posting>): ReadonlyArray<Posting> => {
  const sums = new Map<LedgerAccount, Money>()
  for (const one of postings) {
    const { account, amount } = posting(one.account, one.amount)
    const minor = (sums.get(account)?.minor ?? 0n) + amount.minor
    sums.set(account, new Money({ currency: amount.currency, minor }))
  }
  return Array.from(sums, ([account, amount]) => ({ account, amount })).filter(({ amount }) => !amount.isZero)
}

/** Sums that are not zero, by currency. */
export const leftOver = (postings: ReadonlyArray<Posting>): ReadonlyArray<Money> => {
  const sums = new Map<AnyCurrencyCode, bigint>()
  for (const { amount } of postings) sums.set(amount.currency, (sums.get(amount.currency) ?? 0n) + amount.minor)
  return Array.from(sums, ([currency, minor]) => new Money({ currency, minor })).filter(({ isZero }) => !isZero)
}

export const isBalanced = ({ postings }: Pick<Entry, "postings">): boolean => leftOver(postings).length === 0

/** The postings as they are written. An entry that creates money, or touches another organisation's, is a bug. */
export const balancedPostings = (entry: Entry): ReadonlyArray<Posting> => {
  const postings = combine(entry.postings)
  const [over] = leftOver(postings)
  if (over !== undefined) {
    throw new Error(`entry ${entry.entry_id} (${entry.kind}) does not balance: ${over.toString()} are left over`)
  }
  for (const { account } of postings) {
    const owner = ownerNamedBy(account)
    const stranger = owner === null ? keepsBalance(account) && entry.org_id === null : owner !== entry.org_id
    if (stranger) throw new Error(`entry ${entry.entry_id} (${entry.kind}) of ${entry.org_id} touches ${account}`)
  }
  return postings
}
