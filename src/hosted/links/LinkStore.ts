/** Payment links at rest, each with the payments that were made through it. */
import { SqlClient } from "@effect/sql"
import { Clock, Context, Effect, Layer, Option } from "effect"
import { openTables } from "../../platform/database/MemoryDatabase.ts"
import { linkTables } from "./MemoryTables.ts"
import { paymentTables } from "../../payments/store/MemoryTables.ts"
import { firstRow, inScope, type Scope } from "../../platform/database/Query.ts"
import { moneyOf } from "../../platform/database/StoredMoney.ts"
import type { PaymentLink } from "./PaymentLink.ts"

export type NewLink = Omit<PaymentLink, "canceled_at" | "payment_id" | "submission" | "paid_at" | "created_at">

/** What is worked out on reading is not at rest. */
export type StoredLink = Omit<PaymentLink, "submission" | "paid_at">

export interface LinkPayment {
  readonly payment_id: string
  readonly link_id: string
  readonly org_id: string
  readonly submission: string
}

export interface Claim extends LinkPayment {
  /** The latest payment as it was when this one was decided on: a fixed link that has another by now is taken. */
  readonly replacing: string | null
  readonly now: Date
}

interface Store {
  readonly insert: (link: NewLink) => Effect.Effect<PaymentLink>
  /** All of them, newest first. */
  readonly list: (scope: Scope) => Effect.Effect<ReadonlyArray<PaymentLink>>
  readonly find: (scope: Scope, linkId: string) => Effect.Effect<Option.Option<PaymentLink>>
  /** Inside a transaction no payment through it can begin until the end. */
  readonly findForUpdate: (scope: Scope, linkId: string) => Effect.Effect<Option.Option<PaymentLink>>
  /** The reference is the credential: it names this one link, of whichever organisation. */
  readonly findByRef: (linkRef: string) => Effect.Effect<Option.Option<PaymentLink>>
  readonly cancel: (scope: Scope, linkId: string, at: Date) => Effect.Effect<void>
  /** Belongs in the transaction of the payment. False: the link takes no payment, or not this one. */
  readonly claim: (claim: Claim) => Effect.Effect<boolean>
  readonly paymentOf: (link: PaymentLink, submission: string) => Effect.Effect<Option.Option<string>>
}

interface LinkRow extends Omit<PaymentLink, "amount"> {
  readonly amount: string | null
}

const fromRow = (row: LinkRow): PaymentLink => ({
  ...row,
  amount: row.amount === null ? null : moneyOf(row.amount, row.currency)
})

export class LinkStore extends Context.Tag("corridor/LinkStore")<LinkStore, Store>() {
  static readonly layer = Layer.effect(
    LinkStore,
    Effect.map(SqlClient.SqlClient, (sql): Store => {
      const columns = sql.literal(`link_id, org_id, created_by, link_ref, email, amount_type, amount, currency,
        payer_currency, country, description, expires_at, canceled_at, payment_id, created_at`)
      const read = sql`${columns},
        (select submission from payment_link_payments p where p.payment_id = l.payment_id) as submission,
        (select min(h.at) from payment_link_payments p join payment_history h using (payment_id)
          where p.link_id = l.link_id and h.to_status = 'completed') as paid_at`
      const one = (scope: Scope, id: string) => sql`link_id = ${id} and ${inScope(sql, scope)}`
      const first = (rows: ReadonlyArray<LinkRow>) => Option.map(firstRow(rows), fromRow)
      return {
        insert: (link) =>
          sql<LinkRow>`insert into payment_links ${sql.insert({
            ...link,
            amount: link.amount === null ? null : link.amount.toNumericText()
          })} returning ${columns}, null as submission, null as paid_at`.pipe(
            Effect.map((rows) => fromRow(rows[0]!)),
            Effect.orDie
          ),
        list: (scope) =>
          sql<LinkRow>`select ${read} from payment_links l where ${inScope(sql, scope)}
            order by created_at desc, link_id desc`.pipe(
            Effect.map((rows) => rows.map(fromRow)),
            Effect.orDie
          ),
        find: (scope, id) =>
          sql<LinkRow>`select ${read} from payment_links l where ${one(scope, id)}`.pipe(
            Effect.map(first),
            Effect.orDie
          ),
        findForUpdate: (scope, id) =>
          sql<LinkRow>`select ${read} from payment_links l where ${one(scope, id)} for update`.pipe(
            Effect.map(first),
            Effect.orDie
          ),
        findByRef: (ref) =>
          sql<LinkRow>`select ${read} from payment_links l where link_ref = ${ref}`.pipe(
            Effect.map(first),
            Effect.orDie
          ),
        cancel: (scope, id, at) =>
          sql`update payment_links set canceled_at = coalesce(canceled_at, ${at}) where ${one(scope, id)}`.pipe(
            Effect.orDie,
            Effect.asVoid
          ),
        claim: ({ link_id, now, org_id, payment_id, replacing, submission }) =>
          sql`with claimed as (
              update payment_links set payment_id = ${payment_id}
              where link_id = ${link_id} and org_id = ${org_id} and canceled_at is null
                and (expires_at is null or expires_at > ${now})
                and (amount_type = 'open' or payment_id is not distinct from ${replacing}::uuid)
                and not exists (select 1 from payment_link_payments where link_id = ${link_id} and submission = ${submission})
              returning link_id, org_id)
            insert into payment_link_payments (payment_id, link_id, org_id, submission)
            select ${payment_id}::uuid, link_id, org_id, ${submission} from claimed
            on conflict (link_id, submission) do nothing returning 1 as claimed`.pipe(
            Effect.map((rows) => rows.length > 0),
            Effect.orDie
          ),
        paymentOf: ({ link_id, org_id }, submission) =>
          sql<{ payment_id: string }>`select payment_id from payment_link_payments
            where link_id = ${link_id} and org_id = ${org_id} and submission = ${submission}`.pipe(
            Effect.map((rows) => Option.map(firstRow(rows), (row) => row.payment_id)),
            Effect.orDie
          )
      }
    })
  )

