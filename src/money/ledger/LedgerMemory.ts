/** The ledger in memory, with floors and refusals. */
import { BigDecimal, Clock, Effect, Layer, Option, Either } from "effect"
import { dateOf } from "../../domain/CalendarDate.ts"
import { newestFirst, openTables, seenIn, type Opened, memoryTable } from "../../platform/database/MemoryDatabase.ts"
import { toPlainText } from "../../domain/Decimal.ts"
import { InsufficientFunds } from "../../domain/Failure.ts"
import {
  combine,
  currencyOf,
  keepsBalance,
  kindOf,
  LedgerAccount,
  leftOver,
  platformKinds,
  providerIn,
  type Entry,
  move,
  balancedPostings
} from "../../domain/Ledger.ts"
import { Money } from "../../domain/Money.ts"
import {
  byKind,
  platformBalanceOf,
  type StoredPosting,
  LedgerStore,
  type StoredBalance,
  type StoredLimit
} from "./LedgerStore.ts"
import {
  type ComparedAccount,
  type DifferingReserve,
  MOST_NAMED,
  problemsOf,
  type UnbalancedEntry
} from "./LedgerCheck.ts"
import type { OrgId, PaymentId } from "../../domain/Ids.ts"

export const ledgerTables = {
  ledgerPostings: memoryTable<StoredPosting>("ledgerPostings"),
  ledgerBalances: memoryTable<StoredBalance, LedgerAccount>("ledgerBalances"),
  ledgerLimits: memoryTable<StoredLimit>("ledgerLimits")
}

/** Reserve held of each payment, and the time of its next release; null: all is released. */
export const reserveTables = {
  reserves: memoryTable<{ readonly org_id: OrgId; readonly held: Money; readonly release_at: Date | null }, PaymentId>(
    "reserves"
  )
}

/** Organisations, as far as their floors depend on it. */
const sandboxTables = { organizations: memoryTable<{ readonly sandbox: boolean }>("organizations") }

type Tables = Opened<typeof ledgerTables & typeof sandboxTables>

const limitKey = (orgId: OrgId, currency: string): string => `${orgId} ${currency}`

const postingKey = (entryId: string, account: LedgerAccount): string => `${entryId} ${account}`

/** The floor that an account has by its kind and its organisation's credit limit. */
const floorOf = (tables: Tables, account: LedgerAccount, orgId: OrgId): Money | null => {
  const currency = currencyOf(account)
  const kind = kindOf(account)
  if (kind === "own" || kind === "clearing" || kind === "receivable") return null
  if (kind !== "settlement") return Money.zero(currency)
  const limit = tables.ledgerLimits.get(limitKey(orgId, currency))
  if (limit !== undefined) return limit.credit_limit.negate()
  return tables.organizations.get(orgId)?.sandbox === true ? null : Money.zero(currency)
}

const balanceOrNew = (tables: Tables, account: LedgerAccount, orgId: OrgId): StoredBalance =>
  tables.ledgerBalances.get(account) ?? {
    account,
    org_id: orgId,
    balance: Money.zero(currencyOf(account)),
    floor: floorOf(tables, account, orgId)
  }

const isShort = ({ balance, floor }: StoredBalance): boolean => floor !== null && balance.minor < floor.minor

/** Posts as the database's triggers do: all or nothing. Throws for an entry that must not be, as the database does. */
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

const groupedBy = <Row>(rows: Iterable<Row>, key: (row: Row) => string): ReadonlyMap<string, ReadonlyArray<Row>> => {
  const groups = new Map<string, Array<Row>>()
  for (const row of rows) {
    const group = groups.get(key(row))
    if (group === undefined) groups.set(key(row), [row])
    else group.push(row)
  }
  return groups
}

const sumOf = (account: LedgerAccount, rows: ReadonlyArray<StoredPosting>): Money =>
  new Money({ currency: currencyOf(account), minor: rows.reduce((sum, { amount }) => sum + amount.minor, 0n) })

/** The sums, in the order of their currencies. */
const inEachCurrency = (amounts: ReadonlyArray<Money>): ReadonlyArray<Money> => {
  const groups = groupedBy(amounts, ({ currency }) => currency)
  return Array.from(groups.keys())
    .toSorted()
    .map((key) => {
      const all = groups.get(key)!
      return new Money({ currency: all[0]!.currency, minor: all.reduce((sum, { minor }) => sum + minor, 0n) })
    })
}

