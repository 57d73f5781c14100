/** Payouts to escrow parties in PostgreSQL. Times are the database's. */
import { SqlClient } from "@effect/sql"
import { Duration, Effect, Layer, Option, Schema } from "effect"
import { escrowPayoutLease } from "../../domain/policies/PaymentPolicies.ts"
import { inScope, newest, ownedBy, ownedIn, moneyOf, anyRow, execute, query } from "../../platform/database/Query.ts"
import { type NewPayout, PayoutRow, EscrowPayoutStore } from "./EscrowPayoutStore.ts"

const ClaimedRow = Schema.Struct({ ...PayoutRow.fields, lease_token: Schema.String, tries: Schema.Int })

const BlockedRow = Schema.Struct({
  item_id: Schema.String,
  ...PayoutRow.pick("org_id", "escrow_id", "party_id", "amount", "currency", "reason", "created_at").fields,
  escrow_name: Schema.String,
  party_name: Schema.String
})

const optionalRow = query(PayoutRow)
const claimedRows = query(ClaimedRow)
const blockedRows = query(BlockedRow)
const idRows = query(Schema.Struct({ payout_id: Schema.String }))
const sumRow = query(Schema.Struct({ amount: Schema.String }))

const withMoney = <R extends Pick<typeof PayoutRow.Type, "amount" | "currency">>({ amount, currency, ...rest }: R) => ({
  ...rest,
  amount: moneyOf(amount, currency)
})

const columnNames = Object.keys(PayoutRow.fields)
const COLUMNS = columnNames.join(", ")
const CLAIMED = [...columnNames, "lease_token", "tries"].map((name) => `e.${name}`).join(", ")

const rowOf = ({ amount, initiator, ...payout }: NewPayout) => ({
  ...payout,
  amount: amount.toNumericText(),
  currency: amount.currency,
  initiator: JSON.stringify(initiator),
  status: "waiting",
  lease_token: payout.payout_id
})

/** Takes the earliest due row of each organisation first, so that no organisation's backlog delays another. */
const CLAIM = `with recursive owners as (
    (select org_id from escrow_payouts where due_at is not null order by org_id limit 1)
    union all
    select (select n.org_id from escrow_payouts n where n.due_at is not null and n.org_id > o.org_id
      order by n.org_id limit 1)
    from owners o where o.org_id is not null
  ), due as (
    select d.payout_id, d.due_at, row_number() over (partition by o.org_id order by d.due_at, d.payout_id) as turn
    from owners o cross join lateral (
      select p.payout_id, p.due_at from escrow_payouts p
      where p.org_id = o.org_id and p.due_at <= now() order by p.due_at limit $1
    ) d
  ), locked as (
    select l.payout_id from escrow_payouts l
    where l.payout_id = any (array(select payout_id from due order by turn, due_at limit $1)) and l.due_at <= now()
    for update skip locked
  )
  update escrow_payouts e set due_at = now() + make_interval(secs => $2), lease_token = gen_random_uuid(),
    tries = e.tries + 1
  from locked where e.payout_id = locked.payout_id
  returning ${CLAIMED}`

