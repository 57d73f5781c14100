/**
 * Lists, searches, histories and open items of payments in PostgreSQL. None becomes slower with the number of payments.
 * Values are found by indexes; parts of references and names in a bounded number of the newest entries.
 */
import type { SqlClient, Statement } from "@effect/sql"
import { Effect, Option, Schema } from "effect"
import { flows, paymentMethods, providerNames } from "../../domain/Corridor.ts"
import { paymentStatuses } from "../../domain/PaymentStatus.ts"
import { AnyCurrencyCode } from "../../domain/Currency.ts"
import { currencyOf, kindOf } from "../../domain/Ledger.ts"
import { AccountName } from "../../money/ledger/LedgerCheck.ts"
import { orDatabaseFailure, type Stored } from "../../platform/database/DatabaseFailure.ts"
import {
  inScope,
  moneyOf,
  newest,
  newestAmong,
  ownedBy,
  ownedIn,
  query,
  rowsAs,
  type Scope,
  type Window,
  type Position
} from "../../platform/database/Query.ts"
import { idsByReference, idsOfCustomer } from "./PaymentSearch.ts"
import { attemptColumns, attemptOf, booksColumns, booksOf, paymentOf, readRows } from "./PaymentRow.ts"
import { HistoryRow, OpenItem, type Payment, StoredCallback, StoredOperatorItem } from "./Payment.ts"
import { describeSum } from "./UnallocatedMoney.ts"
import type { PaymentFilter, PaymentHistory, TextFilter, TextSearched } from "./PaymentStore.ts"
import { matchesValues, type SearchedAmount, type SearchTerms } from "./SearchTerms.ts"
import type { CountryCode } from "../../domain/Country.ts"
import { movementKinds } from "../../domain/Movement.ts"

const among = (sql: SqlClient.SqlClient, ids: Statement.Fragment): Statement.Fragment =>
  sql`payment_id = any (array(${ids}))`

/**
 * Fields of the index over the state of payments, in its order. A field without a filter is looked up value by value.
 */
const marks = { status: paymentStatuses, direction: flows, payment_method: paymentMethods }
const names = ["status", "direction", "payment_method"] as const

/** Maximum number of a customer's payments that are read for the other filters. */
const OF_A_CUSTOMER = 1000

const timesOf = (sql: SqlClient.SqlClient, { from, to }: PaymentFilter): ReadonlyArray<Statement.Fragment> => [
  ...(from === undefined ? [] : [sql`created_at >= ${from}`]),
  ...(to === undefined ? [] : [sql`created_at < ${to}`])
]

const marksOf = (sql: SqlClient.SqlClient, filter: PaymentFilter): ReadonlyArray<Statement.Fragment> =>
  names.flatMap((name) => (filter[name] === undefined ? [] : [sql`${sql(name)} = ${filter[name]}`]))

