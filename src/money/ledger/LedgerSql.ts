/**
 * The ledger in PostgreSQL.
 *
 * Postings are written alone or as part of a larger statement. Triggers refuse entries that do not balance, update
 * balances in the order of their names, and enforce floors, once for each statement.
 *
 * A transaction posts with one statement, after it has locked its own rows. Two statements would lock balances in no
 * fixed order and could deadlock.
 */
import { SqlClient, type SqlError } from "@effect/sql"
import { Effect, Layer, Option, Schema, Duration } from "effect"
import type { OrgId, PaymentId } from "../../domain/Ids.ts"
import { AnyCurrencyCode } from "../../domain/Currency.ts"
import { InsufficientFunds } from "../../domain/Failure.ts"
import {
  currencyOf,
  keepsBalance,
  LedgerAccount,
  providerIn,
  type Entry,
  balancedPostings
} from "../../domain/Ledger.ts"
import { Money } from "../../domain/Money.ts"
import {
  failOrDie,
  orDatabaseFailure,
  type Stored,
  orTransactionFailure
} from "../../platform/database/DatabaseFailure.ts"
import {
  inScope,
  newest,
  ownedBy,
  ownedIn,
  violates,
  sameOrg,
  rowsAs,
  moneyOf,
  query,
  tryLock
} from "../../platform/database/Query.ts"
import { unlimited } from "../../platform/database/Transactor.ts"
import {
  BalanceRow,
  byKind,
  PostingRow,
  platformBalanceOf,
  type StoredBalance,
  type StoredPosting,
  type Balances,
  LedgerStore
} from "./LedgerStore.ts"
import { AccountName } from "./LedgerCheck.ts"
import { checkLedger } from "./LedgerCheckSql.ts"
import { booksClosingDelay, postingPatience, postingPause } from "../../domain/policies/PaymentPolicies.ts"

interface PostingToWrite {
  readonly entry_id: string
  readonly org_id: OrgId | null
  readonly account: LedgerAccount
  readonly currency: string
  readonly amount: string
  readonly kind: string
  readonly payment_id: PaymentId | null
  readonly reference: string | null
}

const types = {
  entry_id: "uuid",
  org_id: "uuid",
  account: "text",
  currency: "text",
  amount: "numeric",
  kind: "text",
  payment_id: "uuid",
  reference: "text"
} satisfies Record<keyof PostingToWrite, string>

export const postingNames = Object.keys(types)

/** For `insert into ledger_postings (…) select …`. */
export const postingColumns = postingNames.join(", ")

/** For `jsonb_to_recordset(…) as p (…)`. */
export const postingRecord = Object.entries(types)
  .map(([name, type]) => `${name} ${type}`)
  .join(", ")

/** Rows of ledger entries, ready for JSON. Throws for an invalid entry: that is a bug of its caller. */
export const postingRows = (entries: ReadonlyArray<Entry>): ReadonlyArray<PostingToWrite> =>
  entries.flatMap((entry) => {
    const { entry_id, kind, org_id, payment_id, reference } = entry
    return balancedPostings(entry).map(({ account, amount }) => ({
      entry_id,
      org_id,
      account,
      currency: amount.currency,
      amount: amount.toNumericText(),
      kind,
      payment_id,
      reference
    }))
  })

/** $1: the rows as JSON. */
export const postStatement = `
  insert into ledger_postings (${postingColumns})
  select ${postingColumns} from jsonb_to_recordset($1::jsonb) as p (${postingRecord})`

/** A violated floor, with its account. */
export const insufficientFundsOf = (error: SqlError.SqlError): Option.Option<InsufficientFunds> => {
  const { detail } = error.cause as { readonly detail?: string }
  return violates(error, "ledger_balances_floor") && detail !== undefined
    ? Option.some(new InsufficientFunds({ account: LedgerAccount.stored(detail) }))
    : Option.none()
}

/** As in the database's `ledger_posted_late`. */
const LOCK = 7_402_118_617

const planRow = query(Schema.Struct({ target: Schema.String, is_due: Schema.Boolean }))
const differsRow = query(Schema.Struct({ differs: Schema.Boolean }))
const daysRow = query(Schema.Struct({ days: Schema.Number }))
const writerRows = query(Schema.Struct({ writer: Schema.String }))

const utc = (date: string) => `(${date})::timestamp at time zone 'UTC'`

const closedUntil = `coalesce((select ${utc("before")} from ledger_closed), '-infinity'::timestamptz)`

/** Always true. With an upper bound the planner expects few rows and uses the index; without, a third of the table. */
const isFew = "created_at < 'infinity'"

