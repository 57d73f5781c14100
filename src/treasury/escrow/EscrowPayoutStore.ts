/** Store of payouts to escrow parties. A row is changed by the worker that holds its lease, or while it is blocked. */
import { Context, Duration, Option, Schema, Effect, Layer } from "effect"
import { BeneficiaryId, EscrowId, OrgId, PaymentId, TransactionId, UserId } from "../../domain/Ids.ts"
import { CurrencyCode } from "../../domain/Currency.ts"
import type { Money } from "../../domain/Money.ts"
import type { Stored } from "../../platform/database/DatabaseFailure.ts"
import {
  type Scope,
  type Window,
  inScope,
  newest,
  ownedBy,
  ownedIn,
  moneyOf,
  anyRow,
  execute,
  query
} from "../../platform/database/Query.ts"
import { initiatorPermit, type Permit, roles } from "../../domain/Access.ts"
import { SqlClient, type Statement } from "@effect/sql"
import { escrowPayoutLease } from "../../domain/policies/PaymentPolicies.ts"

/**
 * - `waiting`: to be sent; its amount stands on the party's ledger account.
 * - `sent`: its payment exists and is not final yet.
 * - `paid`: its payment is completed.
 * - `blocked`: could not be sent, or its payment failed or came back; an item of the operations queue.
 * - `closed`: ended without another payment; the money is the party's.
 */
const payoutStatuses = ["waiting", "sent", "paid", "blocked", "closed"] as const

/** The caller who asked for the payout. */
export const Initiator = Schema.Struct({
  kind: Schema.Literal("user", "api_key", "operator"),
  id: Schema.String,
  name: Schema.NullOr(Schema.String),
  user_id: Schema.NullOr(UserId),
  role: Schema.Literal(...roles, "admin")
})
export type Initiator = typeof Initiator.Type

/** Columns of a payout. */
const PayoutRow = Schema.Struct({
  payout_id: Schema.String,
  org_id: OrgId,
  escrow_id: EscrowId,
  /** Null: requested by itself, not by a disbursement. */
  milestone_id: Schema.NullOr(Schema.String),
  party_id: Schema.String,
  beneficiary_id: BeneficiaryId,
  amount: Schema.String,
  currency: Schema.typeSchema(CurrencyCode),
  description: Schema.String,
  /** Assigned with the row; the payment exists once `sent_at` is set. */
  payment_id: PaymentId,
  transaction_id: TransactionId,
  initiator: Initiator,
  status: Schema.Literal(...payoutStatuses),
  reason: Schema.NullOr(Schema.String),
  /** Number of payments created so far. */
  sends: Schema.Int,
  sent_at: Schema.NullOr(Schema.DateFromSelf),
  created_at: Schema.DateFromSelf,
  updated_at: Schema.DateFromSelf
})

export interface EscrowPayout extends Omit<typeof PayoutRow.Type, "amount" | "currency"> {
  /** Upper limit of payout plus fee. */
  readonly amount: Money
}

export type NewPayout = Omit<EscrowPayout, "status" | "reason" | "sends" | "sent_at" | "created_at" | "updated_at">

/** Permission to change a row, until another worker claims it. */
export interface Lease extends Pick<EscrowPayout, "payout_id" | "org_id"> {
  readonly lease_token: string
}

/** A row claimed by one worker. */
export interface ClaimedPayout extends EscrowPayout, Lease {
  /** Number of claims since the row began to wait. */
  readonly tries: number
}

/** A blocked payout as an item of the operations queue. */
export interface BlockedPayout extends Pick<
  EscrowPayout,
  "payout_id" | "org_id" | "escrow_id" | "party_id" | "amount" | "reason" | "created_at"
> {
  readonly escrow_name: string
  readonly party_name: string
}

export const initiatorOf = ({ actor, role }: Permit<"escrow">): Initiator => ({
  kind: actor.kind,
  id: actor.id,
  name: actor.name ?? null,
  user_id: Option.getOrNull(actor.userId),
  role
})

/** The initiator's permit, for the worker. */
export const permitOf = ({ initiator, org_id }: Pick<EscrowPayout, "initiator" | "org_id">): Permit<"escrow"> => {
  const { id, kind, name, role, user_id } = initiator
  const actor = { kind, id, userId: Option.fromNullable(user_id), ...(name === null ? {} : { name }) }
  return initiatorPermit("escrow", org_id, { actor, role })
}

type PaymentIds = Pick<EscrowPayout, "payment_id" | "transaction_id">

export interface PayoutPatch {
  readonly status: EscrowPayout["status"]
  readonly reason: string | null
  /** Time until the next claim; null: never. */
  readonly dueIn: Duration.Duration | null
  /** Ids of the next payment, after one that failed. */
  readonly ids?: PaymentIds
}

/** Number of rows that a worker takes. */
export interface PayoutRoom {
  readonly most: number
  /** Most of one organisation, and how many of each are in work already. */
  readonly ofOne: number
  readonly busy: Readonly<Record<string, number>>
}