export const filtered = (
  sql: SqlClient.SqlClient,
  scope: Scope,
  filter: PaymentFilter,
  window: Window
): Statement.Fragment => {
  const { client_reference, customer, home, reference, search } = filter
  const between = timesOf(sql, filter)
  const asked = marksOf(sql, filter)
  const named = [
    ...(client_reference === undefined ? [] : [sql`client_reference = ${client_reference}`]),
    ...(reference === undefined ? [] : [among(sql, idsByReference(sql, scope, reference))])
  ]
  if (asked.length === 0 || named.length > 0 || customer !== undefined || search !== undefined) {
    const alone = asked.length + named.length === 0 && (customer === undefined || search === undefined)
    const looked = { ...window, take: alone ? window.take : OF_A_CUSTOMER }
    const theirs =
      customer === undefined ? [] : [among(sql, idsOfCustomer(sql, scope, { customer, home }, looked, between))]
    const found =
      search === undefined ? [] : [among(sql, idsOfSearch(sql, scope, { terms: search, home }, looked, between))]
    const byIds = reference !== undefined || customer !== undefined || search !== undefined
    const mine = byIds ? ownedIn(sql, scope) : inScope(sql, scope)
    const all = sql.and([mine, ...asked, ...named, ...theirs, ...found, ...between])
    return sql`where ${all} ${newest(sql, "payment_id", window)}`
  }
  const values = names.map((name) => {
    const value = filter[name]
    return sql`unnest(${value === undefined ? [...marks[name]] : [value]}::text[]) as ${sql(`a_${name}`)}`
  })
  const mark = sql.literal("payment_mark(a_status, a_direction, a_payment_method)")
  const ids = newestAmong(sql, "payment_id", window, {
    parts: sql`${values[0]!} cross join ${values[1]!} cross join ${values[2]!}`,
    table: "payment_marks",
    within: sql.and([
      Option.match(scope, {
        onNone: () => sql`mark::int = ${mark}::int`,
        onSome: (orgId) => sql`org_id = ${orgId} and mark = ${mark}`
      }),
      ...between
    ])
  })
  return sql`where payment_id = any (array(${ids})) order by created_at desc, payment_id desc`
}

/** The statement behind `searchText` of the store. `textSearched` reads its rows. */
export const containing = (
  sql: SqlClient.SqlClient,
  scope: Scope,
  columns: Statement.Fragment,
  { search: terms, ...filter }: TextFilter,
  window: Window
): Statement.Fragment => {
  const { client_reference, customer, home, reference } = filter
  const between = timesOf(sql, filter)
  const looked = { ...window, take: OF_A_CUSTOMER }
  const asked = [
    ...marksOf(sql, filter),
    ...(client_reference === undefined ? [] : [sql`client_reference = ${client_reference}`]),
    ...(reference === undefined ? [] : [among(sql, idsByReference(sql, scope, reference))]),
    ...(customer === undefined ? [] : [among(sql, idsOfCustomer(sql, scope, { customer, home }, looked, between))])
  ]
  return textSearch(sql, scope, columns, { terms, home, asked, between }, window)
}

/** Payments that `list` finds by the same search are left out. */
export const textSearched = (
  rows: ReadonlyArray<unknown>,
  { home, search }: TextFilter,
  { take }: Window
): TextSearched => {
  const found = rows as ReadonlyArray<{ readonly edge: Date | null; readonly payment_id: string | null }>
  const payments = found.flatMap((row) => (row.payment_id === null ? [] : [paymentOf(row)]))
  const last = payments.length === take ? payments.at(-1) : undefined
  const edge = found[0]?.edge ?? null
  return {
    payments: payments.filter((payment) => !matchesValues(search, home, payment)),
    next:
      last !== undefined
        ? Option.some([last.created_at.toISOString(), last.payment_id])
        : Option.map(Option.fromNullable(edge), (at) => [at.toISOString(), FIRST_ID])
  }
}

/** Index entries that one request reads for a part of a text: of one organisation, and of all. */
const SEARCHED_AT_ONCE = 100_000
const SEARCHED_AT_ONCE_OF_ALL = 20_000

type Sql = SqlClient.SqlClient
type Bounds = ReadonlyArray<Statement.Fragment>

/** The newest payments of an organisation with a hashed value; for all organisations, of each one. */
const newestOfEach = (
  sql: Sql,
  scope: Scope,
  window: Window,
  conditions: (org: Statement.Fragment) => ReadonlyArray<Statement.Fragment>
): Statement.Fragment =>
  Option.match(scope, {
    onNone: () => sql`(select n.payment_id from organizations o cross join lateral (
        select created_at, payment_id from payments
        where ${sql.and(conditions(sql`o.org_id`))} ${newest(sql, "payment_id", window)}
      ) n order by n.created_at desc, n.payment_id desc limit ${window.take})`,
    onSome: (orgId) =>
      sql`(select payment_id from payments
        where ${sql.and(conditions(sql`${orgId}::uuid`))} ${newest(sql, "payment_id", window)})`
  })

