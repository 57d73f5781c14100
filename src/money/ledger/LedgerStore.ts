/**
 * The books at rest. Callers post inside the transaction of the change that moved the money, with one call for each
 * transaction, and after they have locked their own rows; a refusal ends that transaction.
 */
import { SqlClient } from "@effect/sql"
import { Context, Effect, Layer, Option } from "effect"
import { firstRow, inScope, newest, type Scope, violates } from "../../platform/database/Query.ts"
import { moneyOf } from "../../platform/database/StoredMoney.ts"
import type { AnyCurrencyCode } from "../../domain/CryptoAsset.ts"
import { InsufficientFunds } from "../../domain/Failure.ts"
import { currencyOf, type Entry, keepsBalance, LedgerAccount, ownerOf } from "../../domain/Ledger.ts"
import { Money } from "../../domain/Money.ts"
import type { Window } from "../../platform/database/Window.ts"
import type { BooksReport, CreditLimit, StoredBalance, StoredPosting } from "./Books.ts"
import { checkBooks } from "./BooksCheckSql.ts"
import { ledgerStoreMemory } from "./LedgerMemory.ts"
import { insufficientFundsOf, postingRows, postStatement } from "./PostingSql.ts"

export type Balances = ReadonlyMap<LedgerAccount, Money>

export interface Store {
  /** All of the entries or none. Postings of nothing are left out. */
  readonly post: (entries: ReadonlyArray<Entry>) => Effect.Effect<void, InsufficientFunds>
  /** Of any account; one that nothing was posted to has nothing. */
  readonly balance: (account: LedgerAccount) => Effect.Effect<Money>
  readonly balances: (accounts: ReadonlyArray<LedgerAccount>) => Effect.Effect<Balances>
  /**
   * The same, and nobody else posts to those with a floor until the transaction ends. Name every account that the
   * transaction will post to, in one call: locks that come one by one can stop each other.
   */
  readonly lockedBalances: (accounts: ReadonlyArray<LedgerAccount>) => Effect.Effect<Balances>
  /** For a transaction that posts to no other account with a floor whose name comes before this one. */
  readonly lockedBalance: (account: LedgerAccount) => Effect.Effect<Money>
  /** In the order of their names; of accounts that come and go, those with something on them. */
  readonly balancesOf: (scope: Scope) => Effect.Effect<ReadonlyArray<StoredBalance>>
  /** Inside a transaction. Answers with the limit that was set before; fails when the account is further down already. */
  readonly setLimit: (limit: CreditLimit) => Effect.Effect<Option.Option<Money>, InsufficientFunds>
  readonly postings: (
    scope: Scope,
    account: LedgerAccount,
    window: Window
  ) => Effect.Effect<ReadonlyArray<StoredPosting>>
  /** What waits in suspense because of this payment, for each currency in which something does. */
  readonly suspenseOf: (paymentId: string) => Effect.Effect<ReadonlyArray<InSuspense>>
  /** What each provider has because of this payment, where it has anything; below zero where it gave more than it got. */
  readonly atProviders: (paymentId: string) => Effect.Effect<ReadonlyArray<AtProvider>>
  readonly check: Effect.Effect<BooksReport>
}

export interface AtProvider {
  readonly provider: string
  readonly money: Money
}

/** Money in suspense, and what brought it there: the first word of its entries' reference. */
export interface InSuspense {
  readonly about: string
  readonly money: Money
}

/** What was settled before settlements named their attempt stands under the payment's own id, and is taken off here. */
const withoutOldSettlements = (paymentId: string, rows: ReadonlyArray<InSuspense>): ReadonlyArray<InSuspense> => {
  const old = new Map(rows.filter(({ about }) => about === paymentId).map(({ money }) => [money.currency, money.minor]))
  return rows
    .filter(({ about }) => about !== paymentId)
    .map(({ about, money }) => {
      const settled = old.get(money.currency) ?? 0n
      const opposite = settled > 0n !== money.minor > 0n && settled !== 0n
      const off = !opposite ? 0n : -settled > money.minor === money.minor > 0n ? -money.minor : settled
      old.set(money.currency, settled - off)
      return { about, money: new Money({ currency: money.currency, minor: money.minor + off }) }
    })
    .filter(({ money }) => !money.isZero)
}

interface AmountRow {
  readonly account: LedgerAccount
  readonly amount: string
}

const byAccount = (asked: ReadonlyArray<LedgerAccount>, rows: ReadonlyArray<AmountRow>): Balances => {
  const found = new Map(rows.map(({ account, amount }) => [account, amount]))
  return new Map(
    asked.map((account) => {
      const amount = found.get(account)
      const currency = currencyOf(account)
      return [account, amount === undefined ? Money.zero(currency) : moneyOf(amount, currency)]
    })
  )
}

type PostingRow = Omit<StoredPosting, "amount"> & AmountRow

interface BalanceRow {
  readonly account: LedgerAccount
  readonly org_id: string
  readonly balance: string
  readonly floor: string | null
}

const balanceOfRow = ({ account, balance, floor, org_id }: BalanceRow): StoredBalance => {
  const currency = currencyOf(account)
  return {
    account,
    org_id,
    balance: moneyOf(balance, currency),
    floor: floor === null ? null : moneyOf(floor, currency)
  }
}

const postingOfRow = ({ amount, ...row }: PostingRow): StoredPosting => ({
  ...row,
  amount: moneyOf(amount, currencyOf(row.account))
})