export class EscrowPayoutStore extends Context.Tag("corridor/EscrowPayoutStore")<
  EscrowPayoutStore,
  {
    /** Inserts waiting rows, in the transaction that causes them. Their first lease token is their own id. */
    readonly insert: (payouts: ReadonlyArray<NewPayout>) => Stored<void>
    /** Claims due rows, round-robin by organisation, oldest first. Skips rows that another worker holds. */
    readonly claim: (room: PayoutRoom) => Stored<ReadonlyArray<ClaimedPayout>>
    /** From waiting to sent, in the transaction that creates the payment. False: the lease was lost, so roll back. */
    readonly markSent: (lease: Lease, dueIn: Duration.Duration) => Stored<boolean>
    /** False: the lease was lost. */
    readonly change: (lease: Lease, patch: PayoutPatch) => Stored<boolean>
    readonly find: (scope: Scope, escrowId: EscrowId, payoutId: string) => Stored<Option.Option<EscrowPayout>>
    /** Makes a blocked payout wait again, with a new payment. None: not blocked. */
    readonly retry: (payout: EscrowPayout, ids: PaymentIds) => Stored<Option.Option<EscrowPayout>>
    /** Blocks the payout whose payment came back after it was sent. None: no payout has this payment any more. */
    readonly reopen: (orgId: OrgId, paymentId: PaymentId, reason: string) => Stored<Option.Option<EscrowPayout>>
    /** Closes a blocked payout; none if it is not blocked. */
    readonly close: (payout: EscrowPayout, reason: string) => Stored<Option.Option<EscrowPayout>>
    /** Closes all blocked payouts of a party. */
    readonly closeBlocked: (orgId: OrgId, partyId: string, reason: string) => Stored<void>
    /** Sum of a party's waiting payouts, which other payouts must leave. */
    readonly reserved: (orgId: OrgId, partyId: string, zero: Money) => Stored<Money>
    /** Payouts of these that still wait. */
    readonly waitingAmong: (orgId: OrgId, ids: ReadonlyArray<string>) => Stored<ReadonlySet<string>>
    /** Blocked payouts, most recently blocked first. */
    readonly blocked: (scope: Scope, window: Window) => Stored<ReadonlyArray<BlockedPayout>>
  }
>() {}

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
const CLAIMED = [...columnNames, "lease_token", "tries"].map((name) => `e.${name}`).join(", ")

const rowOf = ({ amount, initiator, ...payout }: NewPayout) => ({
  ...payout,
  amount: amount.toNumericText(),
  currency: amount.currency,
  initiator: JSON.stringify(initiator),
  status: "waiting",
  lease_token: payout.payout_id
})

/** Takes a due row of the organisation with the fewest in work first, so that no organisation's backlog delays another. */
const CLAIM = `with recursive owners as (
    (select org_id from escrow_payouts where due_at is not null order by org_id limit 1)
    union all
    select (select n.org_id from escrow_payouts n where n.due_at is not null and n.org_id > o.org_id
      order by n.org_id limit 1)
    from owners o where o.org_id is not null
  ), due as (
    select d.payout_id, d.due_at, b.busy + row_number() over (partition by o.org_id order by d.due_at, d.payout_id) as turn
    from owners o cross join lateral (select coalesce(($4::jsonb ->> o.org_id::text)::int, 0) as busy) b
    cross join lateral (
      select p.payout_id, p.due_at from escrow_payouts p
      where p.org_id = o.org_id and p.due_at <= now() order by p.due_at limit greatest($3 - b.busy, 0)
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

/** Times are the database's. */
export const escrowPayoutStoreSql = Layer.effect(
  EscrowPayoutStore,
  Effect.map(SqlClient.SqlClient, (sql): EscrowPayoutStore["Type"] => {
    const columns = sql.literal(columnNames.join(", "))
    const one = (statement: Statement.Statement<object>) =>
      Effect.map(optionalRow.first(statement), Option.map(withMoney))
    const after = (time: Duration.Duration | null) =>
      time === null ? sql.literal("null") : sql`now() + make_interval(secs => ${Duration.toSeconds(time)})`

    return {
      insert: (payouts) =>
        payouts.length === 0 ? Effect.void : execute(sql`insert into escrow_payouts ${sql.insert(payouts.map(rowOf))}`),
      claim: ({ busy, most, ofOne }) =>
        most <= 0
          ? Effect.succeed([])
          : sql.unsafe<object>(CLAIM, [most, Duration.toSeconds(escrowPayoutLease), ofOne, JSON.stringify(busy)]).pipe(
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
        one(sql`select ${columns} from escrow_payouts
          where payout_id = ${payoutId} and escrow_id = ${escrowId} and ${ownedIn(sql, scope)}`),
      retry: ({ org_id, payout_id }, { payment_id, transaction_id }) =>
        one(sql`update escrow_payouts set status = 'waiting', reason = null, payment_id = ${payment_id},
            transaction_id = ${transaction_id}, sent_at = null, due_at = now(), tries = 0, updated_at = now()
          where payout_id = ${payout_id} and status = 'blocked' and ${ownedBy(sql, org_id)}
          returning ${columns}`),
      reopen: (orgId, paymentId, reason) =>
        one(sql`update escrow_payouts set status = 'blocked', reason = ${reason}, due_at = null, updated_at = now()
          where payment_id = ${paymentId} and status in ('sent', 'paid') and ${ownedBy(sql, orgId)}
          returning ${columns}`),
      close: ({ org_id, payout_id }, reason) =>
        one(sql`update escrow_payouts set status = 'closed', reason = ${reason}, due_at = null, updated_at = now()
          where payout_id = ${payout_id} and status = 'blocked' and ${ownedBy(sql, org_id)}
          returning ${columns}`),
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