export const escrowPayoutStoreSql = Layer.effect(
  EscrowPayoutStore,
  Effect.map(SqlClient.SqlClient, (sql): EscrowPayoutStore["Type"] => {
    const columns = sql.literal(COLUMNS)
    const after = (time: Duration.Duration | null) =>
      time === null ? sql.literal("null") : sql`now() + make_interval(secs => ${Duration.toSeconds(time)})`

    return {
      insert: (payouts) =>
        payouts.length === 0 ? Effect.void : execute(sql`insert into escrow_payouts ${sql.insert(payouts.map(rowOf))}`),
      claim: (most) =>
        most <= 0
          ? Effect.succeed([])
          : sql.unsafe<object>(CLAIM, [most, Duration.toSeconds(escrowPayoutLease)]).pipe(
              claimedRows.all,
              Effect.map((rows) => rows.map(withMoney))
            ),
      markSent: ({ lease_token, org_id, payout_id }, dueIn) =>
        anyRow(sql`update escrow_payouts set status = 'sent', reason = null, sends = sends + 1, sent_at = now(),
            due_at = ${after(dueIn)}, updated_at = now()
          where payout_id = ${payout_id} and lease_token = ${lease_token} and status = 'waiting'
            and ${ownedBy(sql, org_id)} returning payout_id`),
      change: ({ lease_token, org_id, payout_id }, { dueIn, ids, reason, status }) =>
        anyRow(sql`update escrow_payouts set status = ${status}, reason = ${reason}, due_at = ${after(dueIn)},
            payment_id = coalesce(${ids?.payment_id ?? null}::uuid, payment_id),
            transaction_id = coalesce(${ids?.transaction_id ?? null}::uuid, transaction_id),
            sent_at = case when ${status === "waiting"} then null else sent_at end, updated_at = now()
          where payout_id = ${payout_id} and lease_token = ${lease_token} and status in ('waiting', 'sent')
            and ${ownedBy(sql, org_id)} returning payout_id`),
      find: (scope, escrowId, payoutId) =>
        sql`select ${columns} from escrow_payouts
          where payout_id = ${payoutId} and escrow_id = ${escrowId} and ${ownedIn(sql, scope)}`.pipe(
          optionalRow.first,
          Effect.map(Option.map(withMoney))
        ),
      retry: ({ org_id, payout_id }, { payment_id, transaction_id }) =>
        sql`update escrow_payouts set status = 'waiting', reason = null, payment_id = ${payment_id},
            transaction_id = ${transaction_id}, sent_at = null, due_at = now(), tries = 0, updated_at = now()
          where payout_id = ${payout_id} and status = 'blocked' and ${ownedBy(sql, org_id)}
          returning ${columns}`.pipe(optionalRow.first, Effect.map(Option.map(withMoney))),
      close: ({ org_id, payout_id }, reason) =>
        sql`update escrow_payouts set status = 'closed', reason = ${reason}, due_at = null, updated_at = now()
          where payout_id = ${payout_id} and status = 'blocked' and ${ownedBy(sql, org_id)}
          returning ${columns}`.pipe(optionalRow.first, Effect.map(Option.map(withMoney))),
      closeBlocked: (orgId, partyId, reason) =>
        execute(sql`update escrow_payouts set status = 'closed', reason = ${reason}, due_at = null, updated_at = now()
          where party_id = ${partyId} and status = 'blocked' and ${ownedBy(sql, orgId)}`),
      reserved: (orgId, partyId, zero) =>
        sql`select coalesce(sum(amount), 0)::text as amount from escrow_payouts
          where party_id = ${partyId} and status = 'waiting' and ${ownedBy(sql, orgId)}`.pipe(
          sumRow.one,
          Effect.map(({ amount }) => moneyOf(amount, zero.currency))
        ),
      waitingAmong: (orgId, ids) =>
        sql`select payout_id from escrow_payouts
          where ${sql.in("payout_id", ids)} and status = 'waiting' and ${ownedBy(sql, orgId)}`.pipe(
          idRows.all,
          Effect.map((rows) => new Set(rows.map(({ payout_id }) => payout_id)))
        ),
      blocked: (scope, window) =>
        sql`select t.*, (select name from escrows e where e.escrow_id = t.escrow_id) as escrow_name,
            (select name from escrow_parties p where p.party_id = t.party_id) as party_name
          from (
            select payout_id as item_id, org_id, escrow_id, party_id, amount, currency, reason,
              updated_at as created_at
            from escrow_payouts where status = 'blocked' and ${inScope(sql, scope)}
          ) t where true ${newest(sql, "item_id", window)}`.pipe(
          blockedRows.all,
          Effect.map((rows) => rows.map(({ item_id, ...row }) => ({ ...withMoney(row), payout_id: item_id })))
        )
    }
  })
)