/** Net changes of settlement accounts after a day: stored for closed days, summed for others. */
const movedAfter = (sql: SqlClient.SqlClient, date: string) => sql`
  select d.date, own.currency, d.amount from own join ledger_days d on d.account = own.account and ${sql.literal(sameOrg("d.org_id", "own.org_id"))}
  where d.date > ${date}::date
  union all
  select open.date, own.currency, open.amount from own cross join lateral (
    select (created_at at time zone 'UTC')::date as date, sum(amount) as amount from ledger_postings p
    where p.account = own.account
      and created_at >= greatest((${date}::date + 1)::timestamp at time zone 'UTC', ${sql.literal(closedUntil)})
      and ${sql.literal(isFew)}
    group by 1
  ) open`

const closeLedgerDays = (sql: SqlClient.SqlClient): Stored<number> => {
  const plan = sql`select to_char(target, 'YYYY-MM-DD') as target,
      target > coalesce((select before from ledger_closed), '-infinity'::date) as is_due
    from (select ((now() - ${Duration.toSeconds(booksClosingDelay)} * interval '1 second') at time zone 'UTC')::date) t (target)`

  const writers = writerRows.all(sql`select distinct virtualtransaction as writer from pg_locks
    where locktype = 'relation' and relation = 'ledger_postings'::regclass and mode = 'RowExclusiveLock' and granted
      and database = (select oid from pg_database where datname = current_database())`)

  /** Whether all transactions that began before the day's end have finished; one may still post to that day. */
  const othersEnded = Effect.gen(function* () {
    const begun = new Set(Array.from(yield* writers, ({ writer }) => writer))
    const looks = Math.ceil(Duration.toMillis(postingPatience) / Duration.toMillis(postingPause))
    for (let look = 0; begun.size > 0 && look < looks; look += 1) {
      yield* Effect.sleep(postingPause)
      const still = new Set(Array.from(yield* writers, ({ writer }) => writer))
      for (const writer of begun) if (!still.has(writer)) begun.delete(writer)
    }
    return begun.size === 0
  })

  /** Stored and open sums must add up to the balance; a clock set back or a manual change breaks that. */
  const differs = sql.unsafe(`select exists (
      select from ledger_balances b where account like 'settlement/%' and balance <>
        coalesce((select sum(amount) from ledger_days d where d.account = b.account), 0)
        + coalesce((select sum(amount) from ledger_postings p
            where p.account = b.account and created_at >= ${closedUntil} and ${isFew}), 0)
    ) as differs`)

  const sumUp = (target: string) => sql`with summed as (
      insert into ledger_days (account, org_id, date, amount)
      select b.account, b.org_id, d.date, d.amount from ledger_balances b cross join lateral (
        select (created_at at time zone 'UTC')::date as date, sum(amount) as amount from ledger_postings p
        where p.account = b.account and created_at >= ${sql.literal(closedUntil)}
          and created_at < ${target}::date::timestamp at time zone 'UTC'
        group by 1
      ) d where b.account like 'settlement/%'
      returning date
    ), closed as (
      insert into ledger_closed (before) values (${target}::date)
      on conflict (one) do update set before = excluded.before
    )
    select count(distinct date)::int as days from summed`

  const close = (target: string) =>
    Effect.gen(function* () {
      const mine = yield* tryLock(sql, LOCK)
      const { is_due } = yield* planRow.one(plan)
      if (!mine || !is_due) return 0
      if ((yield* differsRow.one(differs)).differs) {
        yield* Effect.logWarning("The days of the books do not come to its balances: they are summed up anew")
        yield* sql`delete from ledger_days`
        yield* sql`delete from ledger_closed`
      }
      return (yield* daysRow.one(sumUp(target))).days
    })

  return Effect.gen(function* () {
    const { is_due, target } = yield* planRow.one(plan)
    // A long transaction may still post to that day: try again at the next run.
    if (!is_due || !(yield* othersEnded)) return 0
    return yield* unlimited(close(target))
  }).pipe(
    Effect.provideService(SqlClient.SqlClient, sql),
    orTransactionFailure,
    Effect.withSpan("LedgerStore.closeDays")
  )
}

const AmountRow = Schema.Struct({ account: AccountName, amount: Schema.String })

const amountsOf = query(AmountRow)
const balancesOf = query(BalanceRow)
const postingsOf = rowsAs(PostingRow)
const clearingRows = query(Schema.Struct({ about: Schema.String, ...AmountRow.fields }))
/** `date` null: the current balance. */
const settlementChangeRows = query(
  Schema.Struct({ date: Schema.NullOr(Schema.String), currency: AnyCurrencyCode, amount: Schema.String })
)
const platformRows = rowsAs(Schema.Struct({ ...AmountRow.fields, accounts: Schema.Int }))
const limitRow = query(Schema.Struct({ credit_limit: Schema.String }))