const hasAmount = (
  sql: Sql,
  column: "amount" | "target_amount",
  { value }: SearchedAmount,
  org: Statement.Fragment
) => [
  sql`hash_numeric_extended(${sql(column)}, uuid_hash_extended(org_id, 0))
    = hash_numeric_extended(${value}::numeric, uuid_hash_extended(${org}, 0))`,
  sql`${sql(column)} = ${value}::numeric`,
  sql`uuid_eq(org_id, ${org})`
]

/** The newest of the amount are looked at for those in the currency. */
const IN_A_CURRENCY = 1000

const idsByAmount = (
  sql: Sql,
  scope: Scope,
  amount: SearchedAmount,
  window: Window,
  between: Bounds
): ReadonlyArray<Statement.Fragment> => {
  const { currency } = amount
  const looked = currency === undefined ? window : { ...window, take: Math.max(window.take, IN_A_CURRENCY) }
  const ids = [
    newestOfEach(sql, scope, looked, (org) => [...hasAmount(sql, "amount", amount, org), ...between]),
    newestOfEach(sql, scope, looked, (org) => [
      ...hasAmount(sql, "target_amount", amount, org),
      sql`target_amount <> amount`,
      ...between
    ])
  ]
  if (currency === undefined) return ids
  return ids.map(
    (all) => sql`(select payment_id from payments where payment_id = any (array(${all})) and ${ownedIn(sql, scope)}
      and ((amount = ${amount.value}::numeric and currency = ${currency})
        or (target_amount = ${amount.value}::numeric and target_currency = ${currency})))`
  )
}

const idsByCard = (sql: Sql, scope: Scope, last4: string, window: Window, between: Bounds) =>
  newestOfEach(sql, scope, window, (org) => [
    sql`hashtextextended(card_details->>'last4', uuid_hash_extended(org_id, 0))
      = hashtextextended(${last4}, uuid_hash_extended(${org}, 0))`,
    sql`card_details->>'last4' is not null`,
    sql`card_details->>'last4' = ${last4}`,
    sql`uuid_eq(org_id, ${org})`,
    ...between
  ])

/** Transfers that share a provider's id. */
const MOST = 100

/** Looks into the index of transfers for each account and kind: an index by the id alone would cost each payment. */
const idsByMovement = (sql: Sql, scope: Scope, text: string): Statement.Fragment => {
  const accounts = Option.match(scope, {
    onNone: () => sql`select provider, config_id from provider_accounts`,
    onSome: (orgId) => sql`select a.provider, a.config_id
      from provider_accounts a left join provider_configs c on c.config_id = a.config_id
      where coalesce(c.org_id, ${orgId}::uuid) = ${orgId}::uuid`
  })
  return sql`(select m.payment_id from (
      select unnest(${[...providerNames]}::text[]) as provider, '00000000-0000-0000-0000-000000000000'::uuid as account
      union all ${accounts}
    ) a cross join unnest(${[...movementKinds]}::text[]) as k (kind) cross join lateral (
      select payment_id from movements where provider = a.provider
        and coalesce(account, '00000000-0000-0000-0000-000000000000') = a.account
        and kind = k.kind and movement_id = ${text} and ${ownedIn(sql, scope)} limit 1
    ) m limit ${MOST})`
}

/** Payments that a provider knows by the text, or whose own id or reference it is. */
const idsByName = (sql: Sql, scope: Scope, text: string): Statement.Fragment =>
  sql`${idsByReference(sql, scope, text)} union ${idsByMovement(sql, scope, text)}`

export interface Searched {
  readonly terms: SearchTerms
  readonly home: CountryCode | undefined
}

