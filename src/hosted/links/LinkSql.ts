/** Payment links in PostgreSQL. */
import { SqlClient, type Statement } from "@effect/sql"
import { Effect, Layer, Option, Schema } from "effect"
import { type LinkId, PaymentId } from "../../domain/Ids.ts"
import {
  anyRow,
  execute,
  inScope,
  moneyOf,
  newest,
  ownedBy,
  ownedIn,
  query,
  type Scope
} from "../../platform/database/Query.ts"
import { LinkRow, LinkStore, type PaymentLink, StoredRow } from "./LinkStore.ts"

const rowsOf = query(LinkRow)
const logoRow = query(Schema.Struct({ brand_logo: Schema.Uint8ArrayFromSelf }))
const madeRow = query(Schema.Struct({ payment_id: PaymentId }))

const fromRow = (row: typeof LinkRow.Type): PaymentLink => ({
  ...row,
  amount: row.amount === null ? null : moneyOf(row.amount, row.currency)
})

const firstLink = (rows: Statement.Statement<unknown>) => Effect.map(rowsOf.first(rows), Option.map(fromRow))

export const linkStoreSql = Layer.effect(
  LinkStore,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const columns = sql.literal(Object.keys(StoredRow).join(", "))
    const unpaid = sql`${columns}, brand_logo is not null as has_logo,
      (select submission from payment_link_payments p where p.payment_id = l.payment_id) as submission`
    const completed = sql`payment_link_payments p cross join lateral (
          select at from payment_history where payment_id = p.payment_id and to_status = 'completed' order by version limit 1
        ) c where p.link_id = l.link_id`
    // A payment created after the first completion can only complete later. Ids are ordered by time; one hour allows
    // for clock differences.
    const paidAt = sql`(select min(c.at) from ${completed} and p.payment_id < (
        select (lpad(to_hex((extract(epoch from c.at) + 3600)::bigint * 1000), 12, '0') || repeat('0', 20))::uuid
        from ${completed} order by p.payment_id limit 1))`
    const read = sql`${unpaid}, ${paidAt} as paid_at`
    const readByPayers = sql`${unpaid}, case amount_type when 'fixed' then ${paidAt} end as paid_at`
    const one = (scope: Scope, id: LinkId) => sql`link_id = ${id} and ${ownedIn(sql, scope)}`
    return {
      insert: (link) =>
        sql`insert into payment_links ${sql.insert({
          ...link,
          amount: link.amount === null ? null : link.amount.toNumericText()
        })} returning ${columns}, brand_logo is not null as has_logo, null as submission, null as paid_at`.pipe(
          rowsOf.one,
          Effect.map(fromRow)
        ),
      list: (scope, window) =>
        sql`select ${read} from payment_links l where ${inScope(sql, scope)} ${newest(sql, "link_id", window)}`.pipe(
          rowsOf.all,
          Effect.map((rows) => rows.map(fromRow))
        ),
      find: (scope, id) => sql`select ${read} from payment_links l where ${one(scope, id)}`.pipe(firstLink),
      findForUpdate: (scope, id) =>
        sql`select ${read} from payment_links l where ${one(scope, id)} for update`.pipe(firstLink),
      findByRef: (ref) => sql`select ${readByPayers} from payment_links l where link_ref = ${ref}`.pipe(firstLink),
      logoOf: (ref) =>
        sql`select brand_logo from payment_links where link_ref = ${ref} and brand_logo is not null`.pipe(
          logoRow.first,
          Effect.map(Option.map(({ brand_logo }) => brand_logo))
        ),
      cancel: (scope, id, at) =>
        execute(sql`update payment_links set canceled_at = coalesce(canceled_at, ${at}) where ${one(scope, id)}`),
      claim: ({ link_id, now, org_id, payment_id, replacing, submission }) =>
        anyRow(sql`with claimed as (
            update payment_links set payment_id = ${payment_id}
            where link_id = ${link_id} and ${ownedBy(sql, org_id)} and canceled_at is null
              and (expires_at is null or expires_at > ${now})
              and (amount_type = 'open' or payment_id is not distinct from ${replacing}::uuid)
              and not exists (select 1 from payment_link_payments where link_id = ${link_id} and submission = ${submission})
            returning link_id, org_id)
          insert into payment_link_payments (payment_id, link_id, org_id, submission)
          select ${payment_id}::uuid, link_id, org_id, ${submission} from claimed
          on conflict (link_id, submission) do nothing returning 1 as claimed`),
      paymentOf: ({ link_id, org_id }, submission) =>
        sql`select payment_id from payment_link_payments
          where link_id = ${link_id} and ${ownedBy(sql, org_id)} and submission = ${submission}`.pipe(
          madeRow.first,
          Effect.map(Option.map(({ payment_id }) => payment_id))
        ),
      linkOf: (scope, paymentId) =>
        sql`select ${readByPayers} from payment_links l where ${ownedIn(sql, scope)} and link_id =
          (select link_id from payment_link_payments where payment_id = ${paymentId})`.pipe(firstLink)
    }
  })
)