export const ledgerStoreMemory = Layer.effect(
  LedgerStore,
  Effect.map(openTables({ ...sandboxTables, ...ledgerTables, ...reserveTables }), (tables) => {
    const { ledgerBalances, ledgerLimits, ledgerPostings } = tables

    const balanceOf = (account: LedgerAccount): Money =>
      keepsBalance(account)
        ? (ledgerBalances.get(account)?.balance ?? Money.zero(currencyOf(account)))
        : sumOf(
            account,
            ledgerPostings.all((row) => row.account === account)
          )

    const one = (account: LedgerAccount) => Effect.sync(() => balanceOf(account))
    const several = (accounts: ReadonlyArray<LedgerAccount>) =>
      Effect.sync(() => new Map(accounts.map((account) => [account, balanceOf(account)])))

    const compared = (
      posted: ReadonlyMap<string, ReadonlyArray<StoredPosting>>
    ): ReadonlyArray<typeof ComparedAccount.Type> =>
      Array.from(new Set([...posted.keys(), ...ledgerBalances.keys()]), (name) => LedgerAccount.stored(name))
        .filter(keepsBalance)
        .sort()
        .map((account) => {
          const rows = posted.get(account) ?? []
          const row = ledgerBalances.get(account)
          const sum = sumOf(account, rows)
          const due = row === undefined ? null : floorOf(tables, account, row.org_id)
          return {
            account,
            posted: sum.toNumericText(),
            balance: row?.balance.toNumericText() ?? null,
            floor: row?.floor?.toNumericText() ?? null,
            due_floor: due?.toNumericText() ?? null,
            differs: row?.balance.minor !== sum.minor,
            below: row !== undefined && isShort(row),
            floor_differs: row !== undefined && row.floor?.minor !== due?.minor,
            foreign: rows.some(({ org_id }) => org_id !== row?.org_id)
          }
        })
        .filter((row) => row.differs || row.below || row.floor_differs || row.foreign)
        .slice(0, MOST_NAMED)

    const differingReserves = (): ReadonlyArray<typeof DifferingReserve.Type> => {
      const open = tables.reserves
        .all()
        .flatMap(({ held, org_id, release_at }) =>
          release_at === null ? [] : [{ account: LedgerAccount.reserve(org_id, held.currency), amount: held }]
        )
      const sums = new Map(combine(open).map(({ account, amount }) => [account, amount]))
      const names = [...sums.keys(), ...Array.from(ledgerBalances.keys()).filter((name) => kindOf(name) === "reserve")]
      return Array.from(new Set(names))
        .toSorted()
        .map((account) => ({ account, balance: balanceOf(account), open: sums.get(account)?.minor ?? 0n }))
        .filter(({ balance, open: held }) => balance.minor !== held)
        .map(({ account, balance, open: minor }) => ({
          account,
          balance: balance.toNumericText(),
          open: new Money({ currency: balance.currency, minor }).toNumericText()
        }))
        .slice(0, MOST_NAMED)
    }

    const unbalanced = (
      entries: ReadonlyMap<string, ReadonlyArray<StoredPosting>>
    ): ReadonlyArray<typeof UnbalancedEntry.Type> =>
      Array.from(entries)
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .flatMap(([entry_id, rows]) =>
          leftOver(rows).map((over) => ({ entry_id, currency: over.currency, left_over: over.toNumericText() }))
        )
        .slice(0, MOST_NAMED)

    return {
      post: (entries) =>
        tables.atomically(Effect.flatMap(Clock.currentTimeMillis, (now) => postInMemory(tables, entries, now))),
      balance: one,
      balances: several,
      lockedBalance: one,
      lockedBalances: several,
      balancesOf: (scope, { after, take } = { after: Option.none() }) =>
        Effect.sync(() =>
          ledgerBalances
            .all(
              seenIn(scope),
              ({ account, balance }) => !balance.isZero || /^(settlement|held)\//.test(account),
              ({ account }) => Option.isNone(after) || account > after.value
            )
            .sort((a, b) => (a.account < b.account ? -1 : 1))
            .slice(0, take)
        ),
      balancesWithFloors: (orgId, accounts) =>
        Effect.sync(() => accounts.map((account) => balanceOrNew(tables, account, orgId))),
      platformBalances: Effect.sync(() => {
        const isWatched = (account: LedgerAccount) =>
          (platformKinds as ReadonlyArray<string>).includes(kindOf(account)) && keepsBalance(account)
        const posted = ledgerPostings.all(({ account }) => !keepsBalance(account))
        const own = combine(posted).map(({ account, amount }) => platformBalanceOf(account, amount))
        const waiting = ledgerBalances
          .all(({ account, balance }) => isWatched(account) && !balance.isZero)
          .map(({ account, balance }) => ({ balance, name: `${kindOf(account)}/${balance.currency}` }))
        const sums = Array.from(
          groupedBy(waiting, ({ name }) => name),
          ([name, rows]) => {
            const [sum] = inEachCurrency(rows.map(({ balance }) => balance))
            return platformBalanceOf(LedgerAccount.stored(name), sum!, rows.length)
          }
        )
        return [...own, ...sums].toSorted(byKind)
      }),
      settlementChangesAfter: (scope, date) =>
        Effect.sync(() => {
          const own = ledgerBalances.all((row) => kindOf(row.account) === "settlement" && seenIn(scope)(row))
          const names = new Set(own.map(({ account }) => account))
          const later = Array.from(ledgerPostings.values(), (row) => ({
            ...row,
            date: dateOf(row.created_at.getTime())
          })).filter((row) => names.has(row.account) && row.date > date)
          const days = groupedBy(later, (row) => `${row.date} ${row.amount.currency}`)
          return {
            now: inEachCurrency(own.map(({ balance }) => balance)),
            moved: Array.from(days.keys())
              .toSorted()
              .flatMap((key) => {
                const rows = days.get(key)!
                return inEachCurrency(rows.map(({ amount }) => amount)).map((net) => ({ date: rows[0]!.date, net }))
              })
          }
        }),
      setLimit: ({ credit_limit, currency, org_id }) =>
        tables.atomically(
          Effect.suspend(() => {
            const key = limitKey(org_id, currency)
            const before = Option.fromNullable(ledgerLimits.get(key)?.credit_limit)
            if (credit_limit === null) ledgerLimits.delete(key)
            else ledgerLimits.set(key, { org_id, currency, credit_limit })
            const account = LedgerAccount.settlement(org_id, currency)
            const row = { ...balanceOrNew(tables, account, org_id), floor: floorOf(tables, account, org_id) }
            if (isShort(row)) return new InsufficientFunds({ account })
            ledgerBalances.set(account, row)
            return Effect.succeed(before)
          })
        ),
      postings: (scope, account, window) =>
        Effect.sync(() => {
          const own = ledgerPostings.all((row) => row.account === account && seenIn(scope)(row))
          return newestFirst(own, (row) => row.entry_id, window)
        }),
      clearingOf: (paymentId) =>
        Effect.sync(() =>
          ledgerBalances
            .all(({ account, balance }) => account.startsWith(`clearing/${paymentId}/`) && !balance.isZero)
            .toSorted((a, b) => (a.account < b.account ? -1 : 1))
            .map(({ account, balance }) => ({ about: account.split("/")[2]!, money: balance }))
        ),
      atProviders: (paymentId) =>
        Effect.sync(() => {
          const rows = tables.ledgerPostings.all(
            ({ account, payment_id }) => payment_id === paymentId && kindOf(account) === "provider"
          )
          return combine(rows)
            .map(({ account, amount }) => ({ account, money: amount.negate() }))
            .toSorted((a, b) => (a.account < b.account ? -1 : 1))
            .map(({ account, money }) => ({ ...providerIn(account), money }))
        }),
      closeDays: Effect.succeed(0),
      check: Effect.sync(() => {
        const rows = ledgerPostings.all()
        const entries = groupedBy(rows, ({ entry_id }) => entry_id)
        const accounts = groupedBy(rows, ({ account }) => account)
        const books = leftOver(rows).map((over) => ({ currency: over.currency, left_over: over.toNumericText() }))
        return {
          entries: entries.size,
          postings: rows.length,
          accounts: new Set([...accounts.keys(), ...ledgerBalances.keys()]).size,
          balances: ledgerBalances.size,
          rounding: { totals: [], unchecked: 0 },
          fx: inEachCurrency(rows.flatMap(({ account, amount }) => (kindOf(account) === "fx" ? [amount] : [])))
            .filter(({ isZero }) => !isZero)
            .map((money) => ({
              currency: money.currency,
              balance: toPlainText(BigDecimal.normalize(money.toDecimal()))
            })),
          problems: problemsOf({
            books,
            entries: unbalanced(entries),
            accounts: compared(accounts),
            // The rows that these compare, of payments, rates and simulated providers, are not among these tables.
            exchanges: [],
            providers: [],
            reserves: differingReserves(),
            simulators: [],
            unknown: Array.from(new Set(rows.map(({ org_id }) => org_id)))
              .flatMap((org_id) => (org_id === null || tables.organizations.has(org_id) ? [] : [{ org_id }]))
              .slice(0, MOST_NAMED)
          })
        }
      })
    }
  })
)