export class LedgerStore extends Context.Tag("corridor/LedgerStore")<LedgerStore, Store>() {
  static readonly layer = Layer.effect(
    LedgerStore,
    Effect.map(SqlClient.SqlClient, (sql): Store => {
      const within = (accounts: ReadonlyArray<LedgerAccount>) => sql.in("account", accounts)

      const kept = (accounts: ReadonlyArray<LedgerAccount>, lock: "" | "for no key update") =>
        sql<AmountRow>`select account, balance as amount from ledger_balances where ${within(accounts)}
          order by account collate "C" ${sql.literal(lock)}`

      const summed = (accounts: ReadonlyArray<LedgerAccount>) =>
        sql<AmountRow>`select account, sum(amount) as amount from ledger_postings where ${within(accounts)}
          group by account`

      const balancesBy = (lock: "" | "for no key update") =>
        Effect.fnUntraced(function* (asked: ReadonlyArray<LedgerAccount>) {
          const [system, owned] = [asked.filter((one) => !keepsBalance(one)), asked.filter(keepsBalance)]
          const rows = owned.length === 0 ? [] : yield* kept(owned, lock)
          const sums = system.length === 0 ? [] : yield* summed(system)
          return byAccount(asked, [...rows, ...sums])
        }, Effect.orDie)

      const balances = balancesBy("")
      const lockedBalances = balancesBy("for no key update")
      const only = (account: LedgerAccount, found: Effect.Effect<Balances>) =>
        Effect.map(found, (amounts) => amounts.get(account)!)

      const limitOf = (org_id: string, currency: AnyCurrencyCode) =>
        sql<{ readonly credit_limit: string }>`select credit_limit from ledger_limits
          where org_id = ${org_id} and currency = ${currency}`.pipe(
          Effect.map((rows) => Option.map(firstRow(rows), (row) => moneyOf(row.credit_limit, currency)))
        )

      return {
        post: (entries) =>
          Effect.suspend(() => {
            const rows = postingRows(entries)
            if (rows.length === 0) return Effect.void
            return sql.unsafe(postStatement, [JSON.stringify(rows)]).pipe(
              Effect.asVoid,
              Effect.catchAll((error) =>
                Option.match(insufficientFundsOf(error), { onNone: () => Effect.die(error), onSome: Effect.fail })
              )
            )
          }),
        balance: (account) => only(account, balances([account])),
        balances,
        lockedBalance: (account) => only(account, lockedBalances([account])),
        lockedBalances,
        balancesOf: (scope) =>
          sql<BalanceRow>`select account, org_id, balance, floor from ledger_balances
            where ${inScope(sql, scope)} and (balance <> 0 or account like 'settlement/%' or account like 'held/%')
            order by account collate "C"`.pipe(
            Effect.map((rows) => rows.map(balanceOfRow)),
            Effect.orDie
          ),
        setLimit: Effect.fnUntraced(function* ({ credit_limit, currency, org_id }) {
          const account = LedgerAccount.settlement(org_id, currency)
          // One at a time for each organisation: the limit and the floor that follows from it must agree.
          yield* Effect.orDie(sql`select from organizations where org_id = ${org_id} for no key update`)
          const before = yield* Effect.orDie(limitOf(org_id, currency))
          yield* Effect.orDie(
            credit_limit === null
              ? sql`delete from ledger_limits where org_id = ${org_id} and currency = ${currency}`
              : sql`insert into ledger_limits (org_id, currency, credit_limit)
                  values (${org_id}, ${currency}, ${credit_limit.toNumericText()})
                  on conflict (org_id, currency) do update set credit_limit = excluded.credit_limit, updated_at = now()`
          )
          // Made if it is not there: a posting that makes it at this moment would not see the new limit.
          yield* sql`insert into ledger_balances (account, org_id, currency, floor)
            values (${account}, ${org_id}, ${currency}, ledger_floor(${account}, ${org_id}, ${currency}))
            on conflict (account) do update set floor = excluded.floor`.pipe(
            Effect.catchAll((error) =>
              violates(error, "ledger_balances_floor")
                ? Effect.fail(new InsufficientFunds({ account }))
                : Effect.die(error)
            )
          )
          return before
        }),
        postings: (scope, account, window) =>
          sql<PostingRow>`select entry_id, org_id, account, amount, kind, payment_id, reference, created_at
            from ledger_postings where account = ${account} and ${inScope(sql, scope)}
            ${newest(sql, "entry_id", window)}`.pipe(
            Effect.map((rows) => rows.map(postingOfRow)),
            Effect.orDie
          ),
        suspenseOf: (paymentId) =>
          sql<AmountRow & { readonly about: string }>`select split_part(reference, ' ', 1) as about, account,
              sum(amount) as amount
            from ledger_postings where payment_id = ${paymentId} and account like 'suspense/%'
            group by about, account having sum(amount) <> 0 order by about, account`.pipe(
            Effect.map((rows) =>
              withoutOldSettlements(
                paymentId,
                rows.map(({ about, account, amount }) => ({ about, money: moneyOf(amount, currencyOf(account)) }))
              )
            ),
            Effect.orDie
          ),
        atProviders: (paymentId) =>
          sql<AmountRow>`select account, -sum(amount) as amount from ledger_postings
            where payment_id = ${paymentId} and account like 'provider/%'
            group by account having sum(amount) <> 0 order by account collate "C"`.pipe(
            Effect.map((rows) =>
              rows.map(({ account, amount }) => ({
                provider: ownerOf(account),
                money: moneyOf(amount, currencyOf(account))
              }))
            ),
            Effect.orDie
          ),
        check: Effect.provideService(checkBooks, SqlClient.SqlClient, sql)
      }
    })
  )

  static readonly layerMemory = Layer.effect(LedgerStore, ledgerStoreMemory)
}