/** Ids of the newest payments whose id, reference, amount, card or customer the text is. */
export const idsOfSearch = (
  sql: Sql,
  scope: Scope,
  { home, terms: { amount, customer, last4, text } }: Searched,
  window: Window,
  between: Bounds
): Statement.Fragment =>
  [
    ...(amount === undefined ? [] : idsByAmount(sql, scope, amount, window, between)),
    ...(last4 === undefined ? [] : [idsByCard(sql, scope, last4, window, between)]),
    ...(customer === undefined ? [] : [sql`(${idsOfCustomer(sql, scope, { customer, home }, window, between)})`])
  ].reduce((all, one) => sql`${all} union ${one}`, idsByName(sql, scope, text))

/** In a position: before all payments of its time. */
export const FIRST_ID = "00000000-0000-0000-0000-000000000000"

interface TextSearch extends Searched {
  /** Conditions on the payment besides its time. */
  readonly asked: ReadonlyArray<Statement.Fragment>
  readonly between: Bounds
}

/** Matches that are looked at for what else is asked. */
const LOOKED_AT = 1000

/**
 * The newest payments whose reference or name contains the text, and `edge`: the time back to which all are searched;
 * null: all are. The first two parts read the index alone. Rows without an id carry the edge only.
 */
export const textSearch = (
  sql: Sql,
  scope: Scope,
  columns: Statement.Fragment,
  { asked, between, terms: { text, words } }: TextSearch,
  { after, take }: Window
): Statement.Fragment => {
  const atOnce = Option.isNone(scope) ? SEARCHED_AT_ONCE_OF_ALL : SEARCHED_AT_ONCE
  // The index has no ids: the payment of the position matches again.
  const shown = Option.exists(after, ([, id]) => id !== FIRST_ID) ? 1 : 0
  const most = asked.length === 0 ? take + shown : LOOKED_AT
  const before = ([at, id]: Position) => sql`created_at ${sql.literal(id === FIRST_ID ? "<" : "<=")} ${at}::timestamptz`
  const rest = ([at, id]: Position) => sql`(created_at, payment_id) < (${at}::timestamptz, ${id}::uuid)`
  const from = [...between, ...Option.toArray(Option.map(after, before))]
  const seen = sql.and([inScope(sql, scope), ...from])
  const contains = sql.and(words.map((word) => sql`position(search_form(${word}) in search_text) > 0`))
  const all = sql.and([
    inScope(sql, scope),
    sql`created_at = any (array(select created_at from hits union all select edge from edge))`,
    contains,
    sql`not payment_id = any (array(${idsByName(sql, scope, text)}))`,
    ...asked,
    ...Option.toArray(Option.map(after, rest))
  ])
  return sql`with hits as materialized (
      select created_at from (
        select created_at, search_text from payments where ${seen} order by created_at desc limit ${atOnce}
      ) read where ${contains} limit ${most}
    ), edge as materialized (
      select case when count(*) = ${most} then min(created_at) else (
        select created_at from payments where ${seen} order by created_at desc offset ${atOnce} limit 1
      ) end as edge from hits
    )
    select edge.edge, p.* from edge left join lateral (
      select ${columns} from payments where ${all} order by created_at desc, payment_id desc limit ${take}
    ) p on true`
}

/** Row of an item, or of unallocated money with the payment's fields that its description needs. */
const WaitingRow = Schema.Struct({
  ...OpenItem.fields,
  account: Schema.NullOr(AccountName),
  balance: Schema.NullOr(Schema.String),
  status: Schema.NullOr(Schema.Literal(...paymentStatuses)),
  direction: Schema.NullOr(Schema.Literal(...flows)),
  amount: Schema.NullOr(Schema.String),
  currency: Schema.NullOr(AnyCurrencyCode)
})
const waitingRows = query(WaitingRow)

