/**
 * Searches of payments in PostgreSQL. Values are found by indexes. Parts of references and names are found by reading a
 * bounded number of entries of the list's index, newest first.
 */
import type { SqlClient, Statement } from "@effect/sql"
import { Option } from "effect"
import { providerNames } from "../../domain/Corridor.ts"
import type { CountryCode } from "../../domain/Country.ts"
import { movementKinds } from "../../domain/Movement.ts"
import { inScope, newest, ownedIn, type Position, type Scope, type Window } from "../../platform/database/Query.ts"
import { idsByReference, idsOfCustomer } from "./PaymentSearch.ts"
import type { SearchedAmount, SearchTerms } from "./SearchTerms.ts"

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
  { asked, between, terms: { text } }: TextSearch,
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
  const contains = sql`position(lower(${text}) in search_text) > 0`
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
