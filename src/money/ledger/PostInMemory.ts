/** Posts entries in memory as the database's triggers do: all or nothing. */
import { type Opened, memoryTable } from "../../platform/database/MemoryDatabase.ts"
import { Either } from "effect"
import type { OrgId } from "../../domain/Ids.ts"
import { InsufficientFunds } from "../../domain/Failure.ts"
import {
  currencyOf,
  type Entry,
  keepsBalance,
  kindOf,
  LedgerAccount,
  move,
  balancedPostings
} from "../../domain/Ledger.ts"
import { Money } from "../../domain/Money.ts"
import type { StoredBalance, StoredLimit, StoredPosting } from "./LedgerStore.ts"

export const ledgerTables = {
  ledgerPostings: memoryTable<StoredPosting>("ledgerPostings"),
  ledgerBalances: memoryTable<StoredBalance, LedgerAccount>("ledgerBalances"),
  ledgerLimits: memoryTable<StoredLimit>("ledgerLimits")
}

/** Organisations, as far as their floors depend on it. */
export const sandboxTables = { organizations: memoryTable<{ readonly sandbox: boolean }>("organizations") }

type Tables = Opened<typeof ledgerTables & typeof sandboxTables>

export const limitKey = (orgId: OrgId, currency: string): string => `${orgId} ${currency}`

const postingKey = (entryId: string, account: LedgerAccount): string => `${entryId} ${account}`

/** The floor that an account has by its kind and its organisation's credit limit. */
export const floorOf = (tables: Tables, account: LedgerAccount, orgId: OrgId): Money | null => {
  const currency = currencyOf(account)
  const kind = kindOf(account)
  if (kind === "own" || kind === "clearing" || kind === "receivable") return null
  if (kind !== "settlement") return Money.zero(currency)
  const limit = tables.ledgerLimits.get(limitKey(orgId, currency))
  if (limit !== undefined) return limit.credit_limit.negate()
  return tables.organizations.get(orgId)?.sandbox === true ? null : Money.zero(currency)
}

export const balanceOrNew = (tables: Tables, account: LedgerAccount, orgId: OrgId): StoredBalance =>
  tables.ledgerBalances.get(account) ?? {
    account,
    org_id: orgId,
    balance: Money.zero(currencyOf(account)),
    floor: floorOf(tables, account, orgId)
  }

export const isShort = ({ balance, floor }: StoredBalance): boolean => floor !== null && balance.minor < floor.minor

/** Throws for an entry that must not be, as the database does. */
export const postInMemory = (
  tables: Tables,
  entries: ReadonlyArray<Entry>,
  now: number
): Either.Either<void, InsufficientFunds> => {
  const written = entries.flatMap(({ postings: _, ...entry }, index) =>
    balancedPostings(entries[index]!).map((posting) => ({ ...entry, ...posting, created_at: new Date(now) }))
  )
  const balances = new Map<LedgerAccount, StoredBalance>()
  for (const { account, amount, entry_id, org_id } of written) {
    if (tables.ledgerPostings.has(postingKey(entry_id, account))) throw new Error(`entry ${entry_id} is posted already`)
    if (!keepsBalance(account) || org_id === null) continue
    const before = balances.get(account) ?? balanceOrNew(tables, account, org_id)
    if (before.org_id !== org_id) throw new Error(`${account} belongs to another organisation`)
    const balance = new Money({ currency: amount.currency, minor: before.balance.minor + amount.minor })
    balances.set(account, { ...before, balance })
  }
  const [short] = Array.from(balances.values(), (row) => (isShort(row) ? [row.account] : []))
    .flat()
    .sort()
  if (short !== undefined) return Either.left(new InsufficientFunds({ account: short }))
  for (const row of written) tables.ledgerPostings.set(postingKey(row.entry_id, row.account), row)
  for (const [account, row] of balances) tables.ledgerBalances.set(account, row)
  return payReceivables(tables, balances.values(), now)
}

/** Pays an organisation's debt from its settlement balance. */
const payReceivables = (
  tables: Tables,
  touched: Iterable<StoredBalance>,
  now: number
): Either.Either<void, InsufficientFunds> => {
  for (const { account, org_id } of touched) {
    if (kindOf(account) !== "settlement" && kindOf(account) !== "receivable") continue
    const currency = currencyOf(account)
    const [from, to] = [LedgerAccount.settlement(org_id, currency), LedgerAccount.receivable(org_id, currency)]
    const owed = -(tables.ledgerBalances.get(to)?.balance.minor ?? 0n)
    const has = tables.ledgerBalances.get(from)?.balance.minor ?? 0n
    const paid = owed < has ? owed : has
    if (paid <= 0n) continue
    const entry_id = `receivable ${tables.ledgerPostings.size}`
    const postings = move(from, to, new Money({ currency, minor: paid }))
    const entry = { entry_id, org_id, kind: "receivable_payment" as const, payment_id: null, reference: null, postings }
    const posted = postInMemory(tables, [entry], now)
    if (Either.isLeft(posted)) return posted
  }
  return Either.void
}
