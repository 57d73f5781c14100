/** Lists of payments in PostgreSQL, however they are filtered: none takes longer because there are more payments. */
import type { SqlClient, Statement } from "@effect/sql"
import { Option } from "effect"
import { flows, paymentMethods } from "../../domain/Corridor.ts"
import { paymentStatuses } from "../../domain/PaymentStatus.ts"
import { inScope, newest, newestAmong, ownedIn, type Scope, type Window } from "../../platform/database/Query.ts"
import { idsByReference, idsOfCustomer } from "./PaymentSearch.ts"
import { paymentOf } from "./PaymentRow.ts"
import type { PaymentFilter, TextFilter, TextSearched } from "./PaymentStore.ts"
import { FIRST_ID, idsOfSearch, textSearch } from "./SearchSql.ts"
import { matchesValues } from "./SearchTerms.ts"

const among = (sql: SqlClient.SqlClient, ids: Statement.Fragment): Statement.Fragment =>
  sql`payment_id = any (array(${ids}))`

/** What a payment is now, in the order of the index over it: what is not asked for is looked up value by value. */
const marks = { status: paymentStatuses, direction: flows, payment_method: paymentMethods }
const names = ["status", "direction", "payment_method"] as const

/** So many of a customer's payments are looked at for those that are what else is asked for. */
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