const moneyIn = ({ account, amount }: typeof AmountRow.Type): Money => moneyOf(amount, currencyOf(account))

const byAccount = (asked: ReadonlyArray<LedgerAccount>, rows: ReadonlyArray<typeof AmountRow.Type>): Balances => {
  const found = new Map(rows.map((row) => [row.account, moneyIn(row)]))
  return new Map(asked.map((account) => [account, found.get(account) ?? Money.zero(currencyOf(account))]))
}

const balanceOfRow = ({ account, balance, floor, org_id }: typeof BalanceRow.Type): StoredBalance => {
  const currency = currencyOf(account)
  return {
    account,
    org_id,
    balance: moneyOf(balance, currency),
    floor: floor === null ? null : moneyOf(floor, currency)
  }
}

/** Decodes rows of `ledger_postings`. */
export const storedPostings = (rows: ReadonlyArray<unknown>): Effect.Effect<ReadonlyArray<StoredPosting>> =>
  Effect.map(postingsOf(rows), (found) => found.map((row) => ({ ...row, amount: moneyIn(row) })))

export const ledgerStoreSql = Layer.effect(
  LedgerStore,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const within = (accounts: ReadonlyArray<LedgerAccount>) => sql.in("account", accounts)

    const kept = (accounts: ReadonlyArray<LedgerAccount>, lock: "" | "for no key update") =>
      amountsOf.all(sql`select account, balance as amount from ledger_balances where ${within(accounts)}
        order by account collate "C" ${sql.literal(lock)}`)

    const summed = (accounts: ReadonlyArray<LedgerAccount>) =>
      amountsOf.all(sql`select account, sum(amount) as amount from ledger_postings where ${within(accounts)}
        group by account`)

    const balancesBy = (lock: "" | "for no key update") =>
      Effect.fnUntraced(function* (asked: ReadonlyArray<LedgerAccount>) {
        const [system, owned] = [asked.filter((one) => !keepsBalance(one)), asked.filter(keepsBalance)]
        const rows = owned.length === 0 ? [] : yield* kept(owned, lock)
        const sums = system.length === 0 ? [] : yield* summed(system)
        return byAccount(asked, [...rows, ...sums])
      }, orDatabaseFailure)

    const balances = balancesBy("")
    const lockedBalances = balancesBy("for no key update")
    const only = (account: LedgerAccount, found: Stored<Balances>) =>
      Effect.map(found, (amounts) => amounts.get(account)!)

    const limitOf = (org_id: OrgId, currency: AnyCurrencyCode) =>
      sql`select credit_limit from ledger_limits
        where org_id = ${org_id} and currency = ${currency}`.pipe(
        limitRow.first,
        Effect.map(Option.map(({ credit_limit }) => moneyOf(credit_limit, currency)))
      )

    return {
      post: (entries) =>
        Effect.suspend(() => {
          const rows = postingRows(entries)
          if (rows.length === 0) return Effect.void
          return sql.unsafe(postStatement, [JSON.stringify(rows)]).pipe(
            Effect.asVoid,
            Effect.catchAll((error): Stored<never, InsufficientFunds> =>
              Option.match(insufficientFundsOf(error), {
                onNone: (): Stored<never, InsufficientFunds> => failOrDie(error),
                onSome: Effect.fail
              })
            )
          )
        }),
      balance: (account) => only(account, balances([account])),
      balances,
      lockedBalance: (account) => only(account, lockedBalances([account])),
      lockedBalances,
      balancesOf: (scope, { after, take } = { after: Option.none() }) =>
        sql`select account, org_id, balance, floor from ledger_balances
          where ${inScope(sql, scope)} and listed
            and account collate "C" > ${Option.getOrElse(after, () => "")}
          order by account collate "C" limit ${take ?? null}::bigint`.pipe(
          balancesOf.all,
          Effect.map((rows) => rows.map(balanceOfRow))
        ),
      balancesWithFloors: Effect.fnUntraced(function* (orgId, accounts) {
        const asked = accounts.map((account) => ({ account, currency: currencyOf(account) }))
        const found =
          yield* balancesOf.all(sql`select a.account, ${orgId}::uuid as org_id, coalesce(b.balance, 0) as balance,
            case when b.account is null then ledger_floor(a.account, ${orgId}, a.currency) else b.floor end as floor
          from jsonb_to_recordset(${JSON.stringify(asked)}::jsonb) as a (account text, currency text)
          left join lateral (select account, balance, floor from ledger_balances
            where account = a.account and ${ownedBy(sql, orgId)} limit 1) b on true`)
        const rows = new Map(found.map((row) => [row.account, balanceOfRow(row)]))
        return accounts.map((account) => rows.get(account)!)
      }, orDatabaseFailure),
      platformBalances: sql`select account, sum(amount)::text as amount, 1 as accounts from ledger_postings
          where not ledger_keeps_balance(account) group by account having sum(amount) <> 0
          union all
          select split_part(account, '/', 1) || '/' || currency, sum(balance)::text, count(*)::int from ledger_balances
          where waits and account not like 'ramp/%'
          group by 1`.pipe(
        Effect.flatMap(platformRows),
        Effect.map((rows) =>
          rows.map((row) => platformBalanceOf(row.account, moneyIn(row), row.accounts)).toSorted(byKind)
        ),
        unlimited,
        orDatabaseFailure,
        Effect.provideService(SqlClient.SqlClient, sql)
      ),
      // One statement, so that balances and changes are of one snapshot.
      settlementChangesAfter: (scope, date) =>
        sql`with own as (
            select account, org_id, currency, balance from ledger_balances
            where ${inScope(sql, scope)} and account like 'settlement/%'
          )
          select null as date, currency, sum(balance)::text as amount from own group by currency
          union all
          select to_char(later.date, 'YYYY-MM-DD') as date, currency, sum(later.amount)::text as amount
          from (${movedAfter(sql, date)}) later
          group by later.date, currency
          order by date, currency`.pipe(
          settlementChangeRows.all,
          Effect.map((rows) => ({
            now: rows.flatMap(({ amount, currency, date }) => (date === null ? [moneyOf(amount, currency)] : [])),
            moved: rows.flatMap(({ amount, currency, date }) =>
              date === null ? [] : [{ date, net: moneyOf(amount, currency) }]
            )
          }))
        ),
      setLimit: Effect.fnUntraced(function* ({ credit_limit, currency, org_id }) {
        const account = LedgerAccount.settlement(org_id, currency)
        // Serialised for each organisation: the limit and its floor must agree.
        yield* orDatabaseFailure(sql`select from organizations where org_id = ${org_id} for no key update`)
        const before = yield* orDatabaseFailure(limitOf(org_id, currency))
        yield* orDatabaseFailure(
          credit_limit === null
            ? sql`delete from ledger_limits where org_id = ${org_id} and currency = ${currency}`
            : sql`insert into ledger_limits (org_id, currency, credit_limit)
                values (${org_id}, ${currency}, ${credit_limit.toNumericText()})
                on conflict (org_id, currency) do update set credit_limit = excluded.credit_limit, updated_at = now()`
        )
        // Inserts a missing row: a concurrent first posting would not see the new limit.
        yield* sql`insert into ledger_balances (account, org_id, currency, floor)
          values (${account}, ${org_id}, ${currency}, ledger_floor(${account}, ${org_id}, ${currency}))
          on conflict (account) do update set floor = excluded.floor`.pipe(
          Effect.catchAll((error): Stored<never, InsufficientFunds> =>
            violates(error, "ledger_balances_floor")
              ? Effect.fail(new InsufficientFunds({ account }))
              : failOrDie(error)
          )
        )
        return before
      }),
      postings: (scope, account, window) =>
        sql`select entry_id, org_id, account, amount, kind, payment_id, reference, created_at
          from ledger_postings where account = ${account} and ${ownedIn(sql, scope)}
          ${newest(sql, "entry_id", window)}`.pipe(Effect.flatMap(storedPostings), orDatabaseFailure),
      clearingOf: (paymentId) =>
        sql`select split_part(account, '/', 3) as about, account, balance as amount from ledger_balances
          where account like ${`clearing/${paymentId}/%`} and balance <> 0 order by account collate "C"`.pipe(
          clearingRows.all,
          Effect.map((rows) => rows.map((row) => ({ about: row.about, money: moneyIn(row) })))
        ),
      atProviders: (paymentId) =>
        sql`select account, -sum(amount) as amount from ledger_postings
          where payment_id = ${paymentId} and account like 'provider/%'
          group by account having sum(amount) <> 0 order by account collate "C"`.pipe(
          amountsOf.all,
          Effect.map((rows) => rows.map((row) => ({ ...providerIn(row.account), money: moneyIn(row) })))
        ),
      closeDays: closeLedgerDays(sql),
      check: Effect.provideService(checkLedger, SqlClient.SqlClient, sql)
    }
  })
)