  static readonly layerMemory = Layer.effect(
    LinkStore,
    Effect.map(openTables({ ...paymentTables, ...linkTables }), ({ history, linkPayments, paymentLinks }): Store => {
      const sees = (scope: Scope) => (row: { readonly org_id: string }) =>
        Option.isNone(scope) || row.org_id === scope.value
      const through = (linkId: string) => Array.from(linkPayments.values()).filter(({ link_id }) => link_id === linkId)
      const paidAt = (linkId: string): Date | null => {
        const made = new Set(through(linkId).map(({ payment_id }) => payment_id))
        const completions = Array.from(history.values())
          .filter(({ payment_id, to_status }) => to_status === "completed" && made.has(payment_id))
          .map(({ at }) => at)
        return completions.sort((a, b) => a.getTime() - b.getTime())[0] ?? null
      }
      const read = (row: StoredLink): PaymentLink => ({
        ...row,
        submission: (row.payment_id === null ? undefined : linkPayments.get(row.payment_id))?.submission ?? null,
        paid_at: paidAt(row.link_id)
      })
      const visible = (scope: Scope, id: string) =>
        Option.filter(Option.fromNullable(paymentLinks.get(id)), sees(scope))
      const find = (scope: Scope, id: string) => Effect.sync(() => Option.map(visible(scope, id), read))
      const key = (row: StoredLink) => `${row.created_at.toISOString()} ${row.link_id}`
      return {
        insert: (link) =>
          Effect.map(Clock.currentTimeMillis, (now) => {
            const row: StoredLink = { ...link, canceled_at: null, payment_id: null, created_at: new Date(now) }
            paymentLinks.set(row.link_id, row)
            return read(row)
          }),
        list: (scope) =>
          Effect.sync(() =>
            Array.from(paymentLinks.values())
              .filter(sees(scope))
              .sort((a, b) => (key(a) < key(b) ? 1 : -1))
              .map(read)
          ),
        find,
        findForUpdate: find,
        findByRef: (ref) =>
          Effect.sync(() =>
            Option.map(
              Option.fromNullable(Array.from(paymentLinks.values()).find(({ link_ref }) => link_ref === ref)),
              read
            )
          ),
        cancel: (scope, id, at) =>
          Effect.sync(() => {
            const row = Option.getOrUndefined(visible(scope, id))
            if (row !== undefined) paymentLinks.set(id, { ...row, canceled_at: row.canceled_at ?? at })
          }),
        claim: ({ link_id, now, org_id, payment_id, replacing, submission }) =>
          Effect.sync(() => {
            const row = paymentLinks.get(link_id)
            if (row?.org_id !== org_id || row.canceled_at !== null) return false
            if (row.expires_at !== null && row.expires_at.getTime() <= now.getTime()) return false
            if (row.amount_type === "fixed" && row.payment_id !== replacing) return false
            if (through(link_id).some((other) => other.submission === submission)) return false
            paymentLinks.set(link_id, { ...row, payment_id })
            linkPayments.set(payment_id, { payment_id, link_id, org_id, submission })
            return true
          }),
        paymentOf: ({ link_id }, submission) =>
          Effect.sync(() =>
            Option.fromNullable(through(link_id).find((made) => made.submission === submission)?.payment_id)
          )
      }
    })
  )
}
