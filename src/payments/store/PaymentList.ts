/** Lists of payments in PostgreSQL, however they are filtered: none takes longer because there are more payments. */
import type { SqlClient, Statement } from "@effect/sql"
import { Option } from "effect"
import { flows, paymentMethods } from "../../domain/Corridor.ts"
import { paymentStatuses } from "../../domain/PaymentStatus.ts"
import { inScope, newest, newestAmong, ownedIn, type Scope } from "../../platform/database/Query.ts"
import type { Window } from "../../platform/database/Window.ts"
import { ofCustomer } from "./PaymentCustomer.ts"
import { knownBy } from "./PaymentReference.ts"
import type { PaymentFilter } from "./PaymentStore.ts"

/** What a payment is now, in the order of the index over it: what is not asked for is looked up value by value. */
const marks = { status: paymentStatuses, direction: flows, payment_method: paymentMethods }
const names = ["status", "direction", "payment_method"] as const

/** So many of a customer's payments are looked at for those that are what else is asked for. */
const OF_A_CUSTOMER = 1000

export const filtered = (
  sql: SqlClient.SqlClient,
  scope: Scope,
  filter: PaymentFilter,
  window: Window
): Statement.Fragment => {
  const { client_reference, customer, from, home, reference, to } = filter
  const between = [
    ...(from === undefined ? [] : [sql`created_at >= ${from}`]),
    ...(to === undefined ? [] : [sql`created_at < ${to}`])
  ]
  const asked = names.flatMap((name) => (filter[name] === undefined ? [] : [sql`${sql(name)} = ${filter[name]}`]))
  const named = [
    ...(client_reference === undefined ? [] : [sql`client_reference = ${client_reference}`]),
    ...(reference === undefined ? [] : [knownBy(sql, scope, reference)])
  ]
  if (asked.length === 0 || named.length > 0 || customer !== undefined) {
    const looked = { ...window, take: asked.length + named.length === 0 ? window.take : OF_A_CUSTOMER }
    const theirs = customer === undefined ? [] : [ofCustomer(sql, scope, { customer, home }, looked, between)]
    const mine = reference === undefined && customer === undefined ? inScope(sql, scope) : ownedIn(sql, scope)
    const all = sql.and([mine, ...asked, ...named, ...theirs, ...between])
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