const openItemOf = (row: typeof WaitingRow.Type): OpenItem => {
  const { account, amount, balance, currency, direction, status, ...item } = row
  if (
    account === null ||
    amount === null ||
    balance === null ||
    currency === null ||
    direction === null ||
    status === null
  ) {
    return item
  }
  const money = moneyOf(balance, currencyOf(account))
  const from = kindOf(account) === "ramp" ? "ramp" : "clearing"
  return { ...item, detail: describeSum({ amount: moneyOf(amount, currency), direction, status }, { money, from }) }
}

/** Open items of operators and unallocated money, newest first. */
export const openItemsSql = (sql: SqlClient.SqlClient, scope: Scope, window: Window) => {
  const rest = Option.match(window.after, {
    onNone: () => sql`true`,
    onSome: ([at, id]) => sql`(opened_at, item_id) < (${at}::timestamptz, ${id}::uuid)`
  })
  return sql`with waiting as (
            select b.account, b.balance, b.org_id, split_part(b.account, '/', 2)::uuid as payment_id,
              (select max(p.created_at) from ledger_postings p where p.account = b.account) as opened_at
            from ledger_balances b
            where b.waits and b.account not like 'receivable/%' and ${inScope(sql, scope)}
          ), items as (
            select item_id, org_id, kind, payment_id, attempt_id, detail, opened_at, null::text as account,
              null::text as balance, null::text as status, null::text as direction, null::text as amount,
              null::text as currency
            from operator_items where closed_at is null and ${inScope(sql, scope)}
            union all
            select md5(w.account || case when w.balance < 0 then ' gone' else '' end)::uuid, w.org_id, 'suspense', w.payment_id,
              case when w.account like 'ramp/%' then p.taken_by else split_part(w.account, '/', 3)::uuid end, '',
              w.opened_at, w.account, w.balance::text, p.status, p.direction, p.amount::text, p.currency
            from waiting w join payments p on p.payment_id = w.payment_id
            where w.account like 'clearing/%' or p.status in ('failed', 'refunded', 'canceled')
          )
          select * from items where ${rest} order by opened_at desc, item_id desc limit ${window.take}`.pipe(
    waitingRows.all,
    Effect.map((rows) => rows.map(openItemOf))
  )
}

const historyRows = rowsAs(HistoryRow)
const callbackRows = rowsAs(StoredCallback)
const itemRows = rowsAs(StoredOperatorItem)

/** Everything that is recorded about a payment, each kind by time. */
export const historySql = (sql: SqlClient.SqlClient, { payment_id, org_id }: Payment): Stored<PaymentHistory> =>
  Effect.all({
    statusChanges: sql`select payment_id, org_id, version, from_status, to_status, cause, at
              from payment_history where payment_id = ${payment_id} and ${ownedBy(sql, org_id)} order by version`.pipe(
      Effect.flatMap(historyRows)
    ),
    attempts: sql`select ${sql.literal(attemptColumns())} from attempts
              where payment_id = ${payment_id} and ${ownedBy(sql, org_id)} order by started_at, attempt_id`.pipe(
      readRows(attemptOf)
    ),
    callbacks: sql`select callback_id, provider, event_key, payment_id, attempt_id, org_id,
              report, effect, received_at from provider_callbacks
              where payment_id = ${payment_id} and ${ownedBy(sql, org_id)} order by received_at, callback_id`.pipe(
      Effect.flatMap(callbackRows)
    ),
    items: sql`select item_id, org_id, kind, payment_id, attempt_id, detail, by_platform, opened_at,
              closed_at, closed_by from operator_items
              where payment_id = ${payment_id} and ${ownedBy(sql, org_id)} order by opened_at, item_id`.pipe(
      Effect.flatMap(itemRows)
    ),
    books: sql`select ${sql.literal(booksColumns("p."))} from payments p
              where p.payment_id = ${payment_id} and ${ownedBy(sql, org_id)}`
  }).pipe(
    Effect.map(({ books, ...rest }) => ({ ...rest, ...booksOf(books[0] ?? {}) })),
    orDatabaseFailure
  )
